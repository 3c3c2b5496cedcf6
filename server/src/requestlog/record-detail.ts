/**
 * The free-form part of a request's text: what is only ever read together with its request. It is JSON on one line, so that a
 * tab or a line feed in it is always escaped. What is empty is left out, lists of like things are tuples, and texts are put
 * together here instead of by JSON.stringify over objects: every byte is written three times (journal, log, database).
 */
import { isJsonObject, type Json, type JsonObject, parseTrustedJson } from '../core/json.ts';
import { money } from '../core/money.ts';
import type { CostLine } from '../core/price.ts';
import type { Bucket, Usage } from '../core/usage.ts';
import type { AttemptRecord, RequestRecord } from './record.ts';

export type RequestDetail = Pick<
  RequestRecord,
  'user' | 'usage' | 'formula' | 'attempts' | 'plan' | 'firstEventMs' | 'retrievedTokens' | 'warnings'
>;

type UsageTuple = [source: Usage['source'], buckets: Usage['buckets'], raw?: Json];
/** Prices by bucket, in micro-toman per unit; with the units where they are not those of the usage. */
type Prices = Record<string, Price | [Price, units: number]>;
/** A number has fewer digits of safety than a price may have. */
type Price = number | string;
type AttemptTuple = [
  provider: string,
  route: string,
  credential: string,
  outcome: string,
  status: number | null,
  afterMs: number,
  firstEventMs: number | null,
  durationMs: number,
  cause?: string | null,
  providerCost?: string,
];

/** `createdAt` is that of the request: times are written as the milliseconds since. */
export function encodeDetail(record: RequestDetail, createdAt: number): string {
  const { user, usage, formula, attempts, plan, firstEventMs, retrievedTokens, warnings } = record;
  let text = `{"firstEventMs":${firstEventMs}`;
  if (user !== null) text += `,"user":${quoted(user)}`;
  if (usage !== null) text += `,"usage":${usageText(usage)}`;
  if (formula.length > 0) text += `,"prices":{${joined(formula, (line) => priceText(line, usage))}}`;
  if (attempts.length > 0) text += `,"attempts":[${joined(attempts, (attempt) => attemptText(attempt, createdAt))}]`;
  if (plan.length > 0) text += `,"plan":[${joined(plan, quoted)}]`;
  if (retrievedTokens !== 0) text += `,"retrievedTokens":${retrievedTokens}`;
  if (warnings.length > 0) text += `,"warnings":[${joined(warnings, quoted)}]`;
  return `${text}}`;
}

/** Of a request that runs, or of text that is no detail: what a request has that did nothing yet. */
export function decodeDetail(text: string, createdAt: number): RequestDetail {
  const stored = parseTrustedJson(text);
  const detail: JsonObject = isJsonObject(stored) ? stored : {};
  const usage = readUsage(detail['usage'] as UsageTuple | undefined);
  return {
    user: (detail['user'] ?? null) as string | null,
    usage,
    formula: Object.entries((detail['prices'] ?? {}) as Prices).map(([bucket, price]) =>
      readLine(bucket, price, usage),
    ),
    attempts: ((detail['attempts'] ?? []) as AttemptTuple[]).map((tuple) => readAttempt(tuple, createdAt)),
    plan: (detail['plan'] ?? []) as string[],
    firstEventMs: (detail['firstEventMs'] ?? null) as number | null,
    retrievedTokens: Number(detail['retrievedTokens'] ?? 0),
    warnings: (detail['warnings'] ?? []) as string[],
  };
}

export function encodeUser(user: string | null): string {
  return user === null ? '' : `{"user":${quoted(user)}}`;
}

function usageText({ source, buckets, raw }: Usage): string {
  let units = '';
  for (const bucket in buckets) {
    const count = buckets[bucket as Bucket];
    if (count !== undefined) units += `${units === '' ? '' : ','}"${bucket}":${count}`;
  }
  const given = raw === undefined ? '' : `,${JSON.stringify(raw)}`;
  return `["${source}",{${units}}${given}]`;
}

function readUsage(tuple: UsageTuple | undefined): Usage | null {
  if (!tuple) return null;
  const [source, buckets, raw] = tuple;
  return raw === undefined ? { source, buckets } : { source, buckets, raw };
}

/** The amount of a line is the product of units and price (core/price.ts) and is not written. */
function priceText({ bucket, units, unitPrice }: CostLine, usage: Usage | null): string {
  const price = unitPrice <= MOST_EXACT_NUMBER ? `${unitPrice}` : `"${unitPrice}"`;
  const known = bucket !== 'request' && bucket !== 'unpaid' && usage?.buckets[bucket] === units;
  return known ? `"${bucket}":${price}` : `"${bucket}":[${price},${units}]`;
}

function readLine(name: string, written: Prices[string], usage: Usage | null): CostLine {
  const bucket = name as CostLine['bucket'];
  const [price, units] = Array.isArray(written) ? written : [written, usage?.buckets[bucket as Bucket] ?? 0];
  const unitPrice = BigInt(price);
  return { bucket, units, unitPrice, amount: money(BigInt(units) * unitPrice) };
}

function attemptText(attempt: AttemptRecord, createdAt: number): string {
  const { provider, route, credential, outcome, status, firstEventMs, durationMs, cause, providerCost } = attempt;
  let text = `[${quoted(provider)},${quoted(route)},${quoted(credential)},${quoted(outcome)},${status},${attempt.startedAt - createdAt},${firstEventMs},${durationMs}`;
  if (cause !== null || providerCost !== undefined) text += `,${cause === null ? 'null' : quoted(cause)}`;
  if (providerCost !== undefined) text += `,${quoted(providerCost)}`;
  return `${text}]`;
}

function readAttempt(tuple: AttemptTuple, createdAt: number): AttemptRecord {
  const [provider, route, credential, outcome, status, afterMs, firstEventMs, durationMs, cause, providerCost] = tuple;
  const attempt: AttemptRecord = {
    provider,
    route,
    credential,
    outcome,
    status,
    startedAt: createdAt + afterMs,
    firstEventMs,
    durationMs,
    cause: cause ?? null,
  };
  if (providerCost !== undefined) attempt.providerCost = providerCost;
  return attempt;
}

function joined<T>(items: readonly T[], textOf: (item: T) => string): string {
  let text = '';
  for (const item of items) text += text === '' ? textOf(item) : `,${textOf(item)}`;
  return text;
}

const MOST_EXACT_NUMBER = BigInt(Number.MAX_SAFE_INTEGER);
const NEEDS_NO_ESCAPE = /^[ !#-[\]-~]*$/;

function quoted(text: string): string {
  return NEEDS_NO_ESCAPE.test(text) ? `"${text}"` : JSON.stringify(text);
}
