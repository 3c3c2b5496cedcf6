/**
 * Sums of usage that are put together from the log and its archive. A part is the requests of one group that took
 * equally long; a percentile of both is computed from the parts of both, never from two percentiles.
 */
export interface UsageSum {
  requests: number;
  errors: number;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  /** Requests that asked the response cache, and those of them that it answered. */
  cacheAsked: number;
  cacheHits: number;
  /** Micro-toman. */
  cost: bigint;
  /** What the response cache and prompt caches saved; negative while more was written than read. */
  saved: bigint;
  p50Ms: number | null;
  p95Ms: number | null;
}

export const NO_USAGE: UsageSum = {
  requests: 0,
  errors: 0,
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  cacheAsked: 0,
  cacheHits: 0,
  cost: 0n,
  saved: 0n,
  p50Ms: null,
  p95Ms: null,
};

/** A day's charges of one key, model and endpoint with the same tags. */
export interface UsageLine {
  keyId: string;
  model: string;
  endpoint: string;
  tags: string[];
  requests: number;
  errors: number;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  /** Micro-toman. */
  cost: bigint;
}

export interface SumPart {
  value: string;
  /** Rounded by `roundedMs`; 0 where nobody asks how long requests took. */
  tookMs: number;
  requests: number;
  errors: number;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  cacheAsked: number;
  cacheHits: number;
  /** Micro-toman. */
  cost: bigint;
  saved: bigint;
}

/**
 * Durations up to a limit are rounded to steps of so many milliseconds: three digits remain, so that groups have few
 * parts.
 */
const STEPS = [
  { below: 1_000, step: 1 },
  { below: 10_000, step: 10 },
  { below: 100_000, step: 100 },
  { below: 1_000_000, step: 1_000 },
] as const;
const MAX_STEP_MS = 10_000;

export function roundedMs(ms: number): number {
  const step = STEPS.find(({ below }) => ms < below)?.step ?? MAX_STEP_MS;
  return ms - (ms % step);
}

/** The same in SQL, for PostgreSQL and ClickHouse alike. */
export function tookSql(column: string): string {
  const cases = STEPS.map(({ below, step }) => `when ${column} < ${below} then ${column} - ${column} % ${step}`);
  return `(case ${cases.join(' ')} else ${column} - ${column} % ${MAX_STEP_MS} end)`;
}

/** The sums of all parts by their value. */
export function addedUp(parts: readonly SumPart[]): Map<string, UsageSum> {
  const groups = new Map<string, SumPart[]>();
  for (const part of parts) {
    const group = groups.get(part.value);
    if (group) group.push(part);
    else groups.set(part.value, [part]);
  }
  return new Map([...groups].map(([value, group]) => [value, sumOf(group)]));
}

function sumOf(parts: SumPart[]): UsageSum {
  parts.sort((a, b) => a.tookMs - b.tookMs);
  const total = (of: (part: SumPart) => number) => parts.reduce((sum, part) => sum + of(part), 0);
  const amount = (of: (part: SumPart) => bigint) => parts.reduce((sum, part) => sum + of(part), 0n);
  return {
    requests: total(({ requests }) => requests),
    errors: total(({ errors }) => errors),
    inputTokens: total(({ inputTokens }) => inputTokens),
    cachedTokens: total(({ cachedTokens }) => cachedTokens),
    outputTokens: total(({ outputTokens }) => outputTokens),
    cacheAsked: total(({ cacheAsked }) => cacheAsked),
    cacheHits: total(({ cacheHits }) => cacheHits),
    cost: amount(({ cost }) => cost),
    saved: amount(({ saved }) => saved),
    p50Ms: percentile(parts, 0.5),
    p95Ms: percentile(parts, 0.95),
  };
}

/** The same as percentile_disc of PostgreSQL: the first duration that this share of all requests did not exceed. */
function percentile(sorted: readonly SumPart[], part: number): number | null {
  const wanted = sorted.reduce((sum, { requests }) => sum + requests, 0) * part;
  let seen = 0;
  for (const { tookMs, requests } of sorted) {
    seen += requests;
    if (seen >= wanted) return tookMs;
  }
  return null;
}
