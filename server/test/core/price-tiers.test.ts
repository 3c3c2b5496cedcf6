/** Prices by the length of the prompt: exact to the micro-toman, one tier for the whole request, never held for too little. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ratesFromText, ratesToText } from '../../src/catalog/prices/price-fields.ts';
import { ratesFromUsd } from '../../src/catalog/prices/toman-price.ts';
import { costLines, costOf, highestUnitPrice, type Price, sumOf, tierFor, unitPrice } from '../../src/core/price.ts';
import { BUCKETS, type Bucket, promptTokens, type Usage } from '../../src/core/usage.ts';

const units = fc.bigInt({ min: 0n, max: 10n ** 10n });
const someUnits = fc.dictionary(fc.constantFrom(...BUCKETS), units) as fc.Arbitrary<Partial<Record<Bucket, bigint>>>;
const lines = fc
  .uniqueArray(fc.integer({ min: 1, max: 2_000_000 }), { maxLength: 4 })
  .map((found) => found.sort((a, b) => a - b));
const price: fc.Arbitrary<Price> = fc
  .tuple(someUnits, units, lines, fc.array(someUnits, { minLength: 4, maxLength: 4 }))
  .map(([perUnit, perRequest, above, tiers]) => ({
    version: 'v',
    perUnit,
    perRequest,
    tiers: above.map((line, index) => ({ above: line, perUnit: tiers[index] ?? {} })),
  }));
const usage: fc.Arbitrary<Usage> = fc
  .dictionary(fc.constantFrom(...BUCKETS), fc.integer({ min: 0, max: 1_000_000 }))
  .map((buckets) => ({ buckets, source: 'upstream' as const }));

it('the cost is the exact sum of products by the one tier the prompt falls into, and the receipt adds up to it', () => {
  fc.assert(
    fc.property(price, usage, (cost, used) => {
      const prompt = promptTokens(used);
      const tier = cost.tiers?.filter(({ above }) => prompt > above).at(-1);
      let expected = cost.perRequest;
      for (const bucket of BUCKETS) expected += BigInt(used.buckets[bucket] ?? 0) * unitPrice(cost, bucket, tier);
      expect(costOf(cost, used)).toBe(expected);
      expect(sumOf(costLines(cost, used))).toBe(expected);
      expect(tierFor(cost, prompt)).toBe(tier);
    }),
  );
});

it('a hold by the estimate covers whatever the request costs when its prompt is no longer than estimated', () => {
  fc.assert(
    fc.property(price, usage, fc.integer({ min: 0, max: 1_000_000 }), (cost, used, more) => {
      const estimated = promptTokens(used) + more;
      for (const bucket of BUCKETS) {
        const tier = tierFor(cost, promptTokens(used));
        expect(highestUnitPrice(cost, bucket, estimated) >= unitPrice(cost, bucket, tier)).toBe(true);
      }
    }),
  );
});

it('prices with tiers survive the database as they are, and a list price makes each of their fields exact', () => {
  fc.assert(
    fc.property(price, ({ version: _, ...rates }) => {
      const kept = ratesFromText(ratesToText(rates));
      expect(kept.tiers ?? []).toEqual(rates.tiers);
      expect(kept).toMatchObject({ perUnit: rates.perUnit, perRequest: rates.perRequest });
    }),
  );
  const usd = { input: '1.25', output: '10', tiers: [{ above: 200_000, usd: { input: '2.5', output: '15' } }] };
  expect(ratesFromUsd(usd, { exchangeRate: '104333.7', margin: '0.07' })).toEqual({
    // 1.25 × 104333.7 × 1.07 = 139546.32375, rounded up once.
    perUnit: { inputFresh: 139_547n, output: 1_116_371n },
    perRequest: 0n,
    tiers: [{ above: 200_000, perUnit: { inputFresh: 279_093n, output: 1_674_556n } }],
  });
});

it('what a tier does not name costs what it costs without the tier', () => {
  const some: Price = {
    version: 'v',
    perUnit: { inputFresh: 10n, output: 20n, cacheRead: 1n },
    perRequest: 0n,
    tiers: [{ above: 100, perUnit: { inputFresh: 30n } }],
  };
  const used = (inputFresh: number): Usage => ({
    buckets: { inputFresh, cacheRead: 50, output: 2 },
    source: 'upstream',
  });
  expect(costOf(some, used(50))).toBe(500n + 50n + 40n);
  expect(costOf(some, used(51))).toBe(1_530n + 50n + 40n);
});
