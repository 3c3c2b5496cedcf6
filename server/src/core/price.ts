/** A price version and the one formula that turns usage into money. */
import type { ServiceTier } from '@dargah/core/catalog-terms.ts';
import { type Money, money, ZERO } from './money.ts';
import { BUCKETS, type Bucket, isTokenBucket, type PictureKind, promptTokens, type Usage } from './usage.ts';

export type UnitPrices = Partial<Record<Bucket, bigint>>;

/** Prices for long prompts: they hold for the whole request, not only for the tokens beyond the threshold. */
export interface PriceTier {
  /** The tier applies when the prompt is longer than this many tokens. */
  above: number;
  /** Units that the tier does not name keep their normal price. */
  perUnit: UnitPrices;
}

/**
 * Micro-toman per unit of each bucket (= toman per million units), and once per request.
 * A bucket without its own price takes the price of the bucket it refines, see FALLBACK.
 */
export interface Price {
  /** The id of the price row; a request is charged by the version it was admitted under. */
  version: string;
  perUnit: UnitPrices;
  perRequest: bigint;
  /** Ascending by `above`; absent: one price for prompts of any length. */
  tiers?: readonly PriceTier[];
  /** What tokens cost at each service tier, in thousandths of the normal price. */
  serviceTiers?: ServiceFactors;
  /** What a picture costs by size and quality, where pictures do not all cost `images`. */
  pictures?: readonly PicturePrice[];
}

export type ServiceFactors = Partial<Record<ServiceTier, bigint>>;
export const SERVICE_UNIT = 1_000n;

/** An entry without a size or a quality holds for every size or quality. */
export interface PicturePrice extends PictureKind {
  /** Micro-toman per picture, like `perUnit.images`. */
  each: bigint;
}

/**
 * An estimate may be a little lower than what the provider counts, so a hold for a prompt this close to a tier covers
 * the tier too.
 */
const NEAR_TIER = 1.1;

/** A refined bucket without a price of its own costs what the plain bucket costs: never nothing. */
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

/** The tier of a prompt of that many tokens; undefined below the first tier. */
export function tierFor({ tiers }: Price, prompt: number): PriceTier | undefined {
  return tiers?.findLast(({ above }) => prompt > above);
}

/** The highest price of a unit for a prompt that turns out no longer than estimated: holds are made of it. */
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
 * The highest price among the entries that fit what is known of a picture, because what is unknown may be of the most
 * expensive kind. An entry that names more wins over one that names less. Undefined where no entry fits.
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

function fits(entry: string | undefined, reported: string | undefined): boolean {
  return entry === undefined || reported === undefined || entry === reported;
}

function isNamed(entry: string | undefined, reported: string | undefined): boolean {
  return entry !== undefined && entry === reported;
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
  /** `cached`: the part that is not charged, of an answer from the response cache. */
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

/**
 * What the provider's prompt cache saved against the plain price of the input; negative while more was written than
 * read.
 */
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
