/**
 * A request as one line of columns with tabs between them, written once: the same line goes into the journal and, with others,
 * into the database as one parameter, which takes it apart at the tabs (ledger/sql.ts). JSON would cost both sides three times
 * as much; only the part that nobody filters or adds up is JSON (record-detail.ts), and stands last.
 */
import { type Money, money } from '../core/money.ts';
import { completionTokens, promptTokens } from '../core/usage.ts';
import { closedRecord } from './closed-record.ts';
import { countersOf, countersText } from './counters-text.ts';
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

/**
 * Columns that many requests of one caller have alike. They stand together as one part of the text, so that the database takes
 * them apart once for all requests of a batch that have the same part.
 */
export const SHARED_COLUMNS = [
  'account_id',
  'key_id',
  'endpoint',
  'model',
  'stream',
  'price_version',
  'day',
  'state',
  'error_code',
  'status',
  'provider',
  'counters',
] as const;

/** Parts of a closed request's text, in their order. */
export const RECORD_PARTS = [
  'id',
  'created_at',
  'shared',
  'held',
  'input_tokens',
  'output_tokens',
  'cost',
  'provider_cost',
  'duration_ms',
  'detail',
] as const;

/** Between shared columns. */
export const SHARED_SEPARATOR = '\f';

type RecordPart = (typeof RECORD_PARTS)[number];
export type RecordColumn = Exclude<RecordPart, 'shared'> | (typeof SHARED_COLUMNS)[number];

/** Column values by name, as the text has them or as the database returns them: money as text, time in milliseconds. */
export type RequestRow = Partial<Record<RecordColumn, string | number | boolean | null>>;

const DAY_MS = 86_400_000;

export function encodeOpening(opening: RequestOpening): string {
  return `${openingText(opening, opening.day)}\t${encodeUser(opening.user)}`;
}

export function encodeRecord(record: RequestRecord): string {
  const { usage, providerCost } = record;
  const inputTokens = usage === null ? 0 : Math.round(promptTokens(usage));
  const outputTokens = usage === null ? 0 : Math.round(completionTokens(usage));
  return `${record.id}\t${record.createdAt}\t${sharedText(record)}\t${record.held}\t${inputTokens}\t${outputTokens}\t${record.cost}\t${providerCost ?? ''}\t${Math.round(record.durationMs)}\t${encodeDetail(record, record.createdAt)}`;
}

function sharedText(record: RequestRecord): string {
  const { accountId, keyId, endpoint, model, stream, priceVersion, state, errorCode, status, provider } = record;
  const counters = countersText(record.counters, keyId, accountId);
  const day = record.day ?? counters.day ?? utcDay(record.createdAt);
  return `${column(accountId)}\f${column(keyId)}\f${endpoint}\f${column(model)}\f${stream ? 't' : 'f'}\f${column(priceVersion)}\f${day}\f${state}\f${errorCode ?? ''}\f${status}\f${provider === null ? '' : column(provider)}\f${column(counters.text)}`;
}

function openingText(opening: RequestOpening, day: string | undefined): string {
  const { id, createdAt, accountId, keyId, endpoint, model, stream, held, priceVersion } = opening;
  return `${id}\t${createdAt}\t${column(accountId)}\t${column(keyId)}\t${endpoint}\t${column(model)}\t${stream ? 't' : 'f'}\t${held}\t${column(priceVersion)}\t${day ?? utcDay(createdAt)}`;
}

const ENDS_A_COLUMN = /[\0\t\n\r\f]/;

/**
 * The model of a refused request is whatever its client wrote. What would end a column or a line, or what PostgreSQL refuses
 * (NUL), becomes U+FFFD: one such request would make a whole batch unpostable.
 */
function column(text: string): string {
  return ENDS_A_COLUMN.test(text) ? text.replace(/[\0\t\n\r\f]/g, '\ufffd') : text;
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

/** False for the text of an earlier build. */
export function isRecordText(text: string): boolean {
  return text.split('\t').length === RECORD_PARTS.length;
}

/** Undefined when the text is of neither kind. */
function rowOf(text: string): RequestRow | undefined {
  const values = text.split('\t');
  if (values.length === OPENING_COLUMNS.length) return named(OPENING_COLUMNS, values);
  if (values.length !== RECORD_PARTS.length) return undefined;
  const { shared, ...own } = named(RECORD_PARTS, values);
  return { ...own, ...named(SHARED_COLUMNS, String(shared).split(SHARED_SEPARATOR)) };
}

function named<Name extends string>(names: readonly Name[], values: readonly string[]): Partial<Record<Name, string>> {
  const row: Partial<Record<Name, string>> = {};
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
    counters: countersOf(textOf(row.counters) ?? '', String(row.key_id), String(row.account_id)),
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
