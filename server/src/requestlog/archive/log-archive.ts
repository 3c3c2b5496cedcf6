/**
 * THE ARCHIVE OF THE REQUEST LOG: a port. PostgreSQL keeps the days that are charged, refunded and proven; whole days that it would
 * forget go here first and can be read for as long as the operator likes (ADR 0080). A row is the line of its record
 * (record-columns.ts), which every later version reads, beside the few values that lists are filtered by.
 */
import { createHash } from 'node:crypto';
import type { RequestRecord } from '../record-columns.ts';
import { encodeRecord } from '../record-text.ts';
import type { RequestFilter } from '../request-filter.ts';

export interface ArchivedRow {
  id: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  accountId: string;
  keyId: string;
  endpoint: string;
  model: string;
  state: string;
  /** '' for none, as everywhere here. */
  errorCode: string;
  user: string;
  tags: string[];
  /** Micro-toman. */
  cost: bigint;
  durationMs: number;
  line: string;
}

/** How many rows a day has, and a sum over the hashes of their lines in no order. */
export interface DayDigest {
  rows: number;
  digest: string;
}

export interface LogArchive {
  /** Makes its table where there is none. */
  prepare(): Promise<void>;
  /** Adds rows of a UTC day (`2026-11-18`). */
  write(day: string, rows: readonly ArchivedRow[]): Promise<void>;
  /** As the archive itself counts and hashes what it has. */
  digest(day: string): Promise<DayDigest>;
  /** Forgets a day; one that it does not have is no mistake. */
  drop(day: string): Promise<void>;
  /** The line of a request of that day. */
  find(day: string, id: string): Promise<string | undefined>;
  /** Lines, newest first, with ids below `before`, of these days only. */
  list(filter: RequestFilter, page: ArchivePage): Promise<string[]>;
  close(): Promise<void>;
}

export interface ArchivePage {
  before: string | undefined;
  limit: number;
  /** Both included. */
  from: string;
  to: string;
}

export function archivedRow(record: RequestRecord): ArchivedRow {
  return {
    id: record.id,
    createdAt: record.createdAt,
    accountId: record.accountId,
    keyId: record.keyId,
    endpoint: record.endpoint,
    model: record.model,
    state: record.state,
    errorCode: record.errorCode ?? '',
    user: record.user ?? '',
    tags: record.tags,
    cost: record.cost,
    durationMs: record.durationMs,
    line: encodeRecord(record),
  };
}

/** The sum that an archive has to tell of the same lines: of the first 32 bits of their SHA-256, and of the next 32. */
export class LineDigest {
  #rows = 0;
  #first = 0;
  #second = 0;

  add(line: string): void {
    const hash = createHash('sha256').update(line, 'utf8').digest();
    this.#rows++;
    this.#first = (this.#first + hash.readUInt32BE(0)) % MODULUS;
    this.#second = (this.#second + hash.readUInt32BE(4)) % MODULUS;
  }

  get told(): DayDigest {
    return { rows: this.#rows, digest: `${this.#first}-${this.#second}` };
  }
}

/** Sums are told modulo this: below what a number holds exactly, however many rows a day has. */
export const MODULUS = 2 ** 48;
