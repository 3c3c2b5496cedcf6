/** A large body is read only for a caller who could be answered: reading it is the dearest thing we do for nothing. */
import type { CatalogSnapshot, Model } from '../../catalog/index.ts';
import { GatewayError } from '../../core/errors.ts';
import { unitPrice } from '../../core/price.ts';
import { BUCKETS } from '../../core/usage.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import type { Call } from '../call.ts';
import type { Gateway } from '../gateway.ts';
import { demandsOf } from './demands.ts';
import { RATE_LIMITS, type RateLimit } from './limits.ts';

/** Nearly all requests are smaller; reading one of this size takes about a millisecond. */
export const LARGE_BODY_BYTES = 64 * 1024;

/** Nothing is taken: the request's own demands are known when it was read. */
export async function checkBeforeReading(call: Call, key: KeySnapshot, gw: Gateway): Promise<void> {
  const demands = demandsOf(key, gw.settings.walletMinimum, gw.clock.now());
  const windows = await gw.admission.windows(demands.rates);
  for (const { id, name, amount } of demands.rates) {
    const state = windows.get(id);
    if (state === undefined || state.remaining >= amount) continue;
    call.trail.windows = windows;
    const detail = { limit: (RATE_LIMITS.get(name) as RateLimit).told, limit_value: state.limit };
    throw new GatewayError('rate_limited', { retryAfterMs: Math.min(state.resetMs, 60_000), detail });
  }
  if (isFreeSomewhere(gw.catalog.current())) return;
  const budgets = await gw.admission.budgets([...demands.caps, demands.wallet]);
  for (const { id, name } of [...demands.caps, demands.wallet]) {
    const state = budgets.get(id);
    if (state === undefined || state.limit - state.posted - state.held > 0n) continue;
    throw new GatewayError(name === 'wallet' ? 'insufficient_balance' : 'spend_cap_reached');
  }
}

const free = new WeakMap<CatalogSnapshot, boolean>();

/**
 * Where a model costs nothing, an empty wallet says nothing before the model is known. The free simulator does not count: it is
 * in nearly every catalog, and a first try is small.
 */
function isFreeSomewhere(catalog: CatalogSnapshot): boolean {
  const known = free.get(catalog);
  if (known !== undefined) return known;
  const found = [...catalog.models.values()].some(isFree);
  free.set(catalog, found);
  return found;
}

function isFree({ price, simulated }: Model): boolean {
  return (
    !simulated && price.perRequest === 0n && !price.tiers && BUCKETS.every((bucket) => unitPrice(price, bucket) === 0n)
  );
}
