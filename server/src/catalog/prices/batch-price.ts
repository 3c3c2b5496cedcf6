/**
 * What a model costs in a batch: a percentage of the price of its tokens and its request, each rounded up to a whole
 * micro-toman. Tools that the provider runs and pictures by the piece keep their price.
 */
import type { Price, UnitPrices } from '../../core/price.ts';
import { type Bucket, isTokenBucket } from '../../core/usage.ts';
import type { Model } from '../model.ts';

/** Computed once per model version and percentage; entries go with the snapshot they belong to. */
const priced = new WeakMap<Model, Map<number, Model>>();

export function modelAtPercent(model: Model, percent: number): Model {
  if (percent === 100) return model;
  let known = priced.get(model);
  if (!known) {
    known = new Map();
    priced.set(model, known);
  }
  let own = known.get(percent);
  if (!own) {
    own = { ...model, price: atPercent(model.price, BigInt(percent)) };
    known.set(percent, own);
  }
  return own;
}

function atPercent({ perUnit, perRequest, tiers, ...rest }: Price, percent: bigint): Price {
  const price: Price = { ...rest, perUnit: unitsAt(perUnit, percent), perRequest: part(perRequest, percent) };
  if (tiers) price.tiers = tiers.map((tier) => ({ ...tier, perUnit: unitsAt(tier.perUnit, percent) }));
  return price;
}

function unitsAt(units: UnitPrices, percent: bigint): UnitPrices {
  const at = (bucket: string, each: bigint) => (isTokenBucket(bucket as Bucket) ? part(each, percent) : each);
  return Object.fromEntries(Object.entries(units).map(([bucket, each]) => [bucket, at(bucket, each)]));
}

/** Rounded up, so that nothing with a price becomes free. */
function part(amount: bigint, percent: bigint): bigint {
  return (amount * percent + 99n) / 100n;
}
