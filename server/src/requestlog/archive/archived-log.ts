/** The request log with the days that only the archive has: one request, and lists that go on where the log ends. */
import { timeOfId } from '../../core/ids.ts';
import type { Database } from '../../platform/db/index.ts';
import type { RequestRecord } from '../record-columns.ts';
import { decodeRecord } from '../record-text.ts';
import type { RequestFilter } from '../request-filter.ts';
import type { RequestLog } from '../store.ts';
import type { LogArchive } from './log-archive.ts';
import { MOVED_DAYS } from './move-day-sql.ts';

const MAX_PAGE = 500;

interface Days {
  from: string;
  to: string;
}

export function withArchive(log: RequestLog, { db, archive }: { db: Database; archive: LogArchive }): RequestLog {
  return {
    ...log,
    async find(id, accountId) {
      const known = await log.find(id, accountId);
      const day = dayOf(timeOfId(id));
      if (known !== undefined || day === undefined || !(await movedDays(db, day, day))) return known;
      const line = await archive.find(day, id);
      const found = line === undefined ? undefined : decodeRecord(line);
      return accountId === undefined || found?.accountId === accountId ? found : undefined;
    },
    async list(filter, page) {
      const size = Math.max(1, Math.min(page.limit, MAX_PAGE));
      const known = await log.list(filter, { ...page, limit: size });
      const days = await movedDays(db, dayOf(filter.from), dayOf(earliest(filter.to, timeOfId(page.before ?? ''))));
      // Nothing of the archive comes before the end of a full page that is newer.
      const last = known.requests.at(-1);
      if (!days || (known.next !== null && last && (dayOf(timeOfId(last.id)) ?? '') > days.to)) return known;
      const lines = await archive.list(filter, { before: page.before, limit: size + 1, ...days });
      return onePage(known, lines, size);
    },
  };
}

/** Both are newest first; a page of the log that says that there is more has been cut where it ends. */
function onePage(known: Awaited<ReturnType<RequestLog['list']>>, lines: readonly string[], size: number) {
  const archived = lines.flatMap((line) => decodeRecord(line) ?? []);
  const ids = new Set(known.requests.map(({ id }) => id));
  const all: RequestRecord[] = [...known.requests, ...archived.filter(({ id }) => !ids.has(id))];
  all.sort((a, b) => (a.id < b.id ? 1 : -1));
  const requests = all.slice(0, size);
  const isMore = all.length > size || known.next !== null;
  return { requests, next: isMore ? (requests.at(-1)?.id ?? null) : null };
}

async function movedDays(db: Database, from: string | undefined, to: string | undefined): Promise<Days | undefined> {
  const days = await MOVED_DAYS.only(db, [from ?? null, to ?? null]);
  return days.from && days.to ? { from: days.from, to: days.to } : undefined;
}

function earliest(a: RequestFilter['to'], b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

/** In UTC, as partitions have it. */
function dayOf(atMs: number | undefined): string | undefined {
  return atMs === undefined ? undefined : new Date(Math.min(MAX_DATE_MS, Math.max(0, atMs))).toISOString().slice(0, 10);
}

/** Years have four digits until then. */
const MAX_DATE_MS = Date.UTC(9999, 0);
