/**
 * The address of a vendor: its own, the one that the environment puts in its place, or that of the customer's part of a
 * cloud.
 */
import { withoutTrailing } from '../../core/trailing.ts';
import { type Environment, placeIn, type Vendor } from '../../vendors/index.ts';

export type { Environment } from '../../vendors/index.ts';

export function baseUrlOf(vendor: Vendor, env: Environment, secret?: string): string | undefined {
  const own = vendor.baseUrlEnv === undefined ? undefined : env[vendor.baseUrlEnv]?.trim();
  const { cloud } = vendor;
  if (own && cloud?.mended && URL.canParse(own)) return withoutTrailing(cloud.mended(own), '/');
  const address = own || vendor.baseUrl || cloud?.address(placeIn(cloud, env), secret);
  return address === undefined ? undefined : withoutTrailing(address, '/');
}
