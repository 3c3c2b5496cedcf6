/**
 * The journal's lines: `<kind><checksum>\t<body>\n`. A line counts only when its checksum fits, so that a line torn by a crash
 * or damaged on disk is never taken for a charge. The lines of closed requests go to the database as they are: what stands
 * before the body is a column to it that it leaves out.
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
const TAB = 0x09;
const KINDS = 'OCP';
/** The most bytes in UTF-8 for one unit of a JavaScript string. */
const MAX_BYTES_PER_UNIT = 3;
/** Kind, checksum and the tab after it. */
const HEADER_LENGTH = 1 + CHECKSUM_LENGTH + 1;

/** A line without its checksum. Checksums are made from the bytes (`seal`), which exist once all lines of a write are joined. */
export function unsealed(kind: LineKind, body: string): string {
  if (body.includes('\n')) throw new Error('a line of the journal cannot hold two lines');
  return `${kind}${NO_CHECKSUM}\t${body}\n`;
}

/**
 * Joins lines into the bytes to write and gives each its checksum, in place. They are written into `scratch` when they
 * fit, because allocating memory outside the heap in every turn is slow.
 */
export function seal(lines: readonly string[], scratch?: Buffer): Buffer {
  const text = lines.join('');
  const fits = scratch && text.length * MAX_BYTES_PER_UNIT <= scratch.length;
  const bytes = fits ? scratch.subarray(0, scratch.write(text)) : Buffer.from(text);
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, start);
    let rest = checksum(bytes, start, end);
    // Written digit by digit from the last, without making a string.
    for (let at = start + CHECKSUM_LENGTH; at > start; at--, rest >>>= 4) bytes[at] = DIGITS.charCodeAt(rest & 15);
    start = end + 1;
  }
  return bytes;
}

export function writeLine(kind: LineKind, body: string): Buffer {
  return seal([unsealed(kind, body)]);
}

export function bodyOf(line: Buffer): string {
  return line.toString('utf8', HEADER_LENGTH, line.length - 1);
}

/** The offset at which `count` lines from `start` on end. */
export function afterLines(bytes: Buffer, start: number, count: number): number {
  let end = start;
  for (let left = count; left > 0 && end < bytes.length; left--) end = bytes.indexOf(NEWLINE, end) + 1;
  return end;
}

/** Each line by itself, with its line end. */
export function linesOf(lines: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let start = 0; start < lines.length; ) {
    const end = lines.indexOf(NEWLINE, start) + 1 || lines.length;
    found.push(lines.subarray(start, end));
    start = end;
  }
  return found;
}

/** Splits lines into two halves; undefined when there is only one line. */
export function halves(lines: Buffer): [Buffer, Buffer] | undefined {
  const last = lines.length - 1;
  let end = lines.indexOf(NEWLINE, lines.length >> 1);
  if (end === last) end = lines.lastIndexOf(NEWLINE, last - 1);
  return end === -1 ? undefined : [lines.subarray(0, end + 1), lines.subarray(end + 1)];
}

/** The line of the closed request with this id. */
export function findClosed(lines: Buffer, id: string): Buffer | undefined {
  const sought = `\t${id}\t`;
  for (let at = lines.indexOf(sought); at !== -1; at = lines.indexOf(sought, at + 1)) {
    const start = at + 1 - HEADER_LENGTH;
    // Only at the beginning of a line; elsewhere the same text is a name that somebody chose to look like an id.
    if (start === 0 || lines[start - 1] === NEWLINE) return lines.subarray(start, lines.indexOf(NEWLINE, at) + 1);
  }
  return undefined;
}

/** The checksum over the kind and the body of the line between `start` and `end`. */
function checksum(bytes: Buffer, start: number, end: number): number {
  return crc32(bytes.subarray(start + HEADER_LENGTH, end), bytes[start] as number);
}

export interface SegmentContent {
  lines: JournalLine[];
  /** Lines in the middle whose checksum does not fit: the disk lost data, and the operator must be told. */
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
  const separator = bytes[start + HEADER_LENGTH - 1];
  if (end - start < HEADER_LENGTH || separator !== TAB) return undefined;
  const kind = String.fromCharCode(bytes[start] as number);
  if (!KINDS.includes(kind)) return undefined;
  const written = bytes.toString('latin1', start + 1, start + 1 + CHECKSUM_LENGTH);
  const expected = checksum(bytes, start, end).toString(16).padStart(CHECKSUM_LENGTH, '0');
  if (written !== expected) return undefined;
  return { kind: kind as LineKind, body: bytes.toString('utf8', start + HEADER_LENGTH, end) };
}
