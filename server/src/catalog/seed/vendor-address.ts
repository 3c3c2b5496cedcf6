/** Where a vendor lives: its own address, or the one the environment puts in its place. */
import { withoutTrailing } from '../../core/trailing.ts';
import type { Vendor } from '../../vendors/index.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export function baseUrlOf(vendor: Vendor, env: Environment): string | undefined {
  const own = vendor.baseUrlEnv === undefined ? undefined : env[vendor.baseUrlEnv]?.trim();
  const address = own || vendor.baseUrl;
  return address === undefined ? undefined : withoutTrailing(address, '/');
}
