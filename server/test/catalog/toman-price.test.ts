import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isDecimalText,
  microTomanPerRequest,
  microTomanPerUnit,
  ratesFromUsd,
} from '../../src/catalog/prices/toman-price.ts';

/** Decimal text as digits and a scale, so that the test can compute the exact answer another way. */
const decimal = (maxDigits: number) =>
  fc
    .record({
      digits: fc.bigInt({ min: 0n, max: 10n ** BigInt(maxDigits) - 1n }),
      scale: fc.integer({ min: 0, max: 9 }),
    })
    .map(({ digits, scale }) => {
      const padded = digits.toString().padStart(scale + 1, '0');
      const text = scale === 0 ? padded : `${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
      return { text, digits, scale };
    });

describe('USD list prices in toman', () => {
  it.each([
    ['2.5', '100000', '0.10', 275_000n],
    ['0.15', '100000', '0', 15_000n],
    ['0.1', '100000', '0.1', 11_000n],
    ['0.0375', '83250.5', '0.125', 3513n],
    ['0', '100000', '0.1', 0n],
    ['0.000001', '1', '0', 1n],
  ])('%s USD at %s with margin %s is %s micro-toman', (usd, exchangeRate, margin, expected) => {
    expect(microTomanPerUnit(usd, { exchangeRate, margin })).toBe(expected);
  });

  it('is the exact product, rounded up by less than one', () => {
    fc.assert(
      fc.property(decimal(8), decimal(10), decimal(3), (usd, rate, margin) => {
        const result = microTomanPerUnit(usd.text, { exchangeRate: rate.text, margin: margin.text });
        const scale = 10n ** BigInt(usd.scale + rate.scale + margin.scale);
        const exact = usd.digits * rate.digits * (10n ** BigInt(margin.scale) + margin.digits);
        expect(result * scale >= exact).toBe(true);
        expect((result - 1n) * scale < exact).toBe(true);
      }),
    );
  });

  it('never makes a dearer list price cheaper', () => {
    fc.assert(
      fc.property(decimal(8), decimal(8), decimal(6), (a, b, rate) => {
        const terms = { exchangeRate: rate.text, margin: '0.1' };
        const [low, high] = a.digits * 10n ** BigInt(b.scale) <= b.digits * 10n ** BigInt(a.scale) ? [a, b] : [b, a];
        expect(microTomanPerUnit(low.text, terms) <= microTomanPerUnit(high.text, terms)).toBe(true);
      }),
    );
  });

  it('prices a request in whole micro-toman', () => {
    expect(microTomanPerRequest('0.012', { exchangeRate: '100000', margin: '0.1' })).toBe(1_320_000_000n);
  });

  it('puts each field on its bucket', () => {
    const terms = { exchangeRate: '100000', margin: '0' };
    const usd = {
      input: '3',
      output: '15',
      cache_read: '0.3',
      cache_write_5m: '3.75',
      cache_write_1h: '6',
      request: '0.01',
    };
    expect(ratesFromUsd(usd, terms)).toEqual({
      perUnit: {
        inputFresh: 300_000n,
        output: 1_500_000n,
        cacheRead: 30_000n,
        cacheWrite5m: 375_000n,
        cacheWrite1h: 600_000n,
      },
      perRequest: 1_000_000_000n,
    });
  });

  it.each(['', '-1', '1e5', '1.', '.5', ' 1', 'NaN', '۱۲', '1,000'])('refuses %j', (text) => {
    expect(isDecimalText(text)).toBe(false);
    expect(() => microTomanPerUnit(text, { exchangeRate: '1', margin: '0' })).toThrow(RangeError);
  });
});
