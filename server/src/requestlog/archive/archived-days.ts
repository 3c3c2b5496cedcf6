/**
 * Reads the days that only the archive has: a request, pages that go on where the log ends, sums of usage. The archive
 * is another server. One that is slow or dead must not keep the log's own rows from anybody, so a read has a time
 * limit, and after a failure the archive is not asked for a while.
 */
import { DAY_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { firstIdAt, timeOfId } from '../../core/ids.ts';
import type { Walked } from '../../lists/index.ts';
import type { Database } from '../../platform/db/index.ts';
import type { Log } from '../../platform/log.ts';
import type { RequestRecord } from '../record-columns.ts';
import { decodeRecord } from '../record-text.ts';
import type { WideFilter } from '../request-filter.ts';
import type { SumPart } from '../usage-sums.ts';
import { archiveReasons } from './archive-reasons.ts';
import type { DaySpan, LogArchive, SumsQuestion } from './log-archive.ts';
import { MOVED_DAYS } from './move-day-sql.ts';

export interface ArchivedDaysOptions {
  db: Database;
  archive: LogArchive;
  clock: Clock;
  log: Log;
  /** How long a read may take. */
  readMs?: number;
  /** How long the archive is not asked after a read that failed. */
  pauseMs?: number;
}

export interface PageAsked {
  before: string | undefined;
  limit: number;
  /** Fails rather than returning a page without the archive's rows; files need this. */
  isWhole?: boolean;
}

export interface ArchivedDays {
  find(id: string): Promise<RequestRecord | undefined>;
  /** The spend counters of a request; undefined while the log has it. */
  counters(id: string): Promise<readonly string[] | undefined>;
  /** Adds what the archive has of a page that the log gave. */
  goOn(known: Walked<RequestRecord>, filter: WideFilter, asked: PageAsked): Promise<Walked<RequestRecord>>;
  /** True when a day of this span has moved to the archive. */
  hasSome(from: number | undefined, to: number | undefined): Promise<boolean>;
  /** Undefined when no day of this span has moved to the archive. */
  sums(question: Omit<SumsQuestion, 'days'>): Promise<SumPart[] | undefined>;
}

const READ_MS = 3_000;
const PAUSE_MS = 10_000;

export function createArchivedDays(options: ArchivedDaysOptions): ArchivedDays {
  const { db, archive } = options;
  const read = boundedReads(options);
  const find = async (id: string): Promise<RequestRecord | null | undefined> => {
    const day = dayOf(timeOfId(id));
    if (day === undefined || !(await movedDays(db, day, day))) return undefined;
    const line = await read(() => archive.find(day, id));
    return (line === undefined ? undefined : decodeRecord(line)) ?? null;
  };
  return {
    find: async (id) => (await find(id)) ?? undefined,
    async counters(id) {
      const found = await find(id);
      return found === undefined ? undefined : (found?.counters ?? []);
    },
    async goOn(known, filter, asked) {
      const { before, limit } = asked;
      const days = await movedDays(db, dayOf(filter.from), dayOf(earliest(filter.to, timeOfId(before ?? ''))));
      // A page of the log that ends after the archive's last day is complete.
      if (!days || (known.next !== null && (dayOf(timeOfId(known.next)) ?? '') > days.to)) return known;
      try {
        const lines = await read(() => archive.list(filter, { before, limit: limit + 1, ...days }));
        return onePage(known, lines, limit);
      } catch (error) {
        const newer = withoutArchive(known, days);
        // The reader already has everything up to the end of the log: answering it again would make them ask for ever.
        if (asked.isWhole || (newer.rows.length === 0 && before !== undefined)) throw error;
        return newer;
      }
    },
    hasSome: async (from, to) => (await movedDays(db, dayOf(from), dayOf(to))) !== undefined,
    async sums(question) {
      const days = await movedDays(db, dayOf(question.from), dayOf(question.to - 1));
      if (!days) return undefined;
      return read(() => archive.sums({ ...question, days }));
    },
  };
}

/** Runs reads with a time limit. A read that fails becomes an error that says when to ask again. */
function boundedReads({ clock, log, readMs = READ_MS, pauseMs = PAUSE_MS }: ArchivedDaysOptions) {
  let pausedUntil = Number.NEGATIVE_INFINITY;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    const now = clock.monotonicMs();
    if (now < pausedUntil) throw away(pausedUntil - now);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`the archive did not answer within ${readMs} ms`)), readMs);
    });
    try {
      return await Promise.race([work(), late]);
    } catch (error) {
      pausedUntil = clock.monotonicMs() + pauseMs;
      log.warn({ err: error, pauseMs }, 'the archive of the request log does not answer; lists end where the log ends');
      throw away(pauseMs, error);
    } finally {
      clearTimeout(timer);
    }
  };
}

function away(retryAfterMs: number, cause?: unknown): GatewayError {
  return new GatewayError('overloaded', { instead: archiveReasons.away, retryAfterMs, cause });
}

/** Both are newest first. When the log says that it has more, the page is cut where the log's part ends. */
function onePage(known: Walked<RequestRecord>, lines: readonly string[], limit: number): Walked<RequestRecord> {
  const ids = new Set(known.rows.map(({ id }) => id));
  const archived = lines
    .flatMap((line) => decodeRecord(line) ?? [])
    .filter(({ id }) => !ids.has(id) && (known.next === null || id >= known.next));
  const all = [...known.rows, ...archived].sort((a, b) => (a.id < b.id ? 1 : -1));
  const rows = all.slice(0, limit);
  if (all.length > limit) return { rows, next: rows.at(-1)?.id ?? null, searchedBackTo: null };
  return { ...known, rows };
}

/** Returns the rows that are newer than the whole archive. The next page begins with the archive. */
function withoutArchive({ rows }: Walked<RequestRecord>, { to }: DaySpan): Walked<RequestRecord> {
  const end = Date.parse(to) + DAY_MS;
  const first = firstIdAt('req', end);
  return { rows: rows.filter(({ id }) => id >= first), next: first, searchedBackTo: end };
}

async function movedDays(db: Database, from: string | undefined, to: string | undefined): Promise<DaySpan | undefined> {
  const days = await MOVED_DAYS.only(db, [from ?? null, to ?? null]);
  return days.from && days.to ? { from: days.from, to: days.to } : undefined;
}

function earliest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

/** Days are in UTC, as the partitions are. */
function dayOf(atMs: number | undefined): string | undefined {
  return atMs === undefined ? undefined : new Date(Math.min(MAX_DATE_MS, Math.max(0, atMs))).toISOString().slice(0, 10);
}

/** The last moment whose year has four digits. */
const MAX_DATE_MS = Date.UTC(9999, 0);
