/**
 * What a request consumed, in buckets that do not overlap. `undefined` means "not reported", which is not zero:
 * a charge may be estimated for an unknown bucket, never for a bucket the provider said was empty.
 */
import type { Json } from './json.ts';

const TOKEN_BUCKETS = [
  'inputFresh',
  'cacheRead',
  'cacheWrite5m',
  'cacheWrite1h',
  'audioInput',
  'audioCacheRead',
  'imageInput',
  'output',
  'reasoning',
  'audioOutput',
  'imageOutput',
] as const;
const COUNT_BUCKETS = ['images', 'characters', 'seconds', 'searches'] as const;
export const BUCKETS = [...TOKEN_BUCKETS, ...COUNT_BUCKETS] as const;

export type Bucket = (typeof BUCKETS)[number];
export type UsageSource = 'upstream' | 'estimated';

export interface Usage {
  buckets: Partial<Record<Bucket, number>>;
  source: UsageSource;
  /** The provider's own usage object, kept for the receipt and for disputes. */
  raw?: Json;
}

export function emptyUsage(source: UsageSource = 'upstream'): Usage {
  return { buckets: {}, source };
}

/** Input side as the OpenAI protocol counts it: cached tokens are part of the prompt. */
export function promptTokens({ buckets }: Usage): number {
  return (
    (buckets.inputFresh ?? 0) +
    (buckets.cacheRead ?? 0) +
    (buckets.cacheWrite5m ?? 0) +
    (buckets.cacheWrite1h ?? 0) +
    (buckets.audioInput ?? 0) +
    (buckets.audioCacheRead ?? 0) +
    (buckets.imageInput ?? 0)
  );
}

/** Output side: reasoning tokens are part of the completion. */
export function completionTokens({ buckets }: Usage): number {
  return (buckets.output ?? 0) + (buckets.reasoning ?? 0) + (buckets.audioOutput ?? 0) + (buckets.imageOutput ?? 0);
}

export function totalTokens(usage: Usage): number {
  return promptTokens(usage) + completionTokens(usage);
}

/**
 * Joins what a stream reported so far with a newer report. Every provider's counters are cumulative, so per bucket the
 * newer known value wins; summing or "last object wins" would double-count or forget.
 */
export function mergeUsage(earlier: Usage | undefined, later: Usage): Usage {
  if (!earlier) return later;
  const merged: Usage = { buckets: { ...earlier.buckets, ...later.buckets }, source: later.source };
  const raw = later.raw ?? earlier.raw;
  if (raw !== undefined) merged.raw = raw;
  return merged;
}

export function hasKnownOutput({ buckets }: Usage): boolean {
  return (
    buckets.output !== undefined ||
    buckets.reasoning !== undefined ||
    buckets.audioOutput !== undefined ||
    buckets.imageOutput !== undefined
  );
}

const OUTPUT_SIDE: readonly Bucket[] = ['output', 'reasoning', 'audioOutput', 'imageOutput'];

export function isOutputBucket(bucket: string): boolean {
  return OUTPUT_SIDE.includes(bucket as Bucket);
}

export function inputSide({ buckets }: Usage): Usage['buckets'] {
  const side = { ...buckets };
  for (const bucket of OUTPUT_SIDE) delete side[bucket];
  return side;
}

export function outputSide({ buckets }: Usage): Usage['buckets'] {
  const side: Usage['buckets'] = {};
  for (const bucket of OUTPUT_SIDE) {
    const units = buckets[bucket];
    if (units !== undefined) side[bucket] = units;
  }
  return side;
}
