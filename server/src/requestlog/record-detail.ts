/**
 * The free-form part of a request's text: what is only ever read together with its request. It is JSON on one line, so that a
 * tab or a line feed in it is always escaped. What is empty is left out, lists of like things are tuples, and texts are put
 * together here instead of by JSON.stringify over objects: every byte is written three times (journal, log, database).
 */
import { isJsonObject, type JsonObject, parseTrustedJson } from '../core/json.ts';
import { money } from '../core/money.ts';
import type { CostLine } from '../core/price.ts';
import type { Usage } from '../core/usage.ts';
import type { AttemptRecord, RequestRecord } from './record.ts';

export type RequestDetail = Pick<
  RequestRecord,
  'user' | 'usage' | 'formula' | 'attempts' | 'plan' | 'firstEventMs' | 'retrievedTokens' | 'warnings'
>;

type CostTuple = [bucket: CostLine['bucket'], units: number, unitPrice: string];
type AttemptTuple = [
  provider: string,
  route: string,
  credential: string,
  outcome: string,
  status: number | null,
  startedAt: number,
  firstEventMs: number | null,
  durationMs: number,
  cause?: string | null,
  providerCost?: string,
];

export function encodeDetail(record: RequestDetail): string {
  let text = `{"firstEventMs":${record.firstEventMs}`;
  if (record.user !== null) text += `,"user":${quoted(record.user)}`;
  if (record.usage !== null) text += `,"usage":${JSON.stringify(record.usage)}`;
  if (record.formula.length > 0) text += `,"formula":${list(record.formula, costText)}`;
  if (record.attempts.length > 0) text += `,"attempts":${list(record.attempts, attemptText)}`;
  if (record.plan.length > 0) text += `,"plan":${list(record.plan, quoted)}`;
  if (record.retrievedTokens !== 0) text += `,"retrievedTokens":${record.retrievedTokens}`;
  if (record.warnings.length > 0) text += `,"warnings":${list(record.warnings, quoted)}`;
  return `${text}}`;
}

/** Of a request that runs, or of text that is no detail: what a request has that did nothing yet. */
export function decodeDetail(text: string): RequestDetail {
  const stored = parseTrustedJson(text);
  const detail: JsonObject = isJsonObject(stored) ? stored : {};
  return {
    user: (detail['user'] ?? null) as string | null,
    usage: (detail['usage'] ?? null) as Usage | null,
    formula: ((detail['formula'] ?? []) as CostTuple[]).map(readCost),
    attempts: ((detail['attempts'] ?? []) as AttemptTuple[]).map(readAttempt),
    plan: (detail['plan'] ?? []) as string[],
    firstEventMs: (detail['firstEventMs'] ?? null) as number | null,
    retrievedTokens: Number(detail['retrievedTokens'] ?? 0),
    warnings: (detail['warnings'] ?? []) as string[],
  };
}

export function encodeUser(user: string | null): string {
  return user === null ? '' : `{"user":${quoted(user)}}`;
}

/** The amount of a line is the product of the two (core/price.ts) and is not written. */
function costText({ bucket, units, unitPrice }: CostLine): string {
  return `["${bucket}",${units},"${unitPrice}"]`;
}

function readCost([bucket, units, price]: CostTuple): CostLine {
  const unitPrice = BigInt(price);
  return { bucket, units, unitPrice, amount: money(BigInt(units) * unitPrice) };
}

function attemptText(attempt: AttemptRecord): string {
  const { provider, route, credential, outcome, status, startedAt, firstEventMs, durationMs, cause, providerCost } =
    attempt;
  let text = `[${quoted(provider)},${quoted(route)},${quoted(credential)},${quoted(outcome)},${status},${startedAt},${firstEventMs},${durationMs}`;
  if (cause !== null || providerCost !== undefined) text += `,${cause === null ? 'null' : quoted(cause)}`;
  if (providerCost !== undefined) text += `,${quoted(providerCost)}`;
  return `${text}]`;
}

function readAttempt(tuple: AttemptTuple): AttemptRecord {
  const [provider, route, credential, outcome, status, startedAt, firstEventMs, durationMs, cause, providerCost] =
    tuple;
  const attempt: AttemptRecord = {
    provider,
    route,
    credential,
    outcome,
    status,
    startedAt,
    firstEventMs,
    durationMs,
    cause: cause ?? null,
  };
  if (providerCost !== undefined) attempt.providerCost = providerCost;
  return attempt;
}

function list<T>(items: readonly T[], textOf: (item: T) => string): string {
  let text = '';
  for (const item of items) text += text === '' ? textOf(item) : `,${textOf(item)}`;
  return `[${text}]`;
}

const NEEDS_NO_ESCAPE = /^[ !#-[\]-~]*$/;

function quoted(text: string): string {
  return NEEDS_NO_ESCAPE.test(text) ? `"${text}"` : JSON.stringify(text);
}
