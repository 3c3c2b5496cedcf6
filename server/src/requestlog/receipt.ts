/** The receipt of one request: what was held, used and charged, and how the charge adds up. Money is exact decimal text. */
import type { Json, JsonObject } from '../core/json.ts';
import { type Money, money, toTomanText } from '../core/money.ts';
import type { CostLine } from '../core/price.ts';
import { routingJson } from '../core/routing-told.ts';
import { completionTokens, promptTokens, totalTokens, type Usage } from '../core/usage.ts';
import type { ShownAs } from './column-kinds.ts';
import type { AttemptRecord, PassageRecord } from './record.ts';
import { RECORD, type RequestRecord } from './record-columns.ts';

/** A column that a receipt contains unchanged, under its name there. */
export interface ShownColumn {
  readonly field: keyof RequestRecord;
  readonly name: string;
  readonly as: ShownAs;
  readonly nullable: boolean;
}

function columnsFor(reader: 'customer' | 'operator'): ShownColumn[] {
  return Object.entries(RECORD).flatMap(([field, entry]) => {
    const { shownAs, nullable = false } = entry.kind;
    if (!('shownTo' in entry) || entry.shownTo !== reader) return [];
    if (shownAs === undefined) throw new Error(`${field} is of a kind that a receipt cannot give as it is`);
    return [{ field: field as keyof RequestRecord, name: snakeCase(field), as: shownAs, nullable }];
  });
}

export const FOR_CUSTOMER: readonly ShownColumn[] = columnsFor('customer');
export const FOR_OPERATOR: readonly ShownColumn[] = columnsFor('operator');

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${Snake<Rest>}`
    : `_${Lowercase<First>}${Snake<Rest>}`
  : Name;

/** The columns that a receipt for this reader contains unchanged. Money is text there, so that it stays exact. */
export type ColumnsFor<Reader> = {
  [F in keyof typeof RECORD as (typeof RECORD)[F] extends { shownTo: Reader } ? Snake<F> : never]:
    | Exclude<RequestRecord[F], bigint>
    | (bigint extends RequestRecord[F] ? string : never);
};

function shown<Reader>(record: RequestRecord, columns: readonly ShownColumn[]): ColumnsFor<Reader> {
  const json: JsonObject = {};
  for (const { field, name, as } of columns) {
    const value = record[field];
    json[name] = as === 'toman' && value !== null ? toTomanText(value as Money) : (value as Json);
  }
  // The type is made from the same table that names the columns.
  return json as ColumnsFor<Reader>;
}

/**
 * For the customer: without the provider's words, our credentials and our own cost. Who supplies the operator is the
 * operator's secret too: providers are numbered, unless the operator lets customers see them.
 */
export function customerReceipt(record: RequestRecord, suppliersShown = false) {
  const nameOf = suppliersShown ? (provider: string) => provider : numbering();
  return {
    object: 'request' as const,
    id: record.id,
    created_at: isoTime(record.createdAt),
    ...shown<'customer'>(record, FOR_CUSTOMER),
    state: record.state,
    status: record.status === 0 ? null : record.status,
    error: record.errorCode === null ? null : { code: record.errorCode },
    usage: record.usage && usageJson(record.usage),
    usage_source: record.usage?.source ?? null,
    routing: record.routing && routingJson(record.routing),
    passages: record.passages.map(passageJson),
    price: { version: record.priceVersion, lines: record.formula.map(lineJson) },
    formula: formulaText(record.formula),
    plan: suppliersShown ? record.plan.map(withoutCredentials) : [],
    attempts: record.attempts.map((attempt) => attemptJson(attempt, nameOf)),
  };
}

/** For the operator: also why each route was chosen or failed, and what the provider charged us. */
export function operatorReceipt(record: RequestRecord) {
  return {
    ...customerReceipt(record),
    ...shown<'operator'>(record, FOR_OPERATOR),
    usage_raw: record.usage?.raw ?? null,
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

function lineJson(line: CostLine) {
  return {
    bucket: snakeCase(line.bucket),
    units: line.units,
    // Micro-toman per unit is toman per million units.
    toman_per_million: String(line.unitPrice),
    amount: toTomanText(money(line.amount)),
  };
}

function usageJson(usage: Usage) {
  const buckets: Record<string, number> = {};
  for (const [bucket, units] of Object.entries(usage.buckets)) buckets[snakeCase(bucket)] = units;
  return {
    prompt_tokens: promptTokens(usage),
    completion_tokens: completionTokens(usage),
    total_tokens: totalTokens(usage),
    buckets,
    ...(usage.tier !== undefined && { service_tier: usage.tier }),
  };
}

/** Customers may know why each route stood where it did, but not which of our credentials it used. */
function withoutCredentials(line: string): string {
  return line.replace(/#[\w.-]+/g, '');
}

/** `route-1` is the provider that was asked first, also when it is asked again. */
function numbering(): (provider: string) => string {
  const seen: string[] = [];
  return (provider) => {
    if (!seen.includes(provider)) seen.push(provider);
    return `route-${seen.indexOf(provider) + 1}`;
  };
}

function attemptJson(attempt: AttemptRecord, nameOf: (provider: string) => string) {
  return {
    provider: nameOf(attempt.provider),
    outcome: attempt.outcome,
    status: attempt.status,
    started_at: isoTime(attempt.startedAt),
    first_event_ms: attempt.firstEventMs,
    duration_ms: attempt.durationMs,
    ...(attempt.continues && { continues: attempt.continues }),
  };
}

/** The id is the one in the answer's references; `index` is the number by which it is cited. */
function passageJson(passage: PassageRecord, at: number) {
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
