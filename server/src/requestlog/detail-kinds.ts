/**
 * The kinds of values in the detail, the JSON at the end of a record's line: what is only ever read together with its request.
 * Tuples keep the text short, because each byte is stored three times (journal, log, database). The text is put together here,
 * because JSON.stringify over objects is slower. JSON escapes tabs and line feeds, so a detail never ends a column.
 */
import { type Json, type JsonObject, parseTrustedJson } from '../core/json.ts';
import { type Money, money, ZERO } from '../core/money.ts';
import type { CostLine } from '../core/price.ts';
import type { RoutingTold } from '../core/routing-told.ts';
import type { Bucket, Usage } from '../core/usage.ts';
import type { Neighbours, ShownAs } from './column-kinds.ts';
import type { AttemptRecord, PassageRecord } from './record.ts';
import { AS_COUNTED, rawOfShape, shapeText } from './usage-shapes.ts';

export interface DetailKind<T> {
  readonly nullable?: true;
  readonly shownAs?: ShownAs;
  /** '' for a value that is left out: that of a request which did nothing yet. */
  write(value: T, record: Neighbours): string;
  read(stored: Json, record: Neighbours): T;
  /** What was left out, where that is not always the initial value; `detail` is everything that was written. */
  readonly absent?: (record: Neighbours, detail: JsonObject) => T;
}

/** Under this name stands the plan that 0.1.0 cannot read (plan-text.ts). */
export const PLAN_NAME = 'w';

export const OPTIONAL_STRING: DetailKind<string | null> = {
  nullable: true,
  shownAs: 'text',
  write: (value) => (value === null ? '' : quoted(value)),
  read: (stored) => stored as string,
};

export const STRINGS: DetailKind<string[]> = {
  shownAs: 'texts',
  write: (value) => (value.length === 0 ? '' : `[${joined(value, quoted)}]`),
  read: (stored) => stored as string[],
};

export const COUNT: DetailKind<number> = {
  shownAs: 'whole',
  write: (value) => (value === 0 ? '' : `${value}`),
  read: Number,
};

export const OPTIONAL_NUMBER: DetailKind<number | null> = {
  nullable: true,
  shownAs: 'whole',
  write: (value) => (value === null ? '' : `${value}`),
  read: Number,
};

/**
 * Since the attempt that answered last began to tell it, or since the request came where no attempt does. It is mostly the same and
 * is then left out, beside a plan in the words that 0.1.0 does not have: 0.1.0 leaves out what it does not know.
 */
export const FIRST_EVENT: DetailKind<number | null> = {
  nullable: true,
  shownAs: 'whole',
  write(value, record) {
    const told = toldByAttempts(record);
    const leftOut = record.plan !== undefined && record.plan.length > 0 ? told : null;
    return value === leftOut ? '' : value === null ? 'null' : `${value - (told ?? 0)}`;
  },
  read: (stored, record) => (stored === null ? null : Number(stored) + (toldByAttempts(record) ?? 0)),
  absent: (record, detail) => (PLAN_NAME in detail ? toldByAttempts(record) : null),
};

function toldByAttempts({ attempts, createdAt }: Neighbours): number | null {
  const last = attempts?.at(-1);
  return last && last.firstEventMs !== null ? last.startedAt - createdAt + last.firstEventMs : null;
}

/** As it is written, since few requests have one. */
export const ROUTING: DetailKind<RoutingTold | null> = {
  nullable: true,
  write: (value) => (value === null ? '' : JSON.stringify(value)),
  read: (stored) => stored as unknown as RoutingTold,
};

/** Micro-toman, also below zero. */
export const SIGNED_AMOUNT: DetailKind<Money> = {
  shownAs: 'toman',
  write: (value) => (value === ZERO ? '' : exactText(value)),
  read: (stored) => money(BigInt(stored as number | string)),
};

/** `[source, {bucket: units, …}, what the provider reported, {tier, picture} or the shape of what it reported]`; the last two only where they are. */
export const USAGE: DetailKind<Usage | null> = {
  write(usage) {
    if (usage === null) return '';
    const { source, buckets, raw, tier, picture } = usage;
    let units = '';
    for (const bucket in buckets) {
      const count = buckets[bucket as Bucket];
      if (count !== undefined) units += `${units === '' ? '' : ','}"${bucket}":${count}`;
    }
    if (tier !== undefined || picture !== undefined)
      return `["${source}",{${units}},${JSON.stringify(raw ?? null)},${JSON.stringify({ tier, picture })}]`;
    if (raw === undefined) return `["${source}",{${units}}]`;
    const shape = shapeText(raw, usage);
    if (shape === AS_COUNTED) return `["${source}",{${units}},${shape}]`;
    // Where the object stood stands null, which 0.1.0 reads as nothing reported.
    return `["${source}",{${units}},${shape === undefined ? JSON.stringify(raw) : `null,${shape}`}]`;
  },
  read(stored) {
    const [source, buckets, raw, more] = stored as unknown as [
      Usage['source'],
      Usage['buckets'],
      Json?,
      (Pick<Usage, 'tier' | 'picture'> | Json[])?,
    ];
    const usage: Usage = { source, buckets };
    const shape = raw === 0 ? ['c'] : more;
    if (!Array.isArray(shape)) return { ...usage, ...(raw !== undefined && raw !== null && { raw }), ...shape };
    const reported = rawOfShape(shape, usage);
    return reported === undefined ? usage : { ...usage, raw: reported };
  },
};

/** A number has fewer exact digits than a price may have; a larger price is a text. */
type WrittenPrice = number | string;

