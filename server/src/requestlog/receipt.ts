/** The receipt of one request: what was held, used and charged, and how the charge adds up. Money is exact decimal text. */
import type { Json, JsonObject } from '../core/json.ts';
import { money, toTomanText } from '../core/money.ts';
import type { CostLine } from '../core/price.ts';
import { completionTokens, promptTokens, totalTokens, type Usage } from '../core/usage.ts';
import type { AttemptRecord, PassageRecord } from './record.ts';
import type { RequestRecord } from './record-columns.ts';

/**
 * For the customer: nothing of the provider's words, our credentials or our own cost. Who supplies the operator is the operator's
 * business too: providers are numbered, unless the operator lets customers see them.
 */
export function customerReceipt(record: RequestRecord, suppliersShown = false): JsonObject {
  const nameOf = suppliersShown ? (provider: string) => provider : numbering();
  return {
    object: 'request',
    id: record.id,
    created_at: isoTime(record.createdAt),
    key_id: record.keyId,
    endpoint: record.endpoint,
    model: record.model,
    stream: record.stream,
    user: record.user,
    state: record.state,
    status: record.status === 0 ? null : record.status,
    error: record.errorCode === null ? null : { code: record.errorCode },
    usage: record.usage && usageJson(record.usage),
    usage_source: record.usage?.source ?? null,
    retrieved_tokens: record.retrievedTokens,
    passages: record.passages.map(passageJson),
    cost: toTomanText(record.cost),
    held: toTomanText(record.held),
    price: { version: record.priceVersion, lines: record.formula.map(lineJson) },
    formula: formulaText(record.formula),
    first_event_ms: record.firstEventMs,
    duration_ms: record.durationMs,
    plan: suppliersShown ? record.plan.map(withoutCredentials) : [],
    attempts: record.attempts.map((attempt) => attemptJson(attempt, nameOf)),
    warnings: record.warnings,
  };
}

/** For the operator: also why each route was taken or failed, and what the provider charged us. */
export function operatorReceipt(record: RequestRecord): JsonObject {
  return {
    ...customerReceipt(record),
    account_id: record.accountId,
    provider: record.provider,
    provider_cost: record.providerCost === null ? null : toTomanText(record.providerCost),
    usage_raw: record.usage?.raw ?? null,
    counters: record.counters,
    plan: record.plan,
    attempts: record.attempts.map((attempt) => ({
      ...attemptJson(attempt, (provider) => provider),
      route: attempt.route,
      credential: attempt.credential,
      cause: attempt.cause,
      ...(attempt.providerCost !== undefined && { provider_cost: attempt.providerCost }),
      ...(attempt.egress !== undefined && { egress: attempt.egress }),
    })),
  };
}

/** `1200 × 15000 + 400 × 60000 = 42000000 µT`: units × micro-toman each. An uncharged request is `0 µT`. */
export function formulaText(lines: readonly CostLine[]): string {
  if (lines.length === 0) return '0 µT';
  const sum = lines.reduce((total, line) => total + line.amount, 0n);
  return `${lines.map((line) => `${line.units} × ${line.unitPrice}`).join(' + ')} = ${sum} µT`;
}

function lineJson(line: CostLine): JsonObject {
  return {
    bucket: snakeCase(line.bucket),
    units: line.units,
    // Micro-toman per unit is toman per million units.
    toman_per_million: String(line.unitPrice),
    amount: toTomanText(money(line.amount)),
  };
}

function usageJson(usage: Usage): JsonObject {
  const json: JsonObject = {
    prompt_tokens: promptTokens(usage),
    completion_tokens: completionTokens(usage),
    total_tokens: totalTokens(usage),
  };
  const buckets: Record<string, Json> = {};
  for (const [bucket, units] of Object.entries(usage.buckets)) buckets[snakeCase(bucket)] = units;
  json['buckets'] = buckets;
  return json;
}

/** Why each route stood where it did is the customer's to know; which of our secrets it was to use is not. */
function withoutCredentials(line: string): string {
  return line.replace(/#[\w.-]+/g, '');
}

/** `route-1` is the first provider that was asked, whenever it is asked again. */
function numbering(): (provider: string) => string {
  const seen: string[] = [];
  return (provider) => {
    if (!seen.includes(provider)) seen.push(provider);
    return `route-${seen.indexOf(provider) + 1}`;
  };
}

function attemptJson(attempt: AttemptRecord, nameOf: (provider: string) => string): JsonObject {
  return {
    provider: nameOf(attempt.provider),
    outcome: attempt.outcome,
    status: attempt.status,
    started_at: isoTime(attempt.startedAt),
    first_event_ms: attempt.firstEventMs,
    duration_ms: attempt.durationMs,
  };
}

/** Named as the answer's references name it; `index` is the number it is cited by. */
function passageJson(passage: PassageRecord, at: number): JsonObject {
  return {
    index: at + 1,
    knowledge_base_id: passage.baseId,
    document_id: passage.documentId,
    revision: passage.revision,
    title: passage.title,
    place: passage.place,
    page: passage.page,
    heading: passage.heading,
    tokens: passage.tokens,
    score: passage.score,
  };
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/([a-z])(\d)/g, '$1_$2');
}

function isoTime(atMs: number): string {
  return new Date(atMs).toISOString();
}
