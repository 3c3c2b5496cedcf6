/**
 * The log of all accounts for staff: every filter, newest first, or the dearest and slowest of a day. What an index knows (account,
 * key, failures) is read by it; any other filter is walked in steps. No index is written for it but that of failures.
 */
import { HOUR_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { invalidRequest } from '../core/errors.ts';
import { firstIdAt, LAST_MS, timeOfId } from '../core/ids.ts';
import { refuseCursor } from '../keys/index.ts';
import { cutPage, listReasons, reportOn, stepSizes, type Walked, walk } from '../lists/index.ts';
import { adder, type Conditions, joined } from '../platform/db/conditions.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import type { RequestRecord } from './record-columns.ts';
import { READ_COLUMNS } from './record-sql.ts';
import { recordOf } from './record-text.ts';
import type { RequestFilter } from './store.ts';
import { escapedText, USER_COLUMN } from './usage.ts';

export interface WideFilter extends RequestFilter {
  provider?: string | undefined;
  /** The beginning of an id. */
  idBegins?: string | undefined;
}

export type RequestSort = 'newest' | 'dearest' | 'slowest';

export interface RequestPlace {
  after: string | null;
  limit: number;
  sort: RequestSort;
  /** People wait for a list; an export has connections of its own. */
  use: 'list' | 'job';
}

type Row = Record<string, string | null>;
/** Times in ids only pick the partitions. */
const SLACK_MS = 60_000;
const SORTED_WITHIN_MS = 24 * HOUR_MS;
const SORT_COLUMNS = { dearest: 'cost', slowest: 'duration_ms' } as const;
const ID = /^[\w-]{1,64}$/;
const VALUE = /^\d{1,38}$/;

export class RequestList {
  readonly #db: Database;
  readonly #clock: Clock;

  constructor({ db, clock }: { db: Database; clock: Clock }) {
    this.#db = db;
    this.#clock = clock;
  }

  async page(filter: WideFilter, place: RequestPlace): Promise<Walked<RequestRecord>> {
    const known = await this.#ofKey(filter);
    if (place.sort !== 'newest') return this.#sorted(known, place);
    const indexed = indexedConditions(known);
    const others = otherConditions(known);
    const after = place.after === null ? null : (checkedId(place.after) ?? refuseCursor());
    if (others.parts.length === 0) {
      const rows = await this.#report(place.use, (tx) => readRows(tx, [indexed, below(after)], place.limit + 1));
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
          const rows = await readRows(tx, [...looked, others], room);
          const isFull = rows.length === room;
          const last = isFull ? (rows.at(-1)?.id ?? null) : end;
          return { rows, place: last, reachedMs: last === null ? null : (timeOfId(last) ?? null) };
        }),
    });
  }

  /** How many there are, up to a bound; null where an index does not know. */
  async count(filter: WideFilter, max: number): Promise<number | null> {
    const known = await this.#ofKey(filter);
    if (otherConditions(known).parts.length > 0) return null;
    const { text, values } = joined([indexedConditions(known)]);
    return this.#report('list', async (tx) => {
      const [row] = await tx.query<{ n: number }>(
        `select count(*)::integer as n from (select from request_log ${text} order by id desc limit ${max + 1}) as counted`,
        values,
      );
      return row?.n ?? 0;
    });
  }

  /** A key is of one account, whose requests an index finds. */
  async #ofKey(filter: WideFilter): Promise<WideFilter> {
    if (filter.keyId === undefined || filter.accountId !== undefined) return filter;
    const [key] = await this.#db.query<{ account: string }>('select account_id as account from api_key where id = $1', [
      filter.keyId,
    ]);
    return key ? { ...filter, accountId: key.account } : filter;
  }

  /** All of at most a day are read, on the connections of reports. */
  async #sorted(filter: WideFilter, { sort, after, limit, use }: RequestPlace): Promise<Walked<RequestRecord>> {
    const column = SORT_COLUMNS[sort as keyof typeof SORT_COLUMNS];
    const to = filter.to ?? this.#clock.now();
    const from = filter.from ?? to - SORTED_WITHIN_MS;
    if (to - from > SORTED_WITHIN_MS) throw invalidRequest('sort', listReasons.sortNeedsRange(1));
    const span = { ...filter, from, to };
    const conditions = [indexedConditions(span), otherConditions(span)];
    if (after !== null) {
      const [value = '', id = ''] = after.split(':');
      if (!VALUE.test(value) || !ID.test(id)) refuseCursor();
      conditions.push({ parts: [`(${column}, id) < (§::numeric, §)`], values: [value, id] });
    }
    const rows = await this.#report(use, (tx) => readRows(tx, conditions, limit + 1, `${column} desc, id desc`));
    const sortedBy = (record: RequestRecord) => (sort === 'dearest' ? record.cost : record.durationMs);
    return cutPage(rows, limit, (record) => `${sortedBy(record)}:${record.id}`);
  }

  #report<T>(use: 'list' | 'job', work: (tx: Queryable) => Promise<T>): Promise<T> {
    return reportOn(this.#db, use, work);
  }
}

