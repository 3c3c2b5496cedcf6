import { describe, expect, it } from 'vitest';
import { pictureSize } from '../../src/core/picture-size.ts';

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat([...parts.map((part) => Buffer.from(part as string, 'latin1')), Buffer.alloc(40)]);
const png = (width: number, height: number) => {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  return bytes('\x89PNG\r\n\x1a\n', [0, 0, 0, 13], 'IHDR', [...size]);
};
const FRAME = [0xff, 0xc2, 0, 17, 8, 0x0b, 0xd0, 0x0f, 0xc0, 3];
/** A note of a camera, with the size of another picture in it. */
const NOTE = [0xff, 0xe1, 0, 14, ...FRAME.slice(0, 9), 9, 9, 9];

/** 20 × 10, with the length that it states. */
function smallFrame(): number[] {
  return [0xff, 0xc0, 0, 8, 8, 0, 10, 0, 20, 3];
}

describe('the size of a picture', () => {
  it.each([
    ['PNG', png(4_032, 3_024), 4_032, 3_024],
    ['JPEG', bytes([0xff, 0xd8], FRAME), 4_032, 3_024],
    ['JPEG after notes and filling', bytes([0xff, 0xd8], NOTE, [0xff, 0xff], FRAME.slice(1)), 4_032, 3_024],
    [
      'JPEG after a table',
      bytes([0xff, 0xd8], [0xff, 0xc4, 0, 5, 1, 1, 1], [...FRAME.slice(0, 5), 0, 10, 0, 20, 3]),
      20,
      10,
    ],
    [
      'WebP with a canvas',
      bytes('RIFF\0\0\0\0WEBPVP8X', [10, 0, 0, 0, 0, 0, 0, 0, 0x7f, 7, 0, 0x37, 4, 0]),
      1_920,
      1_080,
    ],
    ['JPEG that states its size twice', bytes([0xff, 0xd8], smallFrame(), FRAME), 4_032, 3_024],
    ['JPEG with something between its sizes', bytes([0xff, 0xd8], smallFrame(), [1, 2, 3], FRAME), 4_032, 3_024],
    [
      'WebP with a canvas smaller than its picture',
      bytes(
        'RIFF\0\0\0\0WEBPVP8X',
        [10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        'VP8L',
        [20, 0, 0, 0, 0x2f, 0x7f, 0xc7, 0x0d, 1],
      ),
      1_920,
      1_080,
    ],
    ['WebP without loss', bytes('RIFF\0\0\0\0WEBPVP8L', [0, 0, 0, 0, 0x2f, 0x7f, 0xc7, 0x0d, 1]), 1_920, 1_080],
    ['plain WebP', bytes('RIFF\0\0\0\0WEBPVP8 ', [0, 0, 0, 0, 0, 0, 0, 0x9d, 1, 0x2a, 0x80, 7, 0x38, 4]), 1_920, 1_080],
  ])('is read from %s', (_kind, picture, width, height) => {
    expect(pictureSize(picture.toString('base64'))).toEqual({ width, height });
  });

  it.each([
    ['no picture', Buffer.alloc(100, 65)],
    ['too few bytes', png(1, 1).subarray(0, 20)],
    ['a PNG of no width', png(0, 10)],
    ['a PNG whose first piece is another', bytes('\x89PNG\r\n\x1a\n', [0, 0, 0, 13], 'tEXt', [0, 0, 0, 9, 0, 0, 0, 9])],
    ['a JPEG whose height comes later', bytes([0xff, 0xd8], [...FRAME.slice(0, 5), 0, 0, 0, 20, 3])],
    ['a JPEG that breaks off', Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff]), Buffer.alloc(100)])],
    ['a PNG that holds far more than it says', Buffer.concat([png(1, 1), Buffer.alloc(400_000)])],
    [
      'a JPEG that holds far more than it says',
      Buffer.concat([bytes([0xff, 0xd8], smallFrame()), Buffer.alloc(400_000, 0xff)]),
    ],
    [
      'a JPEG whose pixels begin beyond what is read',
      Buffer.concat([bytes([0xff, 0xd8], FRAME), Buffer.alloc(200_000)]),
    ],
    ['a GIF', bytes('GIF89a', [10, 0, 10, 0])],
  ])('is unknown of %s', (_kind, picture) => {
    expect(pictureSize(picture.toString('base64'))).toBeUndefined();
  });
});
