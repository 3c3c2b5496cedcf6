/**
 * A model as seen by an account with its own key at a provider: that provider's routes with that key, and the fee
 * instead of the price. It is a separate model object, so that hold, charge, receipt and books follow from its price
 * and costs like any other's.
 */
import { NOTHING_STATED } from '@dargah/core/data-policy.ts';
import type { Model, Route } from '../../catalog/index.ts';
import type { Price, UnitPrices } from '../../core/price.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import { findVendor, shippedDataPolicy } from '../../vendors/index.ts';
import type { Gateway } from '../gateway.ts';

type Account = KeySnapshot['account'];

/** The provider charges its own customer and not the operator. */
const NOTHING_OWED: Price = { version: 'own-key', perUnit: {}, perRequest: 0n };

/** Made once for a snapshot of an account and of a model. */
const made = new WeakMap<Account, { feePercent: number; models: WeakMap<Model, Model | null> }>();

/**
 * The models to plan with. Where the account has its own key for a model, that key is used, and the operator's routes
 * follow only where the key's owner allows it. For everybody else the models themselves, with nothing allocated.
 */
export function withOwnKeys(models: Model[], { account }: KeySnapshot, { settings }: Gateway): Model[] {
  if (account.ownKeys === undefined || !settings.ownKeys) return models;
  return models.flatMap((model) => {
    const own = ownVariant(model, account, settings.ownKeyFeePercent);
    if (own === null) return [model];
    return own.routes.every((route) => route.own?.fallback) ? [own, model] : [own];
  });
}

/** The highest price among the models that may answer: the request is admitted by it until a route answers. */
export function mostExpensiveOf(models: readonly Model[], asked: Model): Model {
  return models.includes(asked) ? asked : (models[0] ?? asked);
}

function ownVariant(model: Model, account: Account, feePercent: number): Model | null {
  let known = made.get(account);
  if (known?.feePercent !== feePercent) {
    known = { feePercent, models: new WeakMap() };
    made.set(account, known);
  }
  let own = known.models.get(model);
  if (own === undefined) {
    own = makeVariant(model, account, feePercent);
    known.models.set(model, own);
  }
  return own;
}

function makeVariant(model: Model, account: Account, feePercent: number): Model | null {
  const routes = model.routes.flatMap((route) => ownRoute(route, account, feePercent));
  if (routes.length === 0) return null;
  // No hedging: a second route would use the same key, and its owner would pay twice.
  return { ...model, routes, hedge: false, price: feeOf(model.price, feePercent) };
}

function ownRoute(route: Route, { ownKeys }: Account, feePercent: number): Route[] {
  const { provider } = route;
  const key = provider.takesOwnKeys ? ownKeys?.find((one) => one.provider === provider.id) : undefined;
  if (key === undefined) return [];
  const { id, secret, fallback } = key;
  return [
    {
      ...route,
      // Headers that the operator added, and the operator's data terms, belong to the operator's account at the
      // provider.
      provider: {
        ...provider,
        credentials: [{ id, secret }],
        headers: findVendor(provider.vendor)?.headers ?? {},
        dataPolicy: shippedDataPolicy(provider.vendor) ?? NOTHING_STATED,
      },
      cost: NOTHING_OWED,
      // The operator's limits concern the operator's key.
      limits: undefined,
      own: { id, feePercent, fallback },
    },
  ];
}

/** A percentage of a price, rounded up so that a small fee does not become zero. */
function feeOf(price: Price, percent: number): Price {
  const part = (amount: bigint) => (amount * BigInt(percent) + 99n) / 100n;
  const parts = (units: UnitPrices): UnitPrices =>
    Object.fromEntries(Object.entries(units).map(([bucket, amount]) => [bucket, part(amount)]));
  return {
    version: price.version,
    perUnit: parts(price.perUnit),
    perRequest: part(price.perRequest),
    // Factors apply to the fee as they do to the price.
    ...(price.serviceTiers && { serviceTiers: price.serviceTiers }),
    ...(price.pictures && { pictures: price.pictures.map((one) => ({ ...one, each: part(one.each) })) }),
    ...(price.tiers && { tiers: price.tiers.map(({ above, perUnit }) => ({ above, perUnit: parts(perUnit) })) }),
  };
}
