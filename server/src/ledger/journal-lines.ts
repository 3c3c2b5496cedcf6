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
const NEWLINE = 0x0a;
const SPACE = 0x20;
const KINDS = 'OCP';
/** Kind, checksum and the space after it. */
const HEADER_LENGTH = 1 + CHECKSUM_LENGTH + 1;

export function writeLine(kind: LineKind, body: string): string {
  return `${kind}${checksum(kind, body)} ${body}\n`;
}

function checksum(kind: string, body: string | Uint8Array): string {
  return crc32(body, kind.charCodeAt(0)).toString(16).padStart(CHECKSUM_LENGTH, '0');
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
  const body = bytes.subarray(start + HEADER_LENGTH, end);
  const claimed = bytes.toString('latin1', start + 1, start + 1 + CHECKSUM_LENGTH);
  if (claimed !== checksum(kind, body)) return undefined;
  return { kind: kind as LineKind, body: body.toString('utf8') };
}
