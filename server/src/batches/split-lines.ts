/**
 * Splits a file that comes in pieces into lines. Only one line is held in memory; of one that is too long only the
 * position is known.
 */

export interface LineAt {
  /** Counted from 1, empty lines included. */
  number: number;
  /** Where its first byte stands in the file. */
  position: number;
  /** The line without its end; undefined when it is longer than the limit. */
  bytes: Buffer | undefined;
}

const NEWLINE = 10;
const RETURN = 13;
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Lines that hold only white space are left out. */
export async function* splitLines(pieces: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<LineAt> {
  let begun: Buffer[] = [];
  let begunBytes = 0;
  let position = 0;
  let number = 0;
  const line = (end: Uint8Array): LineAt | undefined => {
    number++;
    const bytes = begunBytes + end.length;
    const at = position;
    position += bytes + 1;
    const whole = bytes > maxBytes ? undefined : joined(begun, end);
    begun = [];
    begunBytes = 0;
    return told(number, at, whole);
  };
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let from = 0;
    for (let to = bytes.indexOf(NEWLINE); to >= 0; to = bytes.indexOf(NEWLINE, from)) {
      const found = line(bytes.subarray(from, to));
      from = to + 1;
      if (found) yield found;
    }
    const rest = bytes.subarray(from);
    begunBytes += rest.length;
    // Beyond the limit only the length is counted.
    if (begunBytes <= maxBytes) begun.push(Buffer.from(rest));
    else begun = [];
  }
  const last = begunBytes > 0 ? line(new Uint8Array(0)) : undefined;
  if (last) yield last;
}

function joined(begun: Buffer[], end: Uint8Array): Buffer {
  return begun.length === 0 ? Buffer.from(end.buffer, end.byteOffset, end.byteLength) : Buffer.concat([...begun, end]);
}

function told(number: number, position: number, whole: Buffer | undefined): LineAt | undefined {
  if (whole === undefined) return { number, position, bytes: undefined };
  const marked = number === 1 && whole.subarray(0, 3).equals(MARK);
  const from = marked ? MARK.length : 0;
  const to = whole.at(-1) === RETURN ? whole.length - 1 : whole.length;
  const bytes = whole.subarray(from, Math.max(from, to));
  return isBlank(bytes) ? undefined : { number, position: position + from, bytes };
}

function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== 32 && byte !== 9) return false;
  return true;
}
