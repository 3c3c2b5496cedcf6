/**
 * Width and height of a picture from the first bytes of its base64, by which its tokens are estimated. A header that
 * claims fewer pixels than the file must hold is not believed.
 */

export interface PictureSize {
  width: number;
  height: number;
}

/** Metadata may stand before the size in a JPEG; a file with more of it than this has an unknown size. */
const READ_CHARACTERS = 176 * 1024;
const HEAD_CHARACTERS = 64;
/** The most bytes that any format writes for a pixel: four channels of sixteen bits. */
const MAX_BYTES_PER_PIXEL = 8;
/** Room for colour profiles, metadata and thumbnails beside the pixels. */
const BYTES_BESIDE = 128 * 1024;

/**
 * Returns undefined where the size is missing, is written in a way that is not read here, or is too small for the file.
 */
export function pictureSize(base64: string): PictureSize | undefined {
  const head = Buffer.from(base64.slice(0, HEAD_CHARACTERS), 'base64');
  if (head.length < 30) return undefined;
  const size = sizeIn(head, base64);
  if (!size || size.width === 0 || size.height === 0) return undefined;
  const bytes = (base64.length * 3) / 4;
  return bytes > size.width * size.height * MAX_BYTES_PER_PIXEL + BYTES_BESIDE ? undefined : size;
}

function sizeIn(head: Buffer, base64: string): PictureSize | undefined {
  if (head.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n') return pngSize(head);
  if (head.readUInt16BE(0) === 0xffd8) return jpegSize(beginning(base64), base64.length > READ_CHARACTERS);
  if (head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP')
    return webpSize(head, () => beginning(base64));
  return undefined;
}

function beginning(base64: string): Buffer {
  return Buffer.from(base64.slice(0, READ_CHARACTERS), 'base64');
}

/** Takes the larger of two stated sizes, because readers differ in which one they use. */
function larger(one: PictureSize | undefined, other: PictureSize): PictureSize {
  if (!one) return other;
  return { width: Math.max(one.width, other.width), height: Math.max(one.height, other.height) };
}

function pngSize(head: Buffer): PictureSize | undefined {
  if (head.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
}

const START_OF_SCAN = 0xda;

/**
 * Segments follow each other, each with its length, until the pixels begin. A picture may state its size more than
 * once, so the size is unknown when the pixels begin beyond what was read.
 */
function jpegSize(bytes: Buffer, goesOn: boolean): PictureSize | undefined {
  let size: PictureSize | undefined;
  for (let at = 2; at + 9 <= bytes.length; ) {
    // Readers skip bytes until the next marker, and so does this loop.
    if (bytes[at] !== 0xff) {
      at++;
      continue;
    }
    const marker = bytes[at + 1] as number;
    if (marker === START_OF_SCAN) return size;
    if (isFrame(marker)) size = larger(size, { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) });
    // Fill bytes before a marker.
    if (marker === 0xff) at++;
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
  return goesOn ? undefined : size;
}

/** The other markers in this range begin tables. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

const WEBP_CHUNKS_AT = 12;
const CHUNK_HEAD = 8;
/** A frame of an animation begins with sixteen bytes of its own. */
const FRAME_HEAD = 16;

function webpSize(head: Buffer, all: () => Buffer): PictureSize | undefined {
  const simple = pixelsAt(head, WEBP_CHUNKS_AT);
  if (simple) return simple;
  if (head.toString('latin1', WEBP_CHUNKS_AT, WEBP_CHUNKS_AT + 4) !== 'VP8X') return undefined;
  // The size of the canvas, then of the pictures on it.
  let size: PictureSize = { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
  const bytes = all();
  for (let at = WEBP_CHUNKS_AT; at + CHUNK_HEAD + FRAME_HEAD + 20 <= bytes.length; ) {
    const isMoving = bytes.toString('latin1', at, at + 4) === 'ANMF';
    const found = pixelsAt(bytes, isMoving ? at + CHUNK_HEAD + FRAME_HEAD : at);
    if (found) size = larger(size, found);
    const length = bytes.readUInt32LE(at + 4);
    at += CHUNK_HEAD + length + (length % 2);
  }
  return size;
}

/** The size of the picture whose chunk begins here. */
function pixelsAt(bytes: Buffer, at: number): PictureSize | undefined {
  if (at + 18 > bytes.length) return undefined;
  switch (bytes.toString('latin1', at, at + 4)) {
    case 'VP8L': {
      const bits = bytes.readUInt32LE(at + 9);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      return { width: bytes.readUInt16LE(at + 14) & 0x3fff, height: bytes.readUInt16LE(at + 16) & 0x3fff };
    default:
      return undefined;
  }
}
