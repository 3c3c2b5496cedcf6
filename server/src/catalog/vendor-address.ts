/** Where a vendor lives: its own address, or the one the environment puts in its place. */
import type { Vendor } from '../vendors/index.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export function baseUrlOf(vendor: Vendor, env: Environment): string | undefined {
  const own = vendor.baseUrlEnv === undefined ? undefined : env[vendor.baseUrlEnv]?.trim();
  return (own || vendor.baseUrl)?.replace(/\/+$/, '');
}
