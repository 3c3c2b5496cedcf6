/** A price version and the one formula that turns usage into money. */
import type { ServiceTier } from '@dargah/core/catalog-terms.ts';
import { type Money, money, ZERO } from './money.ts';
import { BUCKETS, type Bucket, isTokenBucket, type PictureKind, promptTokens, type Usage } from './usage.ts';

export type UnitPrices = Partial<Record<Bucket, bigint>>;

/** Other prices for long prompts: they hold for the whole request, not only for the tokens beyond the line. */
export interface PriceTier {
  /** In force when the prompt is longer than this many tokens. */
  above: number;
  /** What the tier does not name costs what it costs without it. */
  perUnit: UnitPrices;
}

/**
 * Micro-toman per unit of each bucket (= toman per million units), and once per request.
 * A bucket without its own price takes the price of the bucket it refines, see FALLBACK.
 */
export interface Price {
  /** Identity of the price row; a request is charged by the version it was admitted under. */
  version: string;
  perUnit: UnitPrices;
  perRequest: bigint;
  /** Ascending by `above`; absent: one price for prompts of any length. */
  tiers?: readonly PriceTier[];
  /** What tokens cost at a service tier, in thousandths of the normal price. */
  serviceTiers?: ServiceFactors;
  /** What a picture costs by its size and quality, where `images` is not the price of them all. */
  pictures?: readonly PicturePrice[];
}

export type ServiceFactors = Partial<Record<ServiceTier, bigint>>;
export const SERVICE_UNIT = 1_000n;

/** An entry without a size or a quality holds for every one. */
export interface PicturePrice extends PictureKind {
  /** As `perUnit.images`. */
  each: bigint;
}

/** An estimate may be a little below what the provider counts: a hold for a prompt this near to a tier covers the tier too. */
const NEAR_TIER = 1.1;

/** A refined bucket that is not priced apart costs what the plain one costs: never nothing. */
const FALLBACK: Partial<Record<Bucket, Bucket>> = {
  cacheRead: 'inputFresh',
  cacheWrite5m: 'inputFresh',
  cacheWrite1h: 'cacheWrite5m',
  audioInput: 'inputFresh',
  audioCacheRead: 'cacheRead',
  imageInput: 'inputFresh',
  reasoning: 'output',
  audioOutput: 'output',
  imageOutput: 'output',
};

export function unitPrice(price: Price, bucket: Bucket, tier?: PriceTier): bigint {
  for (let at: Bucket | undefined = bucket; at !== undefined; at = FALLBACK[at]) {
    const own = tier?.perUnit[at] ?? price.perUnit[at];
    if (own !== undefined) return own;
  }
  return 0n;
}

/** The tier of a prompt of so many tokens; undefined below the first. */
export function tierFor({ tiers }: Price, prompt: number): PriceTier | undefined {
  return tiers?.findLast(({ above }) => prompt > above);
}

/** The most a unit can cost when the prompt turns out no longer than estimated: what a hold is made of. */
export function highestUnitPrice(price: Price, bucket: Bucket, estimatedPrompt: number): bigint {
  let highest = unitPrice(price, bucket);
  for (const tier of price.tiers ?? []) {
    if (estimatedPrompt * NEAR_TIER <= tier.above) break;
    const each = unitPrice(price, bucket, tier);
    if (each > highest) highest = each;
  }
  return highest;
}

/** Rounded up, as every price is. */
export function atFactor(each: bigint, factor: bigint): bigint {
  return (each * factor + SERVICE_UNIT - 1n) / SERVICE_UNIT;
}

/**
 * The dearest of the entries that hold for a picture of which so much is known: what nobody told may be the dearest kind.
 * An entry that names more wins over one that names less. Undefined where none holds.
 */
function picturePrice(pictures: readonly PicturePrice[], kind: PictureKind): bigint | undefined {
  let found: { each: bigint; named: number } | undefined;
  for (const entry of pictures) {
    if (!fits(entry.size, kind.size) || !fits(entry.quality, kind.quality)) continue;
    const named = Number(isNamed(entry.size, kind.size)) + Number(isNamed(entry.quality, kind.quality));
    if (!found || named > found.named || (named === found.named && entry.each > found.each))
      found = { each: entry.each, named };
  }
  return found?.each;
}

function fits(entry: string | undefined, told: string | undefined): boolean {
  return entry === undefined || told === undefined || entry === told;
}

function isNamed(entry: string | undefined, told: string | undefined): boolean {
  return entry !== undefined && entry === told;
}

/** What a unit of this usage costs: by the length of its prompt, its service tier and the kind of its pictures. */
function unitPriceOf(price: Price, bucket: Bucket, tier: PriceTier | undefined, usage: Usage): bigint {
  if (bucket === 'images' && price.pictures) {
    const each = picturePrice(price.pictures, usage.picture ?? {});
    if (each !== undefined) return each;
  }
  const each = unitPrice(price, bucket, tier);
  const factor = usage.tier === undefined ? undefined : price.serviceTiers?.[usage.tier];
  return factor === undefined || !isTokenBucket(bucket) ? each : atFactor(each, factor);
}

export interface CostLine {
  /** `cached`: what is not charged of an answer that was made before. */
  bucket: Bucket | 'request' | 'cached' | 'unpaid';
  units: number;
  unitPrice: bigint;
  amount: Money;
}

export function costOf(price: Price, usage: Usage): Money {
  let sum = price.perRequest;
  const tier = price.tiers && tierFor(price, promptTokens(usage));
  for (const bucket of BUCKETS) {
    const units = usage.buckets[bucket];
    if (units !== undefined && units > 0) sum += BigInt(units) * unitPriceOf(price, bucket, tier, usage);
  }
  return money(sum);
}

/** The same sum written out, for receipts: the lines add up to costOf exactly. */
export function costLines(price: Price, usage: Usage): CostLine[] {
  const lines: CostLine[] = [];
  const tier = price.tiers && tierFor(price, promptTokens(usage));
  for (const bucket of BUCKETS) {
    const units = usage.buckets[bucket];
    if (units === undefined || units <= 0) continue;
    const each = unitPriceOf(price, bucket, tier, usage);
    lines.push({ bucket, units, unitPrice: each, amount: money(BigInt(units) * each) });
  }
  if (price.perRequest > 0n)
    lines.push({ bucket: 'request', units: 1, unitPrice: price.perRequest, amount: money(price.perRequest) });
  return lines;
}

/** What the provider's prompt cache saved beside the plain price of the input; below zero while more was written than read. */
export function savedByPromptCache(price: Price, usage: Usage): Money {
  const { cacheRead, cacheWrite5m, cacheWrite1h } = usage.buckets;
  if (!cacheRead && !cacheWrite5m && !cacheWrite1h) return ZERO;
  const tier = price.tiers && tierFor(price, promptTokens(usage));
  const plain = unitPrice(price, 'inputFresh', tier);
  const saved = (units: number | undefined, bucket: Bucket): bigint =>
    units ? BigInt(units) * (plain - unitPrice(price, bucket, tier)) : 0n;
  return money(
    saved(cacheRead, 'cacheRead') + saved(cacheWrite5m, 'cacheWrite5m') + saved(cacheWrite1h, 'cacheWrite1h'),
  );
}

export function sumOf(lines: readonly CostLine[]): Money {
  let sum = 0n;
  for (const { amount } of lines) sum += amount;
  return money(sum);
}
