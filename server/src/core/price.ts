/** A price version and the one formula that turns usage into money. */
import { type Money, money } from './money.ts';
import { BUCKETS, type Bucket, type Usage } from './usage.ts';

/**
 * Micro-toman per unit of each bucket (= toman per million units), and once per request.
 * A bucket without its own price takes the price of the bucket it refines, see FALLBACK.
 */
export interface Price {
  /** Identity of the price row; a request is charged by the version it was admitted under. */
  version: string;
  perUnit: Partial<Record<Bucket, bigint>>;
  perRequest: bigint;
}

/** A refined bucket that is not priced apart costs what the plain one costs: never nothing. */
const FALLBACK: Partial<Record<Bucket, Bucket>> = {
  cacheRead: 'inputFresh',
  cacheWrite5m: 'inputFresh',
  cacheWrite1h: 'cacheWrite5m',
  audioInput: 'inputFresh',
  imageInput: 'inputFresh',
  reasoning: 'output',
  audioOutput: 'output',
};

export function unitPrice(price: Price, bucket: Bucket): bigint {
  for (let at: Bucket | undefined = bucket; at !== undefined; at = FALLBACK[at]) {
    const own = price.perUnit[at];
    if (own !== undefined) return own;
  }
  return 0n;
}

export interface CostLine {
  bucket: Bucket | 'request' | 'unpaid';
  units: number;
  unitPrice: bigint;
  amount: Money;
}

export function costOf(price: Price, usage: Usage): Money {
  let sum = price.perRequest;
  for (const bucket of BUCKETS) {
    const units = usage.buckets[bucket];
    if (units !== undefined && units > 0) sum += BigInt(units) * unitPrice(price, bucket);
  }
  return money(sum);
}

/** The same sum written out, for receipts: the lines add up to costOf exactly. */
export function costLines(price: Price, usage: Usage): CostLine[] {
  const lines: CostLine[] = [];
  for (const bucket of BUCKETS) {
    const units = usage.buckets[bucket];
    if (units === undefined || units <= 0) continue;
    const each = unitPrice(price, bucket);
    lines.push({ bucket, units, unitPrice: each, amount: money(BigInt(units) * each) });
  }
  if (price.perRequest > 0n)
    lines.push({ bucket: 'request', units: 1, unitPrice: price.perRequest, amount: money(price.perRequest) });
  return lines;
}

export function sumOf(lines: readonly CostLine[]): Money {
  let sum = 0n;
  for (const { amount } of lines) sum += amount;
  return money(sum);
}
