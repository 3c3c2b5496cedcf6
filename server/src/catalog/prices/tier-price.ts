/** A model at the price of a service tier, which is held for a request that asks for the tier. */
import type { ServiceTier } from '@dargah/core/catalog-terms.ts';
import { atFactor, type Price, SERVICE_UNIT, type UnitPrices } from '../../core/price.ts';
import { type Bucket, isTokenBucket } from '../../core/usage.ts';
import type { Model } from '../model.ts';

/** Tiers that a provider may choose where the client leaves it the choice. */
const CHOSEN: readonly ServiceTier[] = ['flex', 'priority'];
/** Made once per model version and factor; entries go with the snapshot they belong to. */
const held = new WeakMap<Model, Map<bigint, Model>>();

/**
 * The highest price that may apply, because a provider may always serve at the normal tier. Returns the model itself
 * where the normal price is the highest.
 */
export function modelAtTier(model: Model, asked: ServiceTier | 'auto'): Model {
  const { serviceTiers } = model.price;
  if (!serviceTiers) return model;
  let factor = SERVICE_UNIT;
  for (const tier of asked === 'auto' ? CHOSEN : [asked]) {
    const own = serviceTiers[tier] ?? SERVICE_UNIT;
    if (own > factor) factor = own;
  }
  return factor === SERVICE_UNIT ? model : heldAt(model, factor);
}

function heldAt(model: Model, factor: bigint): Model {
  let known = held.get(model);
  if (!known) {
    known = new Map();
    held.set(model, known);
  }
  let atTier = known.get(factor);
  if (!atTier) {
    atTier = { ...model, price: times(model.price, factor), soldAt: model.price };
    known.set(factor, atTier);
  }
  return atTier;
}

function times(price: Price, factor: bigint): Price {
  const { tiers } = price;
  return {
    ...price,
    perUnit: unitsTimes(price.perUnit, factor),
    ...(tiers && { tiers: tiers.map((tier) => ({ ...tier, perUnit: unitsTimes(tier.perUnit, factor) })) }),
  };
}

function unitsTimes(units: UnitPrices, factor: bigint): UnitPrices {
  const atTier: UnitPrices = { ...units };
  for (const name in units) {
    const bucket = name as Bucket;
    const each = units[bucket];
    if (each !== undefined && isTokenBucket(bucket)) atTier[bucket] = atFactor(each, factor);
  }
  return atTier;
}
