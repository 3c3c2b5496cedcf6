/** What a model costs in a batch: a percentage of what it costs otherwise, each unit rounded up to a whole micro-toman. */
import type { Price, UnitPrices } from '../../core/price.ts';
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
  return Object.fromEntries(Object.entries(units).map(([bucket, each]) => [bucket, part(each, percent)]));
}

/** What has a price is never free. */
function part(amount: bigint, percent: bigint): bigint {
  return (amount * percent + 99n) / 100n;
}
