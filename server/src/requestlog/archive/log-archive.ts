/**
 * THE ARCHIVE OF THE REQUEST LOG: a port. PostgreSQL keeps the days that are charged, refunded and proven. Whole days
 * are copied here before PostgreSQL drops them, and can be read for as long as the operator likes (ADR 0080). A row is
 * the line of its record (record-columns.ts), which every later version reads, with the few values that lists are
 * filtered by.
 */
import { createHash } from 'node:crypto';
import { completionTokens, promptTokens } from '../../core/usage.ts';
import type { RequestRecord } from '../record-columns.ts';
import { encodeRecord } from '../record-text.ts';
import type { WideFilter } from '../request-filter.ts';
import type { SumPart } from '../usage-sums.ts';

export interface ArchivedRow {
  id: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  accountId: string;
  keyId: string;
  endpoint: string;
  model: string;
  provider: string;
  state: string;
  /** '' for none, as everywhere here. */
  errorCode: string;
  user: string;
  tags: string[];
  /** Micro-toman. */
  cost: bigint;
  durationMs: number;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  /** What the response cache answered. */
  cacheAnswer: string;
  /** Micro-toman that caches saved. */
  saved: bigint;
  line: string;
}

/** How many rows a day has, and the sum of the hashes of their lines, which does not depend on their order. */
export interface DayDigest {
  rows: number;
  digest: string;
}

export interface LogArchive {
  /** Makes the archive's table where it is missing. */
  prepare(): Promise<void>;
  /** Adds rows of a UTC day (`2026-11-18`). */
  write(day: string, rows: readonly ArchivedRow[]): Promise<void>;
  /** The archive itself counts and hashes what it has. */
  digest(day: string): Promise<DayDigest>;
  /** Deletes a day; a day that it does not have is no error. */
  drop(day: string): Promise<void>;
  /** The line of a request of that day. */
  find(day: string, id: string): Promise<string | undefined>;
  /** Lines of these days, newest first, with ids below `before`. */
  list(filter: WideFilter, page: ArchivePage): Promise<string[]>;
  /**
   * Parts of the sums of one account's usage. One part more than MAX_PARTS is enough, since the caller then refuses.
   */
  sums(question: SumsQuestion): Promise<SumPart[]>;
  close(): Promise<void>;
}

/** UTC days, both included. */
export interface DaySpan {
  from: string;
  to: string;
}

export interface ArchivePage extends DaySpan {
  before: string | undefined;
  limit: number;
}

/**
 * What usage is summed by: a value that each request has, each of its tags, a span of time in a zone, a line of a file,
 * or everything.
 */
export type SumsBy =
  | 'model'
  | 'key'
  | 'endpoint'
  | 'user'
  | 'tag'
  | 'state'
  | 'error'
  | 'line'
  | 'all'
  | { span: 'hour' | 'day'; timeZone: string };

export interface SumsQuestion {
  by: SumsBy;
  days: DaySpan;
  accountId: string;
  /** Milliseconds since 1970; `from` is included, `to` is not. */
  from: number;
  to: number;
  keyIds: readonly string[] | undefined;
  model: string | undefined;
  endpoint: string | undefined;
  user: string | undefined;
  tag: string | undefined;
}

/** The most groups that are read; all of them are in memory at once. */
export const MAX_PARTS = 200_000;

export function archivedRow(record: RequestRecord): ArchivedRow {
  return {
    id: record.id,
    createdAt: record.createdAt,
    accountId: record.accountId,
    keyId: record.keyId,
    endpoint: record.endpoint,
    model: record.model,
    provider: record.provider ?? '',
    state: record.state,
    errorCode: record.errorCode ?? '',
    user: record.user ?? '',
    tags: record.tags,
    cost: record.cost,
    durationMs: record.durationMs,
    inputTokens: record.usage ? promptTokens(record.usage) : 0,
    cachedTokens: record.usage?.buckets.cacheRead ?? 0,
    outputTokens: record.usage ? completionTokens(record.usage) : 0,
    cacheAnswer: record.responseCache ?? '',
    saved: record.cacheSaved,
    line: encodeRecord(record),
  };
}

/**
 * The sum that an archive must report for the same lines: of the first 32 bits of their SHA-256, and of the next 32.
 */
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

/** Sums are kept modulo this, so that a number holds them exactly however many rows a day has. */
export const MODULUS = 2 ** 48;
