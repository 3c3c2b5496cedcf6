/**
 * What a dead process left in its journal: closed records that may not be in the database yet, and requests that were
 * running. Reading changes nothing, and posting is idempotent, so recovery may itself be killed and start again.
 */
import { readdir, readFile } from 'node:fs/promises';
import { decodeRecord, encodeRecord, idOf, killedRecord, ownText } from '../requestlog/index.ts';
import { readLines } from './journal-lines.ts';
import { type Segment, segmentNumber, segmentPath } from './journal-segment.ts';

export interface RecoveredRecord {
  text: string;
  segment: Segment;
}

export interface Recovery {
  segments: Segment[];
  /**
   * Closed records that are perhaps not posted, in the order in which they were closed, then those of killed requests.
   */
  records: RecoveredRecord[];
  /** How many of the records are of requests that were running when the process died. */
  killed: number;
  /** Unreadable lines in the middle of a file: a fault of the disk, to be reported. */
  damaged: number;
  torn: number;
}

export async function recoverJournal(folder: string): Promise<Recovery> {
  const numbers = (await readdir(folder)).map(segmentNumber).filter((number) => number !== undefined);
  const files: { number: number; bytes: Buffer }[] = [];
  for (const number of numbers.sort((a, b) => a - b))
    files.push({ number, bytes: await readFile(segmentPath(folder, number)) });
  return recoverFrom(files);
}

/** Only lines of this build and of released ones are read; going on without the others would lose charges, so the start stops. */
export class JournalNotReadable extends Error {
  constructor() {
    super(
      'the journal has requests in the form of another build: start the version that wrote them once, so that it posts them; this one reads its own and those of released versions before it',
    );
  }
}

/** The pure part: reads the bytes of the files, oldest file first. */
export function recoverFrom(files: Iterable<{ number: number; bytes: Buffer }>): Recovery {
  const recovery: Recovery = { segments: [], records: [], killed: 0, damaged: 0, torn: 0 };
  const closed: RecoveredRecord[] = [];
  const opened = new Map<string, { startRecord: string; segment: Segment }>();
  const posted = new Map<number, number>();
  for (const { number, bytes } of files) {
    const content = readLines(bytes);
    recovery.damaged += content.damaged;
    if (content.torn) recovery.torn++;
    const segment: Segment = { number, unposted: 0, posted: 0, running: 0 };
    recovery.segments.push(segment);
    for (const { kind, body } of content.lines) {
      if (kind === 'O') opened.set(idOf(body), { startRecord: body, segment });
      else if (kind === 'C') {
        const text = ownText(body);
        if (text === undefined) throw new JournalNotReadable();
        opened.delete(idOf(body));
        closed.push({ text, segment });
      } else {
        const [of, count] = body.split(' ').map(Number) as [number, number];
        posted.set(of, Math.max(count, posted.get(of) ?? 0));
      }
    }
  }
  keepUnposted(recovery, closed, posted);
  addKilled(recovery, opened);
  return recovery;
}

function keepUnposted(recovery: Recovery, closed: RecoveredRecord[], posted: Map<number, number>): void {
  for (const record of closed) {
    const { segment } = record;
    if (segment.posted < (posted.get(segment.number) ?? 0)) segment.posted++;
    else {
      segment.unposted++;
      recovery.records.push(record);
    }
  }
}

function addKilled(recovery: Recovery, opened: Map<string, { startRecord: string; segment: Segment }>): void {
  // They come after the closed records. A `posted` line counts the closed records of a segment from its start, and a killed
  // request has no closed record in the segment, so it must not be counted among them.
  for (const { startRecord: text, segment } of opened.values()) {
    const startRecord = decodeRecord(text);
    if (!startRecord) continue;
    segment.unposted++;
    recovery.killed++;
    recovery.records.push({ text: encodeRecord(killedRecord(startRecord)), segment });
  }
}
