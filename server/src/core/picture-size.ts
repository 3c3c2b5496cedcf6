/** Width and height of a picture, from the first bytes of its base64: as much as its tokens are counted by. */

export interface PictureSize {
  width: number;
  height: number;
}

/** Notes of cameras and programs may stand before the size in a JPEG; whatever has more of them is of unknown size. */
const READ_CHARACTERS = 176 * 1024;
const HEAD_CHARACTERS = 64;

/** undefined where the size is not said, or said in a way that is not read here. */
export function pictureSize(base64: string): PictureSize | undefined {
  const head = Buffer.from(base64.slice(0, HEAD_CHARACTERS), 'base64');
  if (head.length < 30) return undefined;
  const size = sizeIn(head, base64);
  return size && size.width > 0 && size.height > 0 ? size : undefined;
}

function sizeIn(head: Buffer, base64: string): PictureSize | undefined {
  if (head.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n') return pngSize(head);
  if (head.readUInt16BE(0) === 0xffd8) return jpegSize(Buffer.from(base64.slice(0, READ_CHARACTERS), 'base64'));
  if (head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP') return webpSize(head);
  return undefined;
}

function pngSize(head: Buffer): PictureSize | undefined {
  if (head.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
}

/** Segments follow each other, each with its length, until the one that begins the picture. */
function jpegSize(bytes: Buffer): PictureSize | undefined {
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] as number;
    // Filling before a marker.
    if (marker === 0xff) at++;
    else if (isFrame(marker)) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/** The other markers of this row begin tables. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function webpSize(head: Buffer): PictureSize | undefined {
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      const bits = head.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}
