/**
 * A gzip text of pieces that were compressed once, with a different word between them each time. Each piece ends at a
 * full flush, so no piece refers back beyond its own beginning; the words are inserted as stored blocks. Only the
 * checksum is computed for each text, which takes a fraction of a millisecond.
 */
import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';

const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** The last block, which is empty. */
const END = Buffer.from([3, 0]);
const MAX_STORED_BYTES = 0xffff;

export interface CutText {
  plain: readonly Buffer[];
  packed: readonly Buffer[];
}

export async function packPieces(pieces: readonly string[]): Promise<CutText> {
  const plain = pieces.map((piece) => Buffer.from(piece));
  const pack = promisify<Buffer, { finishFlush: number }, Buffer>(deflateRaw);
  const packed = await Promise.all(plain.map((piece) => pack(piece, { finishFlush: constants.Z_FULL_FLUSH })));
  return { plain, packed };
}

/** The text with `word` between its pieces, as a gzip file. */
export function splicedGzip({ plain, packed }: CutText, word: string): Buffer {
  const between = Buffer.from(word).subarray(0, MAX_STORED_BYTES);
  const stored = storedBlock(between);
  const parts: Buffer[] = [HEADER];
  let checksum = 0;
  let bytes = 0;
  for (const [at, piece] of plain.entries()) {
    if (at > 0) {
      parts.push(stored);
      checksum = crc32(between, checksum);
      bytes += between.length;
    }
    // zlib writes no bytes when it is told to begin anew.
    if (piece.length === 0) continue;
    parts.push(packed[at] as Buffer);
    checksum = crc32(piece, checksum);
    bytes += piece.length;
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(checksum >>> 0, 0);
  trailer.writeUInt32LE(bytes >>> 0, 4);
  return Buffer.concat([...parts, END, trailer]);
}

function storedBlock(bytes: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(bytes.length, 1);
  head.writeUInt16LE(~bytes.length & 0xffff, 3);
  return Buffer.concat([head, bytes]);
}
