/** A provider's data policy: what the operator states, otherwise what its vendor publishes. */
import { type DataPolicy, isRegion, MAX_RETENTION_DAYS, NOTHING_STATED } from '@dargah/core/data-policy.ts';
import { withoutTrailing } from '../core/trailing.ts';
import { findVendor, shippedDataPolicy } from '../vendors/index.ts';
import type { ProviderRow } from './catalog-rows.ts';
import type { Model } from './model.ts';
import type { Fields } from './reading/fields.ts';
import { mistakes } from './reading/mistakes.ts';
import { baseUrlOf, type Environment } from './seed/vendor-address.ts';

/**
 * What a vendor publishes applies at its own address alone: a server that only speaks its protocol belongs to somebody
 * else.
 */
export function policyOf(row: Pick<ProviderRow, 'vendor' | 'base_url' | 'transport' | 'data_policy'>): DataPolicy {
  if (row.data_policy !== null) return row.data_policy;
  const isOwn = row.transport === 'sandbox' || isVendorAddress(row.vendor, row.base_url);
  return (isOwn ? shippedDataPolicy(row.vendor) : undefined) ?? NOTHING_STATED;
}

/**
 * True when the address is the vendor's, or the one that the environment puts in its place. Azure's addresses are those
 * of its customers, so only their ending is known.
 */
export function isVendorAddress(vendor: string, address: string, env: Environment = {}): boolean {
  if (vendor === 'azure-openai')
    return URL.canParse(address) && new URL(address).hostname.endsWith('.openai.azure.com');
  const known = findVendor(vendor);
  return known !== undefined && baseUrlOf(known, env) === withoutTrailing(address, '/');
}

/** `data_policy: {training, retention_days, region}`; a field that is left out is not stated. */
export function readDataPolicy(fields: Fields): DataPolicy | null {
  const child = fields.child('data_policy');
  if (child === undefined) return null;
  const region = child.text('region');
  if (region !== undefined && !isRegion(region)) child.mistake('region', mistakes.region(region));
  const policy: DataPolicy = {
    training: child.flag('training') ?? null,
    retention_days: child.whole('retention_days', { min: 0, max: MAX_RETENTION_DAYS }) ?? null,
    region: region ?? null,
  };
  child.finish();
  return policy;
}

/** The different policies of a model's routes, without naming the routes. */
export function policiesOf({ routes }: Pick<Model, 'routes'>): DataPolicy[] {
  const found = new Map<string, DataPolicy>();
  for (const { provider } of routes) {
    const { training, retention_days, region } = provider.dataPolicy ?? NOTHING_STATED;
    found.set(`${training} ${retention_days} ${region}`, { training, retention_days, region });
  }
  return [...found.values()];
}
