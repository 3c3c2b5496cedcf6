/** Parts of an order that go back: whatever they are, and whichever of them were undone in between, they add up to it exactly. */
import { describe, expect, it } from 'vitest';
import { money } from '../../src/core/money.ts';
import { inHundredths, inRial, taxOn, wholeToman } from '../../src/payments/amounts.ts';
import { NOTHING, nextPortion, type Portion, sumOfPortions } from '../../src/payments/refund-split.ts';
import { seeded } from '../admission/seeded.ts';

const MICRO = 1_000_000n;

function orderOf(below: (n: number) => number) {
  const amount = wholeToman(BigInt(1 + below(below(2) === 0 ? 50 : 90_000_000)));
  const vat = taxOn(amount, [0, 900, 950, 1_000, 2_533][below(5)] ?? 0);
  const total = money(amount + vat);
  const payable = below(2) === 0 ? inRial(total) : inHundredths(total, 'usd', wholeToman(BigInt(1 + below(200_000))));
  return { amount, vat, payable };
}

describe('the parts of an order', () => {
  it('add up to it in credit, tax and units, also where some were undone', () => {
    const below = seeded(1405);
    for (let history = 0; history < 3_000; history++) {
      const order = orderOf(below);
      const taken: Portion[] = [];
      for (;;) {
        const before = sumOfPortions(taken);
        const left = (order.amount - before.amount) / MICRO;
        if (left === 0n) break;
        const part = below(4) === 0 ? left : (left * BigInt(1 + below(100))) / 100n || 1n;
        taken.push(nextPortion(order, before, wholeToman(part)));
        // The gateway refused one of them, and its credit was given back.
        if (taken.length < 40 && below(5) === 0) taken.splice(below(taken.length), 1);
      }
      const whole = { amount: order.amount, vat: order.vat, units: order.payable.units };
      expect(sumOfPortions(taken), `history ${history}`).toEqual(whole);
      for (const { amount, vat, units } of taken) expect(amount > 0n && vat >= 0n && units >= 0n).toBe(true);
    }
  });

  it('are each their share, rounded to whole toman', () => {
    const order = {
      amount: wholeToman(1_000_000n),
      vat: wholeToman(100_000n),
      payable: inRial(wholeToman(1_100_000n)),
    };
    const first = nextPortion(order, NOTHING, wholeToman(300_000n));
    expect(first).toEqual({ amount: wholeToman(300_000n), vat: wholeToman(30_000n), units: 3_300_000n });
    const second = nextPortion(order, first, wholeToman(4n));
    // 30,000.4 so far is 30,000: the fraction waits for a later part.
    expect([second.vat, second.units]).toEqual([0n, 40n]);
    const third = nextPortion(order, sumOfPortions([first, second]), wholeToman(1n));
    expect([third.vat, third.units]).toEqual([wholeToman(1n), 20n]);
  });
});
