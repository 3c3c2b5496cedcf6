/**
 * What a request consumed, in buckets that do not overlap. `undefined` means "not reported", which is not zero:
 * a charge may be estimated for an unknown bucket, never for a bucket the provider said was empty.
 */
import type { ServiceTier } from '@dargah/core/catalog-terms.ts';
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
/** What tools that the provider runs consume beside the tokens of the model: calls, sessions, and tokens of the tool that draws. */
const TOOL_BUCKETS = [
  'webSearches',
  'webFetches',
  'fileSearches',
  'codeSessions',
  'imageToolInput',
  'imageToolOutput',
] as const;
export const BUCKETS = [...TOKEN_BUCKETS, ...COUNT_BUCKETS, ...TOOL_BUCKETS] as const;

export type Bucket = (typeof BUCKETS)[number];
export type ToolBucket = (typeof TOOL_BUCKETS)[number];
export type UsageSource = 'upstream' | 'estimated';

export interface Usage {
  buckets: Partial<Record<Bucket, number>>;
  source: UsageSource;
  /** The provider's own usage object, kept for receipts and disputes. */
  raw?: Json;
  /** The service tier that the request is charged by; absent: the normal one. */
  tier?: ServiceTier;
  /** The kinds of the pictures that were made, where pictures are priced each. */
  picture?: PictureKind;
}

/** What a price per picture depends on; absent fields are unknown. */
export interface PictureKind {
  size?: string;
  quality?: string;
}

const TOKENS: ReadonlySet<Bucket> = new Set(TOKEN_BUCKETS);

/** Buckets whose price a service tier changes: the model's own tokens. */
export function isTokenBucket(bucket: Bucket): boolean {
  return TOKENS.has(bucket);
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
  const picture = later.picture ?? earlier.picture;
  if (picture !== undefined) merged.picture = picture;
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

/** Calls of tools belong to neither side: their count says nothing about tokens. */
export function isInputBucket(bucket: string): boolean {
  return !OUTPUT_SIDE.includes(bucket as Bucket) && !TOOL_BUCKETS.includes(bucket as ToolBucket);
}

export function inputSide({ buckets }: Usage): Usage['buckets'] {
  const side = { ...buckets };
  for (const bucket of OUTPUT_SIDE) delete side[bucket];
  for (const bucket of TOOL_BUCKETS) delete side[bucket];
  return side;
}

export function outputSide(usage: Usage): Usage['buckets'] {
  return sideOf(usage, OUTPUT_SIDE);
}

/** These are counted by the gateway as they are seen, so they stand whatever else the provider reports. */
export function toolSide(usage: Usage): Usage['buckets'] {
  return sideOf(usage, TOOL_BUCKETS);
}

function sideOf({ buckets }: Usage, names: readonly Bucket[]): Usage['buckets'] {
  const side: Usage['buckets'] = {};
  for (const bucket of names) {
    const units = buckets[bucket];
    if (units !== undefined) side[bucket] = units;
  }
  return side;
}

/** True when the provider ran tools of its own. */
export function ranTools({ buckets }: Usage): boolean {
  for (const bucket of TOOL_BUCKETS) if ((buckets[bucket] ?? 0) > 0) return true;
  return false;
}
