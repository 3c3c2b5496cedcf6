/** Numbers among the live settings that no file fixes: the stored one is in force, else the field's initial value. */
import { LIVE_SETTING_FIELDS } from '@dargah/core/fields/index.ts';
import type { Json } from './core/json.ts';

const NUMBERS = [
  ['cache_price_percent', 'cachePricePercent'],
  ['batch_price_percent', 'batchPricePercent'],
  ['guarantee_free_per_day', 'guaranteeFreePerDay'],
  ['guarantee_toman_per_day', 'guaranteeTomanPerDay'],
  ['own_key_fee_percent', 'ownKeyFeePercent'],
] as const;

type LiveNumber = (typeof NUMBERS)[number];
export type LiveNumbers = Record<LiveNumber[1], number>;

export function initialNumbers(): LiveNumbers {
  const numbers = NUMBERS.map(([field, name]) => [name, LIVE_SETTING_FIELDS[field].initial]);
  return Object.fromEntries(numbers) as LiveNumbers;
}

export function applyNumbers(inForce: LiveNumbers, stored: ReadonlyMap<string, Json>): void {
  for (const [field, name] of NUMBERS) {
    const value = stored.get(field);
    inForce[name] = typeof value === 'number' ? value : LIVE_SETTING_FIELDS[field].initial;
  }
}

export function numbersInForce(inForce: LiveNumbers): Record<LiveNumber[0], number> {
  return Object.fromEntries(NUMBERS.map(([field, name]) => [field, inForce[name]])) as Record<LiveNumber[0], number>;
}
