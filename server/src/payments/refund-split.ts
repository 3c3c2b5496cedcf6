/**
 * Splits an order into partial refunds: the tax of each part and what the gateway sends. The parts of a whole add up to
 * it exactly.
 */
import { type Money, money } from '../core/money.ts';
import { wholeToman } from './amounts.ts';
import type { Order } from './order.ts';

export interface Portion {
  amount: Money;
  vat: Money;
  /** In the gateway's unit. */
  units: bigint;
}

export const NOTHING: Portion = { amount: money(0n), vat: money(0n), units: 0n };
const MICRO = 1_000_000n;

export function sumOfPortions(portions: readonly Portion[]): Portion {
  return portions.reduce(
    (sum, one) => ({
      amount: money(sum.amount + one.amount),
      vat: money(sum.vat + one.vat),
      units: sum.units + one.units,
    }),
    NOTHING,
  );
}

/**
 * The next part: everything that should have been refunded with it, less what was refunded before. So rounding is
 * corrected by the following part, and the last one takes the rest. When a part was undone before, more may have been
 * refunded than this part's share; it then refunds nothing, and the next one less.
 */
export function nextPortion(order: Pick<Order, 'amount' | 'vat' | 'payable'>, before: Portion, amount: Money): Portion {
  const gone = before.amount + amount;
  const tax = roundedToman(order.vat * gone, order.amount);
  const units = (order.payable.units * (gone + tax)) / (order.amount + order.vat);
  return {
    amount,
    vat: money(tax > before.vat ? tax - before.vat : 0n),
    units: units > before.units ? units - before.units : 0n,
  };
}

/** Whole toman, halves rounded up, as the tax of an order is. */
function roundedToman(value: bigint, divisor: bigint): bigint {
  const scale = divisor * MICRO;
  return wholeToman((value * 2n + scale) / (scale * 2n));
}
