import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { money, parseToman, toTomanNumber, toTomanText } from '../../src/core/money.ts';
import { costLines, costOf, type Price, unitPrice } from '../../src/core/price.ts';
import { BUCKETS, type Usage } from '../../src/core/usage.ts';

describe('toman text', () => {
  it('is exact in both directions', () => {
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 20n), 10n ** 20n), (micro) => {
        expect(parseToman(toTomanText(money(micro)))).toBe(micro);
      }),
    );
  });

  it.each([
    [1_950n, '0.00195'],
    [12_000_000n, '12'],
    [-3_500_000n, '-3.5'],
    [0n, '0'],
    [1n, '0.000001'],
  ])('writes %s micro-toman as %s', (micro, text) => {
    expect(toTomanText(money(micro))).toBe(text);
    expect(toTomanNumber(money(micro))).toBe(Number(text));
  });

  it.each(['', 'abc', '1.2345678', '1e5', '--1', '1.', '.5', 'NaN', 'Infinity'])('refuses %j', (text) => {
    expect(parseToman(text)).toBeUndefined();
  });

  it('reads numbers of a configuration file', () => {
    expect(parseToman(0.1)).toBe(100_000n);
    expect(parseToman(0.000001)).toBe(1n);
    expect(parseToman(0.0000001)).toBeUndefined();
    expect(parseToman(Number.NaN)).toBeUndefined();
  });
});

const unit = fc.bigInt(0n, 10n ** 9n);
const price: fc.Arbitrary<Price> = fc.record({
  version: fc.constant('v1'),
  perUnit: fc.dictionary(fc.constantFrom(...BUCKETS), unit) as fc.Arbitrary<Price['perUnit']>,
  perRequest: unit,
});
const usage: fc.Arbitrary<Usage> = fc.record({
  buckets: fc.dictionary(fc.constantFrom(...BUCKETS), fc.nat(10_000_000)) as fc.Arbitrary<Usage['buckets']>,
  source: fc.constant('upstream' as const),
});

describe('cost', () => {
  it('is the sum of its lines, to the micro-toman', () => {
    fc.assert(
      fc.property(price, usage, (given, used) => {
        const sum = costLines(given, used).reduce((total, line) => total + line.amount, 0n);
        expect(sum).toBe(costOf(given, used));
      }),
    );
  });

  it('never falls when more is used', () => {
    fc.assert(
      fc.property(price, usage, fc.constantFrom(...BUCKETS), fc.nat(1000), (given, used, bucket, more) => {
        const larger = { ...used, buckets: { ...used.buckets, [bucket]: (used.buckets[bucket] ?? 0) + more } };
        expect(costOf(given, larger) >= costOf(given, used)).toBe(true);
      }),
    );
  });

  it('prices a refined bucket like the plain one when it has no price of its own, never as nothing', () => {
    const plain: Price = { version: 'v', perUnit: { inputFresh: 5n, output: 7n }, perRequest: 0n };
    expect(unitPrice(plain, 'cacheRead')).toBe(5n);
    expect(unitPrice(plain, 'cacheWrite1h')).toBe(5n);
    expect(unitPrice(plain, 'reasoning')).toBe(7n);
    expect(unitPrice({ ...plain, perUnit: { ...plain.perUnit, cacheRead: 0n } }, 'cacheRead')).toBe(0n);
  });
});
