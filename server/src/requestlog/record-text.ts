/**
 * A request as one JSON text, written once: the same text goes into the journal and, joined with others, into the database
 * as one parameter. Keys are column names and money is decimal text, so that PostgreSQL reads it without a second encoding.
 */
import { isJsonObject, type Json, type JsonObject, parseTrustedJson } from '../core/json.ts';
import { type Money, money } from '../core/money.ts';
import type { CostLine } from '../core/price.ts';
import { completionTokens, promptTokens, type Usage } from '../core/usage.ts';
import { parseBudgetId } from '../keys/index.ts';
import { closedRecord } from './closed-record.ts';
import type { AttemptRecord, RequestOpening, RequestRecord, RequestState } from './record.ts';

/** Column values as they stand in the text and as the database returns them (money as text, time in milliseconds). */
export type RequestRow = JsonObject;

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Counters stand one per line: a list type would cost more to read than the whole rest of the row. */
const COUNTER_SEPARATOR = '\n';

export function encodeOpening(opening: RequestOpening): string {
  const row: RequestRow = {
    id: opening.id,
    created_at: opening.createdAt,
    account_id: opening.accountId,
    key_id: opening.keyId,
    endpoint: opening.endpoint,
    model: opening.model,
    stream: opening.stream,
    held: String(opening.held),
    price_version: opening.priceVersion,
    day: opening.day ?? utcDay(opening.createdAt),
    detail: { user: opening.user },
  };
  return storable(JSON.stringify(row));
}

/** One literal: fields added one by one would make the engine walk through twenty shapes for every request. */
export function encodeRecord(record: RequestRecord): string {
  const { usage } = record;
  const counters = countersOf(record.counters);
  const row: RequestRow = {
    id: record.id,
    created_at: record.createdAt,
    account_id: record.accountId,
    key_id: record.keyId,
    endpoint: record.endpoint,
    model: record.model,
    stream: record.stream,
    held: String(record.held),
    price_version: record.priceVersion,
    day: record.day ?? counters.day ?? utcDay(record.createdAt),
    state: record.state,
    error_code: record.errorCode,
    status: record.status,
    input_tokens: usage === null ? 0 : Math.round(promptTokens(usage)),
    output_tokens: usage === null ? 0 : Math.round(completionTokens(usage)),
    cost: String(record.cost),
    provider: record.provider,
    provider_cost: record.providerCost === null ? null : String(record.providerCost),
    duration_ms: Math.round(record.durationMs),
    counters: counters.text,
    detail: detailOf(record),
  };
  return storable(JSON.stringify(row));
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
    known = { text: counters.join(COUNTER_SEPARATOR), day: dayOfCounters(counters) };
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

/** What is only ever read with its request. Lines of the formula are tuples: they are the bulk of many receipts. */
function detailOf(record: RequestRecord): JsonObject {
  return {
    // What is empty is left out, as the reader knows: every byte here is written three times (journal, log, database).
    user: record.user ?? undefined,
    usage: record.usage as unknown as Json,
    formula: record.formula.map((line) => [line.bucket, line.units, String(line.unitPrice), String(line.amount)]),
    attempts: record.attempts as unknown as Json,
    plan: record.plan,
    firstEventMs: record.firstEventMs,
    retrievedTokens: record.retrievedTokens === 0 ? undefined : record.retrievedTokens,
    warnings: record.warnings.length === 0 ? undefined : record.warnings,
  };
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

/** The same text without its free-form part, for a database that refuses it. */
export function withoutDetail(text: string): string | undefined {
  const row = parseTrustedJson(text);
  if (!isJsonObject(row)) return undefined;
  return JSON.stringify({ ...row, detail: null });
}

export function decodeOpening(text: string): RequestOpening | undefined {
  const row = parseTrustedJson(text);
  return isJsonObject(row) ? openingOf(row) : undefined;
}

export function decodeRecord(text: string): RequestRecord | undefined {
  const row = parseTrustedJson(text);
  return isJsonObject(row) ? recordOf(row) : undefined;
}

/** Reads a row of the text or of the table; one still running has the neutral values of a request that did nothing yet. */
export function recordOf(row: RequestRow): RequestRecord {
  const detail = readDetail(row);
  const counters = row['counters'];
  return closedRecord(openingOf(row), {
    state: (row['state'] ?? 'running') as RequestState,
    errorCode: (row['error_code'] ?? null) as string | null,
    status: Number(row['status'] ?? 0),
    usage: (detail['usage'] ?? null) as Usage | null,
    cost: moneyOf(row['cost']) ?? money(0n),
    formula: ((detail['formula'] ?? []) as [CostLine['bucket'], number, string, string][]).map(readCostLine),
    attempts: (detail['attempts'] ?? []) as unknown as AttemptRecord[],
    plan: (detail['plan'] ?? []) as string[],
    providerCost: moneyOf(row['provider_cost']),
    provider: (row['provider'] ?? null) as string | null,
    firstEventMs: (detail['firstEventMs'] ?? null) as number | null,
    durationMs: Number(row['duration_ms'] ?? 0),
    counters: typeof counters === 'string' && counters !== '' ? counters.split(COUNTER_SEPARATOR) : [],
    retrievedTokens: Number(detail['retrievedTokens'] ?? 0),
    warnings: (detail['warnings'] ?? []) as string[],
  });
}

function openingOf(row: RequestRow): RequestOpening {
  return {
    id: String(row['id']),
    createdAt: Number(row['created_at']),
    accountId: String(row['account_id']),
    keyId: String(row['key_id']),
    endpoint: String(row['endpoint']),
    model: String(row['model']),
    stream: row['stream'] === true,
    held: moneyOf(row['held']) ?? money(0n),
    priceVersion: String(row['price_version']),
    user: (readDetail(row)['user'] ?? null) as string | null,
    day: String(row['day']),
  };
}

/** An object in the journal's text, a text in the table. */
function readDetail(row: RequestRow): JsonObject {
  const stored = row['detail'];
  const detail = typeof stored === 'string' ? parseTrustedJson(stored) : stored;
  return isJsonObject(detail) ? detail : {};
}

function readCostLine([bucket, units, unitPrice, amount]: [CostLine['bucket'], number, string, string]): CostLine {
  return { bucket, units, unitPrice: BigInt(unitPrice), amount: money(BigInt(amount)) };
}

function moneyOf(value: Json | undefined): Money | null {
  return typeof value === 'string' ? money(BigInt(value)) : null;
}

let lastDay = { number: Number.NaN, text: '' };

function utcDay(atMs: number): string {
  const number = Math.floor(atMs / DAY_MS);
  // Formatting a date is dear and the day changes once in a day.
  if (number !== lastDay.number) lastDay = { number, text: new Date(number * DAY_MS).toISOString().slice(0, 10) };
  return lastDay.text;
}

/**
 * PostgreSQL refuses NUL and half surrogate pairs in jsonb. They come from outside (a `user` field, a provider's message) and
 * one of them would make a whole batch unpostable, so they become U+FFFD here. The check costs one search in the common case.
 */
function storable(text: string): string {
  if (!text.includes('\\u')) return text;
  // An escaped backslash before `u` is matched first, so that the plain text `\u0000` stays what it is.
  return text.replace(/\\\\|\\u(?:0000|d[89a-f][0-9a-f]{2})/gi, (hit) => (hit === '\\\\' ? hit : '\\ufffd'));
}
