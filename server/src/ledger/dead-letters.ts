/**
 * Charges that the database can never take: their lines are kept in a file in the journal's folder, for the operator. A
 * note comes before each line: `#`, the time, and why the database refused it. An operator who has dealt with a charge
 * removes its line, or the whole file.
 */
import { appendFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createdAtOf, decodeRecord, idOf, type RequestRecord } from '../requestlog/index.ts';
import { readLines } from './journal-lines.ts';

export interface DeadLetter {
  /** Undefined for a line that the disk has damaged. */
  id: string | undefined;
  /** When the request came, in milliseconds since 1970. */
  createdAt: number | undefined;
  deadLetteredAt: string | undefined;
  reason: string | undefined;
  /** Undefined for the line of another build, whose columns differ, and for a damaged one. */
  record: RequestRecord | undefined;
}

/** Earlier builds left files of this name, so it stays. */
const FILE_NAME = 'rejected.lines';
const NOTE = '# ';
const MAX_REASON = 500;

export class DeadLetterFile {
  readonly #file: string;
  #count = 0;

  constructor(journalFolder: string) {
    this.#file = join(journalFolder, FILE_NAME);
  }

  /** Counts those of this process and of earlier ones. */
  get count(): number {
    return this.#count;
  }

  /** Counts what earlier processes have left. */
  async recount(): Promise<void> {
    this.#count = (await this.all()).length;
  }

  /** Written to the disk at once, because nothing else will know of the charge. */
  add(line: Buffer, reason: string, at: Date): void {
    const note = `# ${at.toISOString()} ${reason.replace(/\s+/g, ' ').slice(0, MAX_REASON)}\n`;
    appendFileSync(this.#file, Buffer.concat([Buffer.from(note), line]), { mode: 0o600, flush: true });
    this.#count++;
  }

  async all(): Promise<DeadLetter[]> {
    const charges: DeadLetter[] = [];
    let note: Note | undefined;
    for (const line of await this.#lines()) {
      const found = noteOf(line);
      if (!found) charges.push(chargeOf(line, note));
      note = found;
    }
    return charges;
  }

  async #lines(): Promise<string[]> {
    const text = await readFile(this.#file, 'utf8').catch(() => '');
    return text.split('\n').filter((line) => line !== '');
  }
}

interface Note {
  deadLetteredAt: string;
  reason: string;
}

/** `# 2026-11-16T20:00:00.000Z the reason`, which stands before the line it is about. */
function noteOf(line: string): Note | undefined {
  if (!line.startsWith(NOTE)) return undefined;
  const end = line.indexOf(' ', NOTE.length);
  if (end < 0) return undefined;
  return { deadLetteredAt: line.slice(NOTE.length, end), reason: line.slice(end + 1) };
}

function chargeOf(line: string, note: Note | undefined): DeadLetter {
  const body = readLines(Buffer.from(`${line}\n`)).lines[0]?.body;
  return {
    id: body === undefined ? undefined : idOf(body),
    createdAt: body === undefined ? undefined : createdAtOf(body),
    deadLetteredAt: note?.deadLetteredAt,
    reason: note?.reason,
    record: body === undefined ? undefined : decodeRecord(body),
  };
}
