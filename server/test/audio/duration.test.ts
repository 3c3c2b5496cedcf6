import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { audioFileName, measureSeconds } from '../../src/protocols/index.ts';
import { flac, m4a, mp3, oggOpus, wav, webm } from './sounds.ts';

const END_BYTES = 65_536;

function secondsOf(file: Uint8Array): number {
  return measureSeconds({ head: file.subarray(0, END_BYTES), tail: file.subarray(-END_BYTES), size: file.length });
}

describe('the length of a recording', () => {
  it.each([
    ['wav', wav(12.3), 13],
    ['mp3 of constant rate', mp3(160_000), 10],
    ['mp3 that counts its frames', mp3(160_000, { frames: 1000 }), 27],
    ['mp3 behind a small tag', mp3(160_000, { tagBytes: 5000 }), 10],
    ['mp3 behind a picture', mp3(160_000, { tagBytes: 100_000 }), 10],
    ['flac', flac(60, 300_000), 60],
    ['ogg opus', oggOpus(90, 200_000), 90],
    ['m4a with its header last', m4a(33, 300_000), 33],
    ['webm', webm(7.5, 20_000), 8],
    ['a webm whose header says one second', webm(1, 9_600_000), 150],
    ['webm as browsers record it', webm(undefined, 80_000), 10],
    ['something unknown', new Uint8Array(80_000), 10],
  ])('%s', (_name, file, seconds) => {
    expect(secondsOf(file)).toBe(seconds);
  });

  it('counts plain samples by their size, whatever rate the header states', () => {
    const file = wav(20);
    file.writeUInt32LE(32_000_000, 28);
    expect(secondsOf(file)).toBe(20);
  });

  it.each([
    ['the size of a group of samples', 20, (file: Buffer) => file.writeUInt16LE(65_535, 32)],
    ['the length of the samples', 20, (file: Buffer) => file.writeUInt32LE(32_000, 40)],
    [
      'the rate of packed sound',
      10,
      (file: Buffer) => {
        file.writeUInt16LE(0x55, 20);
        file.writeUInt32LE(0xffff_ffff, 28);
      },
    ],
  ])('does not believe a WAV that lies about %s', (_what, least, forge) => {
    const file = wav(20);
    forge(file);
    expect(secondsOf(file)).toBeGreaterThanOrEqual(least);
  });

  it('reads plain samples under their newer name, and leaves out the titles behind them', () => {
    const plain = wav(20);
    const newer = Buffer.concat([plain.subarray(0, 36), Buffer.alloc(24), plain.subarray(36), Buffer.alloc(5_000)]);
    newer.writeUInt32LE(40, 16);
    newer.writeUInt16LE(0xfffe, 20);
    newer.writeUInt16LE(1, 44);
    expect(secondsOf(newer)).toBe(20);
  });

  it('takes the rest of the file when a streaming recorder left the length open', () => {
    for (const open of [0, 0xffffffff]) {
      const file = wav(20);
      file.writeUInt32LE(open, 40);
      expect(secondsOf(file)).toBe(20);
    }
  });

  it('does not believe a header that makes a large file short', () => {
    expect(secondsOf(mp3(4_000_000, { frames: 1 }))).toBe(100);
    expect(secondsOf(oggOpus(1, 6_400_000))).toBe(100);
    expect(secondsOf(flac(1, 17_640_000))).toBe(100);
  });

  it('is a whole number of at least one, for any bytes behind any mark', () => {
    const marks = [
      'RIFF\0\0\0\0WAVEfmt ',
      'fLaC',
      'OggS',
      'ID3\x04',
      '\0\0\0\0ftypmvhd',
      '\x1a\x45\xdf\xa3\x44\x89\x88',
    ];
    const file = fc
      .tuple(fc.constantFrom(...marks), fc.uint8Array({ maxLength: 300 }))
      .map(([mark, rest]) => Buffer.concat([Buffer.from(mark, 'latin1'), rest]));
    fc.assert(
      fc.property(file, (bytes) => {
        const seconds = secondsOf(bytes);
        expect(Number.isSafeInteger(seconds) || seconds > 86_400).toBe(true);
        expect(seconds).toBeGreaterThanOrEqual(1);
      }),
      { seed: 7, numRuns: 500 },
    );
  });
});

describe('the name of an upload', () => {
  it('stays when its ending is known', () => {
    expect(audioFileName('جلسه.mp3', 'application/octet-stream', new Uint8Array(4))).toBe('جلسه.mp3');
    expect(audioFileName('A.WAV', undefined, new Uint8Array(4))).toBe('A.WAV');
  });
  it('gets an ending from the bytes, else from the type', () => {
    expect(audioFileName('blob', 'application/octet-stream', wav(1))).toBe('blob.wav');
    expect(audioFileName('', 'audio/webm', new Uint8Array(4))).toBe('audio.webm');
    // The bytes know better than the browser.
    expect(audioFileName('blob', 'audio/webm', flac(1, 100))).toBe('blob.flac');
  });
  it('is refused when nothing says audio', () => {
    expect(() => audioFileName('notes.txt', 'text/plain', Buffer.from('hello'))).toThrow('file');
  });
});
