/**
 * The journal's lines: `<kind><checksum> <body>\n`. A line counts only when its checksum fits, so that a line torn by a crash
 * or damaged on disk is never taken for a charge.
 *
 *   O  a request was opened     body: its opening as text
 *   C  a request was closed     body: its record as text
 *   P  posted                   body: `<segment> <n>`: the first n closed records of that segment are in the database
 */
import { crc32 } from 'node:zlib';

export type LineKind = 'O' | 'C' | 'P';

export interface JournalLine {
  kind: LineKind;
  body: string;
}

const CHECKSUM_LENGTH = 8;
const NO_CHECKSUM = '0'.repeat(CHECKSUM_LENGTH);
const DIGITS = '0123456789abcdef';
const NEWLINE = 0x0a;
const SPACE = 0x20;
const KINDS = 'OCP';
/** Kind, checksum and the space after it. */
const HEADER_LENGTH = 1 + CHECKSUM_LENGTH + 1;

/** A line without its checksum. Checksums are made from the bytes (`seal`), which exist once all lines of a write are joined. */
export function unsealed(kind: LineKind, body: string): string {
  // Searching also makes one piece of a text that V8 still keeps as a tree of its parts. It waits for the database for a while,
  // and as a tree it would be dearer to collect and be put together twice.
  if (body.includes('\n')) throw new Error('a line of the journal cannot hold two lines');
  return `${kind}${NO_CHECKSUM} ${body}\n`;
}

/** Joins lines into the bytes to write and gives each its checksum, in place. */
export function seal(lines: readonly string[]): Buffer {
  const bytes = Buffer.from(lines.join(''));
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, start);
    let rest = checksum(bytes, start, end);
    // Digit by digit from the last: many times cheaper than a text that is then written into the bytes.
    for (let at = start + CHECKSUM_LENGTH; at > start; at--, rest >>>= 4) bytes[at] = DIGITS.charCodeAt(rest & 15);
    start = end + 1;
  }
  return bytes;
}

export function writeLine(kind: LineKind, body: string): string {
  return seal([unsealed(kind, body)]).toString();
}

/** Of the kind and the body of the line between `start` and `end`. */
function checksum(bytes: Buffer, start: number, end: number): number {
  return crc32(bytes.subarray(start + HEADER_LENGTH, end), bytes[start] as number);
}

export interface SegmentContent {
  lines: JournalLine[];
  /** Lines in the middle whose checksum does not fit: the disk lost something, and someone must hear of it. */
  damaged: number;
  /** The last line was cut off; its writer never reported it as written. */
  torn: boolean;
}

export function readLines(bytes: Buffer): SegmentContent {
  const content: SegmentContent = { lines: [], damaged: 0, torn: false };
  let start = 0;
  while (start < bytes.length) {
    const end = bytes.indexOf(NEWLINE, start);
    const line = end === -1 ? undefined : readLine(bytes, start, end);
    if (line) content.lines.push(line);
    else if (end === -1 || end === bytes.length - 1) content.torn = true;
    else content.damaged++;
    if (end === -1) break;
    start = end + 1;
  }
  return content;
}

function readLine(bytes: Buffer, start: number, end: number): JournalLine | undefined {
  if (end - start < HEADER_LENGTH || bytes[start + HEADER_LENGTH - 1] !== SPACE) return undefined;
  const kind = String.fromCharCode(bytes[start] as number);
  if (!KINDS.includes(kind)) return undefined;
  const claimed = bytes.toString('latin1', start + 1, start + 1 + CHECKSUM_LENGTH);
  const expected = checksum(bytes, start, end).toString(16).padStart(CHECKSUM_LENGTH, '0');
  if (claimed !== expected) return undefined;
  return { kind: kind as LineKind, body: bytes.toString('utf8', start + HEADER_LENGTH, end) };
}
