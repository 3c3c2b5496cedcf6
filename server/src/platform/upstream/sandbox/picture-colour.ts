/** The colour of a plain picture, as far as a simulator sees: the first point of a PNG in true colour. */
import { inflateSync } from 'node:zlib';

const HEAD_BYTES = 8;
/** Length and kind before the content of a chunk, its check sum after it. */
const CHUNK_HEAD = 8;
const CHUNK_END = 4;
const TRUE_COLOUR = 2;
const MAX_BYTES = 1_000_000;

export function colourOf(base64: string): string | undefined {
  if (base64.length > MAX_BYTES) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  const packed: Buffer[] = [];
  for (let at = HEAD_BYTES; at + CHUNK_HEAD <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const kind = bytes.toString('latin1', at + 4, at + CHUNK_HEAD);
    const content = bytes.subarray(at + CHUNK_HEAD, at + CHUNK_HEAD + length);
    if (kind === 'IHDR' && content[9] !== TRUE_COLOUR) return undefined;
    if (kind === 'IDAT') packed.push(content);
    at += CHUNK_HEAD + length + CHUNK_END;
  }
  try {
    const [, red = 0, green = 0, blue = 0] = inflateSync(Buffer.concat(packed), { maxOutputLength: MAX_BYTES });
    const most = Math.max(red, green, blue);
    return most === red ? 'red' : most === green ? 'green' : 'blue';
  } catch {
    return undefined;
  }
}
