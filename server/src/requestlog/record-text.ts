/**
 * A request as one line of columns with tabs between them, written once: the same line goes into the journal and, with others,
 * into the database as one parameter, which takes it apart at the tabs (ledger/sql.ts). JSON would cost both sides three times
 * as much; only the part that nobody filters or adds up is JSON (record-detail.ts), and stands last.
 */
import { type Money, money } from '../core/money.ts';
import { completionTokens, promptTokens } from '../core/usage.ts';
import { parseBudgetId } from '../keys/index.ts';
import { closedRecord } from './closed-record.ts';
import type { RequestOpening, RequestRecord, RequestState } from './record.ts';
import { decodeDetail, encodeDetail, encodeUser } from './record-detail.ts';

const KNOWN_AT_OPENING = [
  'id',
  'created_at',
  'account_id',
  'key_id',
  'endpoint',
  'model',
  'stream',
  'held',
  'price_version',
  'day',
] as const;

/** Columns of an opening, in the order of its text. */
export const OPENING_COLUMNS = [...KNOWN_AT_OPENING, 'detail'] as const;

/** Columns of a closed request, in the order of its text. */
export const RECORD_COLUMNS = [
  ...KNOWN_AT_OPENING,
  'state',
  'error_code',
  'status',
  'input_tokens',
  'output_tokens',
  'cost',
  'provider',
  'provider_cost',
  'duration_ms',
  'counters',
  'detail',
] as const;

export type RecordColumn = (typeof RECORD_COLUMNS)[number];

/** Column values by name, as the text has them or as the database returns them: money as text, time in milliseconds. */
export type RequestRow = Partial<Record<RecordColumn, string | number | boolean | null>>;

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Between counters, in the text and in the database; ids have no spaces. */
const COUNTER_SEPARATOR = ' ';

export function encodeOpening(opening: RequestOpening): string {
  return `${openingText(opening, opening.day)}\t${encodeUser(opening.user)}`;
}

export function encodeRecord(record: RequestRecord): string {
  const { usage, errorCode, provider, providerCost } = record;
  const counters = countersOf(record.counters);
  const inputTokens = usage === null ? 0 : Math.round(promptTokens(usage));
  const outputTokens = usage === null ? 0 : Math.round(completionTokens(usage));
  return `${openingText(record, record.day ?? counters.day)}\t${record.state}\t${errorCode ?? ''}\t${record.status}\t${inputTokens}\t${outputTokens}\t${record.cost}\t${provider === null ? '' : column(provider)}\t${providerCost ?? ''}\t${Math.round(record.durationMs)}\t${counters.text}\t${encodeDetail(record, record.createdAt)}`;
}

function openingText(opening: RequestOpening, day: string | undefined): string {
  const { id, createdAt, accountId, keyId, endpoint, model, stream, held, priceVersion } = opening;
  return `${id}\t${createdAt}\t${column(accountId)}\t${column(keyId)}\t${endpoint}\t${column(model)}\t${stream ? 't' : 'f'}\t${held}\t${column(priceVersion)}\t${day ?? utcDay(createdAt)}`;
}

const ENDS_A_COLUMN = /[\0\t\n\r]/;

/**
 * The model of a refused request is whatever its client wrote. What would end a column or a line, or what PostgreSQL refuses
 * (NUL), becomes U+FFFD: one such request would make a whole batch unpostable.
 */
function column(text: string): string {
  return ENDS_A_COLUMN.test(text) ? text.replace(/[\0\t\n\r]/g, '\ufffd') : text;
}

interface Counters {
  text: string;
  day: string | undefined;
}

/** All requests of a key share one list of counters until a period ends (gateway/claims.ts), so it is read once. */
const knownCounters = new WeakMap<readonly string[], Counters>();

function countersOf(counters: readonly string[]): Counters {
  let known = knownCounters.get(counters);
  if (!known) {
    known = { text: column(counters.join(COUNTER_SEPARATOR)), day: dayOfCounters(counters) };
    knownCounters.set(counters, known);
  }
  return known;
}

