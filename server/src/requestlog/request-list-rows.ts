/** The statements of the staff's list of requests, and the conditions that its filters become. */
import { firstIdAt, LAST_MS, timeOfId } from '../core/ids.ts';
import { adder, type Conditions, joined } from '../platform/db/conditions.ts';
import { column, type Queryable, statement, statementFor } from '../platform/db/index.ts';
import { escapedText, USER_COLUMN } from './detail-sql.ts';
import type { RequestRecord } from './record-columns.ts';
import { READ_COLUMNS, recordRow } from './record-sql.ts';
import { recordOf } from './record-text.ts';
import type { WideFilter } from './request-filter.ts';

export type SortedBy = 'dearest' | 'slowest';

/** Times in ids only choose the partitions, so some slack does no harm. */
const SLACK_MS = 60_000;
const SORT_COLUMNS = { dearest: 'cost', slowest: 'duration_ms' } as const;
const ORDERS = {
  newest: 'id desc',
  dearest: `${SORT_COLUMNS.dearest} desc, id desc`,
  slowest: `${SORT_COLUMNS.slowest} desc, id desc`,
} as const;

/**
 * The conditions that the primary key, the index of accounts and those of failures can answer; the time also chooses
 * the partitions.
 */
export function indexedConditions({ accountId, state, errorCode, from, to, idBegins }: WideFilter): Conditions {
  const found: Conditions = { parts: [], values: [] };
  const add = adder(found);
  add('account_id = ?', accountId);
  // Written as in the partial indexes, so that the planner uses them.
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

export function otherConditions(filter: WideFilter): Conditions {
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

export function below(id: string | null): Conditions {
  if (id === null) return { parts: [], values: [] };
  const at = timeOfId(id);
  const found: Conditions = { parts: ['id < §'], values: [id] };
  // Ids begin with the time of the request, so later partitions need not be opened.
  if (at !== undefined) {
    found.parts.push('created_at < §');
    found.values.push(new Date(at + SLACK_MS));
  }
  return found;
}

export function notBelow(id: string): Conditions {
  const at = timeOfId(id);
  const found: Conditions = { parts: ['id >= §'], values: [id] };
  if (at !== undefined) {
    found.parts.push('created_at >= §');
    found.values.push(new Date(at - SLACK_MS));
  }
  return found;
}

/** The condition for what comes after this value and id in a sorted list. */
export function belowSorted(sort: SortedBy, value: string, id: string): Conditions {
  return { parts: [`(${SORT_COLUMNS[sort]}, id) < (§::numeric, §)`], values: [value, id] };
}

/** Every filter at once, for the test of all statements. */
const FILTER: WideFilter = {
  accountId: '',
  keyId: '',
  model: '',
  provider: '',
  endpoint: '',
  state: 'failed',
  from: 0,
  to: 0,
  errorCode: '',
  user: '',
  costOver: 0n,
  slowerThanMs: 0,
  idBegins: '',
};
const FROM_ID = firstIdAt('req', 0);
const PLACE = [below(FROM_ID), notBelow(FROM_ID)];
const whereOf = (...conditions: Conditions[]) => joined(conditions).text;

const REQUESTS = statementFor(
  recordRow,
  (where: string, order: keyof typeof ORDERS, limit: number) =>
    `select ${READ_COLUMNS} from request_log ${where} order by ${ORDERS[order]} limit ${Math.trunc(limit)}`,
  ['', 'newest', 1],
  [whereOf(indexedConditions(FILTER), ...PLACE, otherConditions(FILTER)), 'newest', 1],
  [whereOf(indexedConditions(FILTER), otherConditions(FILTER), belowSorted('dearest', '0', '')), 'dearest', 1],
  [whereOf(indexedConditions(FILTER), otherConditions(FILTER), belowSorted('slowest', '0', '')), 'slowest', 1],
);

export async function readRequestRows(
  tx: Queryable,
  conditions: readonly Conditions[],
  limit: number,
  order: keyof typeof ORDERS = 'newest',
): Promise<RequestRecord[]> {
  const { text, values } = joined(conditions);
  return (await REQUESTS(text, order, limit).rows(tx, values)).map(recordOf);
}

const LAST_OF_STEP = statementFor(
  { id: column.text },
  (where: string, size: number) =>
    `select id from request_log ${where} order by id desc offset ${Math.trunc(size) - 1} limit 1`,
  [whereOf(indexedConditions(FILTER), ...PLACE), 1],
);

/** The id at which a step of so many rows ends; null when fewer are left. */
export async function lastOfStep(
  tx: Queryable,
  conditions: readonly Conditions[],
  size: number,
): Promise<string | null> {
  const { text, values } = joined(conditions);
  const row = await LAST_OF_STEP(text, size).first(tx, values);
  return row?.id ?? null;
}

const COUNT_REQUESTS = statementFor(
  { n: column.int },
  (where: string, max: number) =>
    `select count(*)::integer as n from (select from request_log ${where} order by id desc limit ${max + 1}) as counted`,
  [whereOf(indexedConditions(FILTER)), 1],
);

/** Counts the requests, up to one more than `max`. */
export async function countRequests(tx: Queryable, conditions: Conditions, max: number): Promise<number> {
  const { text, values } = joined([conditions]);
  const { n } = await COUNT_REQUESTS(text, max).only(tx, values);
  return n;
}

export const ACCOUNT_OF_KEY = statement(
  { account: column.text },
  'select account_id as account from api_key where id = $1',
);
