/**
 * A request as one JSON text, written once: the same text goes into the journal and, joined with others, into the database
 * as one parameter. Keys are column names and money is decimal text, so that PostgreSQL reads it without a second encoding.
 */
import { isJsonObject, type Json, type JsonObject, parseTrustedJson } from '../core/json.ts';
import { type Money, money } from '../core/money.ts';
import type { CostLine } from '../core/price.ts';
import type { Usage } from '../core/usage.ts';
import type { AttemptRecord, RequestOpening, RequestRecord, RequestState } from './record.ts';

/** Column values as they stand in the text and as the database returns them (money as text, time in milliseconds). */
export type RequestRow = JsonObject;

const DAY_MS = 86_400_000;

function openingRow(opening: RequestOpening): RequestRow {
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
    end_user: opening.user,
    day: opening.day ?? utcDay(opening.createdAt),
  };
  return row;
}

export function encodeOpening(opening: RequestOpening): string {
  return storable(JSON.stringify(openingRow(opening)));
}

export function encodeRecord(record: RequestRecord): string {
  const row = openingRow(record);
  row['state'] = record.state;
  row['error_code'] = record.errorCode;
  row['status'] = record.status;
  row['usage'] = record.usage as unknown as Json;
  row['tokens'] = record.usage === null ? 0 : tokensOf(record.usage);
  row['cost'] = String(record.cost);
  row['formula'] = record.formula.map((line) => [line.bucket, line.units, String(line.unitPrice), String(line.amount)]);
  row['attempts'] = record.attempts as unknown as Json;
  row['plan'] = record.plan;
  row['provider_cost'] = record.providerCost === null ? null : String(record.providerCost);
  row['provider'] = record.provider;
  row['first_event_ms'] = wholeMs(record.firstEventMs);
  row['duration_ms'] = wholeMs(record.durationMs);
  row['counters'] = record.counters;
  row['retrieved_tokens'] = record.retrievedTokens;
  row['warnings'] = record.warnings;
  return storable(JSON.stringify(row));
}

/** An opening whose process died: nobody knows what was delivered, so it is shown as interrupted and costs nothing. */
export function killedRecord(opening: RequestOpening): RequestRecord {
  return {
    ...opening,
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
  };
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
  const opening = openingOf(row);
  return {
    ...killedRecord(opening),
    state: (row['state'] ?? 'running') as RequestState,
    errorCode: (row['error_code'] ?? null) as string | null,
    status: Number(row['status'] ?? 0),
    usage: (row['usage'] ?? null) as Usage | null,
    cost: moneyOf(row['cost']) ?? money(0n),
    formula: ((row['formula'] ?? []) as [CostLine['bucket'], number, string, string][]).map(
      ([bucket, units, unitPrice, amount]) => ({
        bucket,
        units,
        unitPrice: BigInt(unitPrice),
        amount: money(BigInt(amount)),
      }),
    ),
    attempts: (row['attempts'] ?? []) as unknown as AttemptRecord[],
    plan: (row['plan'] ?? []) as string[],
    providerCost: moneyOf(row['provider_cost']),
    provider: (row['provider'] ?? null) as string | null,
    firstEventMs: (row['first_event_ms'] ?? null) as number | null,
    durationMs: Number(row['duration_ms'] ?? 0),
    counters: (row['counters'] ?? []) as string[],
    retrievedTokens: Number(row['retrieved_tokens'] ?? 0),
    warnings: (row['warnings'] ?? []) as string[],
  };
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
    user: (row['end_user'] ?? null) as string | null,
    day: String(row['day']),
  };
}

function moneyOf(value: Json | undefined): Money | null {
  return typeof value === 'string' ? money(BigInt(value)) : null;
}

function wholeMs(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms);
}

function tokensOf({ buckets }: Usage): number {
  const { images: _images, characters: _characters, seconds: _seconds, ...tokens } = buckets;
  let sum = 0;
  for (const units of Object.values(tokens)) sum += units ?? 0;
  return Math.round(sum);
}

export function utcDay(atMs: number): string {
  return new Date(Math.floor(atMs / DAY_MS) * DAY_MS).toISOString().slice(0, 10);
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