/** The daily counter of the account is named after the day in its own calendar. */
function dayOfCounters(counters: readonly string[]): string | undefined {
  const daily = counters.find((counter) => counter.startsWith('cap:account:') && counter.includes(':daily:'));
  const budget = daily === undefined ? undefined : parseBudgetId(daily);
  return budget?.kind === 'cap' && DAY.test(budget.periodId) ? budget.periodId : undefined;
}

/** An opening whose process died: nobody knows what was delivered, so it is shown as interrupted and costs nothing. */
export function killedRecord(opening: RequestOpening): RequestRecord {
  return closedRecord(opening, {
    state: 'interrupted',
    errorCode: 'killed',
    status: 500,
    usage: null,
    cost: money(0n),
    formula: [],
    attempts: [],
    plan: [],
    providerCost: null,
    provider: null,
    firstEventMs: null,
    durationMs: 0,
    counters: [],
    retrievedTokens: 0,
    warnings: [],
  });
}

/** Every text begins with its id. */
export function idOf(text: string): string {
  return text.slice(0, text.indexOf('\t'));
}

/** The same text without its free-form part, for a database that refuses it. */
export function withoutDetail(text: string): string {
  return text.slice(0, text.lastIndexOf('\t') + 1);
}

export function decodeOpening(text: string): RequestOpening | undefined {
  const row = rowOf(text);
  return row && openingOf(row, decodeDetail(String(row.detail), 0).user);
}

/** Also of an opening: a request that runs is shown with what is known of it. */
export function decodeRecord(text: string): RequestRecord | undefined {
  const row = rowOf(text);
  return row && recordOf(row);
}

/** Undefined when the text is of neither kind. */
function rowOf(text: string): RequestRow | undefined {
  const values = text.split('\t');
  const names = [RECORD_COLUMNS, OPENING_COLUMNS].find((columns) => columns.length === values.length);
  if (!names) return undefined;
  const row: RequestRow = {};
  for (const [at, name] of names.entries()) row[name] = values[at] ?? '';
  return row;
}

/** Reads a row of the text or of the table; one still running has the neutral values of a request that did nothing yet. */
export function recordOf(row: RequestRow): RequestRecord {
  const { user, ...detail } = decodeDetail(String(row.detail), Number(row.created_at));
  return closedRecord(openingOf(row, user), {
    state: (row.state ?? 'running') as RequestState,
    errorCode: textOf(row.error_code),
    status: Number(row.status ?? 0),
    usage: detail.usage,
    cost: moneyOf(row.cost) ?? money(0n),
    formula: detail.formula,
    attempts: detail.attempts,
    plan: detail.plan,
    providerCost: moneyOf(row.provider_cost),
    provider: textOf(row.provider),
    firstEventMs: detail.firstEventMs,
    durationMs: Number(row.duration_ms ?? 0),
    counters: textOf(row.counters)?.split(COUNTER_SEPARATOR) ?? [],
    retrievedTokens: detail.retrievedTokens,
    warnings: detail.warnings,
  });
}

function openingOf(row: RequestRow, user: string | null): RequestOpening {
  return {
    id: String(row.id),
    createdAt: Number(row.created_at),
    accountId: String(row.account_id),
    keyId: String(row.key_id),
    endpoint: String(row.endpoint),
    model: String(row.model),
    // The driver makes a boolean of it, the text has a letter.
    stream: row.stream === true || row.stream === 't',
    held: moneyOf(row.held) ?? money(0n),
    priceVersion: String(row.price_version),
    user,
    day: String(row.day),
  };
}

/** An empty column of the text is a null of the table. */
function textOf(value: RequestRow[RecordColumn]): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function moneyOf(value: RequestRow[RecordColumn]): Money | null {
  return typeof value === 'string' && value !== '' ? money(BigInt(value)) : null;
}

let lastDay = { number: Number.NaN, text: '' };

function utcDay(atMs: number): string {
  const number = Math.floor(atMs / DAY_MS);
  // Formatting a date is dear and the day changes once in a day.
  if (number !== lastDay.number) lastDay = { number, text: new Date(number * DAY_MS).toISOString().slice(0, 10) };
  return lastDay.text;
}
