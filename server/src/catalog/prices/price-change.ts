/** By how much a list price changes, as a customer would notice it: in every field, at every length of a prompt. */
import { type Price, tierFor, unitPrice } from '../../core/price.ts';
import { BUCKET_OF_FIELD, PRICE_FIELD_NAMES, type PriceField } from './price-fields.ts';
import { ratesFromUsd, type UsdPrice } from './toman-price.ts';

/** A rate so high that rounding to whole micro-toman does not show in percentages. */
const FINE_TERMS = { exchangeRate: '1000000000', margin: '0' };

/**
 * Changes in per cent, one for each field and prompt length that costs something now. A field that is named for the
 * first time is no change, unless it makes something free; a field that is no longer named costs what the field that it
 * refines costs.
 */
export function changesBetween(old: UsdPrice, next: UsdPrice): number[] {
  const [before, after] = [priceOf(old), priceOf(next)];
  const changes: number[] = [];
  for (const prompt of lengthsOf(before, after))
    for (const field of PRICE_FIELD_NAMES) {
      const bucket = BUCKET_OF_FIELD[field];
      const was = unitPrice(before, bucket, tierFor(before, prompt));
      const is = unitPrice(after, bucket, tierFor(after, prompt));
      if (was > 0n && (is === 0n || isNamed(old, field, prompt))) changes.push(percent(was, is));
    }
  if (before.perRequest > 0n) changes.push(percent(before.perRequest, after.perRequest));
  return changes;
}

function priceOf(usd: UsdPrice): Price {
  return { version: '', ...ratesFromUsd(usd, FINE_TERMS) };
}

/** One prompt length for each range between two tiers of either price. */
function lengthsOf(...prices: Price[]): Set<number> {
  return new Set([0, ...prices.flatMap(({ tiers = [] }) => tiers.map(({ above }) => above + 1))]);
}

function isNamed({ tiers, ...usd }: UsdPrice, field: PriceField, prompt: number): boolean {
  const tier = tiers?.findLast(({ above }) => prompt > above);
  return (tier?.usd[field] ?? usd[field]) !== undefined;
}

function percent(was: bigint, is: bigint): number {
  return Math.round((Number(is) / Number(was) - 1) * 10_000) / 100;
}
