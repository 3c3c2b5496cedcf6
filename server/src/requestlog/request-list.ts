/**
 * The log of all accounts for staff: every filter, newest first, or the most expensive and slowest of a day. A filter
 * that an index answers (account, key, failures) uses it; any other filter is read in steps. Only failures have an
 * index of their own for it.
 */
import { HOUR_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { invalidRequest } from '../core/errors.ts';
import { timeOfId } from '../core/ids.ts';
import { refuseCursor } from '../keys/index.ts';
import { cutPage, listReasons, reportOn, stepSizes, type Walked, walk } from '../lists/index.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import type { ArchivedDays } from './archive/archived-days.ts';
import type { RequestRecord } from './record-columns.ts';
import type { WideFilter } from './request-filter.ts';
import {
  ACCOUNT_OF_KEY,
  below,
  belowSorted,
  countRequests,
  indexedConditions,
  lastOfStep,
  notBelow,
  otherConditions,
  readRequestRows,
  type SortedBy,
} from './request-list-rows.ts';

export type RequestSort = 'newest' | SortedBy;

export interface RequestPlace {
  after: string | null;
  limit: number;
  sort: RequestSort;
  /** People wait for a list; an export has connections of its own. */
  use: 'list' | 'job';
}

const SORTED_WITHIN_MS = 24 * HOUR_MS;
const ID = /^[\w-]{1,64}$/;
const VALUE = /^\d{1,38}$/;

export class RequestList {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #archived: ArchivedDays | undefined;

  constructor({ db, clock, archived }: { db: Database; clock: Clock; archived?: ArchivedDays | undefined }) {
    this.#db = db;
    this.#clock = clock;
    this.#archived = archived;
  }

  /** Sorted lists read the log alone; the newest-first list goes on into the archive. */
  async page(filter: WideFilter, place: RequestPlace): Promise<Walked<RequestRecord>> {
    const known = await this.#ofKey(filter);
    const { sort, after, limit, use } = place;
    if (sort !== 'newest') return this.#sorted(known, { ...place, sort });
    const found = await this.#newest(known, place);
    if (!this.#archived) return found;
    return this.#archived.goOn(found, known, { before: after ?? undefined, limit, isWhole: use === 'job' });
  }

  async #newest(known: WideFilter, place: RequestPlace): Promise<Walked<RequestRecord>> {
    const indexed = indexedConditions(known);
    const others = otherConditions(known);
    const after = place.after === null ? null : (checkedId(place.after) ?? refuseCursor());
    if (others.parts.length === 0) {
      const rows = await this.#report(place.use, (tx) => readRequestRows(tx, [indexed, below(after)], place.limit + 1));
      return cutPage(rows, place.limit, ({ id }) => id);
    }
    return walk({
      clock: this.#clock,
      wanted: place.limit,
      place: after,
      sizes: stepSizes(this.#db.kind),
      step: (from, size, room) =>
        this.#report(place.use, async (tx) => {
          const end = await lastOfStep(tx, [indexed, below(from)], size);
          const looked = [indexed, below(from), ...(end === null ? [] : [notBelow(end)])];
          const rows = await readRequestRows(tx, [...looked, others], room);
          const isFull = rows.length === room;
          const last = isFull ? (rows.at(-1)?.id ?? null) : end;
          return { rows, place: last, reachedMs: last === null ? null : (timeOfId(last) ?? null) };
        }),
    });
  }

  /** The number of requests, up to a limit; null where no index answers it, or the archive has some of them. */
  async count(filter: WideFilter, max: number): Promise<number | null> {
    const known = await this.#ofKey(filter);
    if (otherConditions(known).parts.length > 0 || (await this.#archived?.hasSome(known.from, known.to))) return null;
    return this.#report('list', (tx) => countRequests(tx, indexedConditions(known), max));
  }

  /** A key belongs to one account, whose requests an index finds. */
  async #ofKey(filter: WideFilter): Promise<WideFilter> {
    if (filter.keyId === undefined || filter.accountId !== undefined) return filter;
    const key = await ACCOUNT_OF_KEY.first(this.#db, [filter.keyId]);
    return key ? { ...filter, accountId: key.account } : filter;
  }

  /** Reads all requests of at most one day, on the connections of reports. */
  async #sorted(
    filter: WideFilter,
    { sort, after, limit, use }: RequestPlace & { sort: SortedBy },
  ): Promise<Walked<RequestRecord>> {
    const to = filter.to ?? this.#clock.now();
    const from = filter.from ?? to - SORTED_WITHIN_MS;
    if (to - from > SORTED_WITHIN_MS) throw invalidRequest('sort', listReasons.sortNeedsRange(1));
    const span = { ...filter, from, to };
    const conditions = [indexedConditions(span), otherConditions(span)];
    if (after !== null) {
      const [value = '', id = ''] = after.split(':');
      if (!VALUE.test(value) || !ID.test(id)) refuseCursor();
      conditions.push(belowSorted(sort, value, id));
    }
    const rows = await this.#report(use, (tx) => readRequestRows(tx, conditions, limit + 1, sort));
    const sortedBy = (record: RequestRecord) => (sort === 'dearest' ? record.cost : record.durationMs);
    return cutPage(rows, limit, (record) => `${sortedBy(record)}:${record.id}`);
  }

  #report<T>(use: 'list' | 'job', work: (tx: Queryable) => Promise<T>): Promise<T> {
    return reportOn(this.#db, use, work);
  }
}

function checkedId(text: string): string | undefined {
  return ID.test(text) ? text : undefined;
}