/** What the key of the table, the index of accounts and those of failures find; the time also picks the partitions. */
function indexedConditions({ accountId, state, errorCode, from, to, idBegins }: WideFilter): Conditions {
  const found: Conditions = { parts: [], values: [] };
  const add = adder(found);
  add('account_id = ?', accountId);
  // In the words of the partial indexes, so that the planner knows them.
  if ((state !== undefined && state !== 'completed') || errorCode !== undefined)
    found.parts.push(`state <> 'completed'`);
  if (from !== undefined) {
    add('created_at >= ?', new Date(from));
    add('id >= ?', firstIdAt('req', Math.min(LAST_MS, Math.max(0, Math.floor(from)))));
  }
  if (to !== undefined) {
    add('created_at < ?', new Date(to));
    add('id < ?', firstIdAt('req', Math.min(LAST_MS, Math.max(0, Math.ceil(to)))));
  }
  if (idBegins !== undefined) {
    add('id >= ?', idBegins);
    add('id < ?', `${idBegins}~`);
  }
  return found;
}

function otherConditions(filter: WideFilter): Conditions {
  const found: Conditions = { parts: [], values: [] };
  const add = adder(found);
  add('key_id = ?', filter.keyId);
  add('model = ?', filter.model);
  add('provider = ?', filter.provider);
  add('endpoint = ?', filter.endpoint);
  add('state = ?', filter.state);
  add('error_code = ?', filter.errorCode);
  add('cost > ?::numeric', filter.costOver?.toString());
  add('duration_ms > ?', filter.slowerThanMs);
  if (filter.user !== undefined) {
    found.values.push(escapedText(filter.user));
    found.parts.push(`${USER_COLUMN} = §`);
  }
  return found;
}

function below(id: string | null): Conditions {
  if (id === null) return { parts: [], values: [] };
  const at = timeOfId(id);
  const found: Conditions = { parts: ['id < §'], values: [id] };
  // Ids begin with the time of the request: later partitions need not be opened.
  if (at !== undefined) {
    found.parts.push('created_at < §');
    found.values.push(new Date(at + SLACK_MS));
  }
  return found;
}

function notBelow(id: string): Conditions {
  const at = timeOfId(id);
  const found: Conditions = { parts: ['id >= §'], values: [id] };
  if (at !== undefined) {
    found.parts.push('created_at >= §');
    found.values.push(new Date(at - SLACK_MS));
  }
  return found;
}

async function readRows(
  tx: Queryable,
  conditions: readonly Conditions[],
  limit: number,
  order = 'id desc',
): Promise<RequestRecord[]> {
  const { text, values } = joined(conditions);
  const rows = await tx.query<Row>(
    `select ${READ_COLUMNS} from request_log ${text} order by ${order} limit ${Math.trunc(limit)}`,
    values,
  );
  return rows.map(recordOf);
}

/** The id at which a step of so many rows ends; null when fewer are left. */
async function lastOfStep(tx: Queryable, conditions: readonly Conditions[], size: number): Promise<string | null> {
  const { text, values } = joined(conditions);
  const [row] = await tx.query<{ id: string }>(
    `select id from request_log ${text} order by id desc offset ${Math.trunc(size) - 1} limit 1`,
    values,
  );
  return row?.id ?? null;
}

function checkedId(text: string): string | undefined {
  return ID.test(text) ? text : undefined;
}
