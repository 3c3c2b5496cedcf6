/** What a model costs in a batch. */
import { expect, it } from 'vitest';
import type { Model } from '../../src/catalog/index.ts';
import { modelAtPercent } from '../../src/catalog/prices/batch-price.ts';

it('cuts the price of tokens and of the request, rounded up, and of nothing that the provider sells beside them', () => {
  const price = {
    version: 'v',
    perUnit: { inputFresh: 15_001n, output: 60_000n, webSearches: 10_000_000n, images: 50_000_000n },
    perRequest: 5n,
    tiers: [{ above: 100, perUnit: { inputFresh: 3n, codeSessions: 30n } }],
  };
  const model = { id: 'a/b', price } as unknown as Model;
  expect(modelAtPercent(model, 100)).toBe(model);
  const half = modelAtPercent(model, 50);
  expect(half.price).toEqual({
    version: 'v',
    perUnit: { inputFresh: 7_501n, output: 30_000n, webSearches: 10_000_000n, images: 50_000_000n },
    perRequest: 3n,
    tiers: [{ above: 100, perUnit: { inputFresh: 2n, codeSessions: 30n } }],
  });
  expect(modelAtPercent(model, 50)).toBe(half);
});
