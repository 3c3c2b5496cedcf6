/**
 * What a model costs one account. An account with a margin of its own pays the list price at the same exchange rate
 * with its margin instead of the layers'. A price that was written in toman has no list price and is the same for
 * everybody.
 */
import type { Price } from '../../core/price.ts';
import type { Model, PriceOrigin } from '../model.ts';
import { ratesFromUsd } from './toman-price.ts';

/** Computed once per model version and margin, not per request; entries go with the snapshot they belong to. */
const priced = new WeakMap<Model, Map<string, Model>>();

/** Returns the model itself for an account without a margin, so a request pays one comparison. */
export function modelFor(model: Model, margin: string | null | undefined): Model {
  if (margin === undefined || margin === null || (!model.basis && !model.announced?.basis)) return model;
  let known = priced.get(model);
  if (!known) {
    known = new Map();
    priced.set(model, known);
  }
  let own = known.get(margin);
  if (!own) {
    own = withMargin(model, margin);
    known.set(margin, own);
  }
  return own;
}

function withMargin(model: Model, margin: string): Model {
  const { announced } = model;
  const own: Model = { ...model, price: priceBy(model.price, model.basis, margin) };
  if (announced) own.announced = { ...announced, price: priceBy(announced.price, announced.basis, margin) };
  return own;
}

export function priceBy(price: Price, basis: PriceOrigin | undefined, margin: string): Price {
  if (!basis) return price;
  const { usd, exchangeRate } = basis;
  return { version: accountVersion(price.version, margin), ...ratesFromUsd(usd, { exchangeRate, margin }) };
}

/** The version on a receipt names both: the price of the list, and the account's margin that replaced the list's. */
function accountVersion(version: string, margin: string): string {
  return `${version}+${margin}`;
}

export function readAccountVersion(version: string): { listVersion: string; margin: string | undefined } {
  const [listVersion = version, margin] = version.split('+');
  return { listVersion, margin };
}