/**
 * `{bucket: price, …}` in micro-toman per unit; `[price, units]` where the units are not those of the usage. The amount of a
 * line is the product of both (core/price.ts) and is not written.
 */
export const FORMULA: DetailKind<CostLine[]> = {
  write: (lines, { usage }) =>
    lines.length === 0 ? '' : `{${joined(lines, (line) => priceText(line, usage ?? null))}}`,
  read: (stored, { usage }) =>
    Object.entries(stored as Record<string, WrittenPrice | [WrittenPrice, number]>).map(([name, written]) => {
      const bucket = name as CostLine['bucket'];
      const [price, units] = Array.isArray(written) ? written : [written, usage?.buckets[bucket as Bucket] ?? 0];
      const unitPrice = BigInt(price);
      return { bucket, units, unitPrice, amount: money(BigInt(units) * unitPrice) };
    }),
};

function priceText({ bucket, units, unitPrice }: CostLine, usage: Usage | null): string {
  const price = exactText(unitPrice);
  const known = bucket !== 'request' && bucket !== 'cached' && bucket !== 'unpaid' && usage?.buckets[bucket] === units;
  return known ? `"${bucket}":${price}` : `"${bucket}":[${price},${units}]`;
}

/** A number as far as numbers are exact, else a text. */
function exactText(value: bigint): string {
  return value <= MAX_EXACT_NUMBER && value >= -MAX_EXACT_NUMBER ? `${value}` : `"${value}"`;
}

/** The walk over a day's rows looks for this word (ledger/seal/walk-sql.ts). */
const CONTINUES = 'continues';

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
  providerCost?: string | null,
  egress?: string | null,
  continues?: typeof CONTINUES,
];

/** A tuple per attempt; its start is written as the milliseconds since the request came. */
export const ATTEMPTS: DetailKind<AttemptRecord[]> = {
  write: (attempts, { createdAt }) =>
    attempts.length === 0 ? '' : `[${joined(attempts, (attempt) => attemptText(attempt, createdAt))}]`,
  read: (stored, { createdAt }) => (stored as unknown as AttemptTuple[]).map((tuple) => readAttempt(tuple, createdAt)),
};

function attemptText(attempt: AttemptRecord, createdAt: number): string {
  const { provider, route, credential, outcome, status, firstEventMs, durationMs, cause, providerCost } = attempt;
  const { egress, continues } = attempt;
  let text = `[${quoted(provider)},${quoted(route)},${quoted(credential)},${quoted(outcome)},${status},${attempt.startedAt - createdAt},${firstEventMs},${durationMs}`;
  const more = egress !== undefined || continues !== undefined;
  if (cause !== null || providerCost !== undefined || more) text += `,${cause === null ? 'null' : quoted(cause)}`;
  if (providerCost !== undefined || more) text += `,${providerCost === undefined ? 'null' : quoted(providerCost)}`;
  if (more) text += `,${egress === undefined ? 'null' : quoted(egress)}`;
  if (continues) text += `,${quoted(CONTINUES)}`;
  return `${text}]`;
}

function readAttempt(tuple: AttemptTuple, createdAt: number): AttemptRecord {
  const [provider, route, credential, outcome, status, afterMs, firstEventMs, durationMs, ...told] = tuple;
  const [cause, providerCost, egress, continues] = told;
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
  if (providerCost !== undefined && providerCost !== null) attempt.providerCost = providerCost;
  if (egress !== undefined && egress !== null) attempt.egress = egress;
  if (continues) attempt.continues = true;
  return attempt;
}

type DocumentTuple = [baseId: string, documentId: string, revision: number, title: string];
type PassageTuple = [
  document: number,
  place: number,
  page: number | null,
  heading: string | null,
  tokens: number,
  score: number,
];

/** `[documents, passages]`: a document is written once, and its passages say which of the list it is. */
export const PASSAGES: DetailKind<PassageRecord[]> = {
  write(passages) {
    if (passages.length === 0) return '';
    const documents: string[] = [];
    const tuples = joined(passages, ({ baseId, documentId, revision, title, place, page, heading, tokens, score }) => {
      const document = `[${quoted(baseId)},${quoted(documentId)},${revision},${quoted(title)}]`;
      if (!documents.includes(document)) documents.push(document);
      const under = heading === null ? 'null' : quoted(heading);
      return `[${documents.indexOf(document)},${place},${page},${under},${tokens},${score}]`;
    });
    return `[[${documents.join(',')}],[${tuples}]]`;
  },
  read(stored) {
    const [documents, tuples] = stored as unknown as [DocumentTuple[], PassageTuple[]];
    return tuples.map(([document, place, page, heading, tokens, score]) => {
      const [baseId, documentId, revision, title] = documents[document] ?? ['', '', 0, ''];
      return { baseId, documentId, revision, title, place, page, heading, tokens, score };
    });
  },
};

/** undefined for a text that is no detail. */
export function parseDetail(text: string): Json | undefined {
  return text === '' ? undefined : parseTrustedJson(text);
}

function joined<T>(items: readonly T[], textOf: (item: T) => string): string {
  let text = '';
  for (const item of items) text += text === '' ? textOf(item) : `,${textOf(item)}`;
  return text;
}

const MAX_EXACT_NUMBER = BigInt(Number.MAX_SAFE_INTEGER);
const NEEDS_NO_ESCAPE = /^[ !#-[\]-~]*$/;

function quoted(text: string): string {
  return NEEDS_NO_ESCAPE.test(text) ? `"${text}"` : JSON.stringify(text);
}
