import { describe, expect, it } from 'vitest';
import { judgePrice } from '../../src/catalog/prices/price-bounds.ts';
import { parsePerMillion } from '../../src/catalog/prices/price-fields.ts';

const chat = (input: bigint, output: bigint, cacheRead?: bigint) => ({
  perUnit: { inputFresh: input, output, ...(cacheRead !== undefined && { cacheRead }) },
  perRequest: 0n,
});

describe('sanity of prices', () => {
  it('accepts an ordinary price in silence', () => {
    expect(judgePrice(chat(15_000n, 60_000n, 7500n), 'chat')).toEqual({ errors: [], warnings: [] });
  });

  it('refuses a price per unit written as one per million', () => {
    const { errors } = judgePrice(chat(15_000_000_000n, 60_000n), 'chat');
    const message = expect.stringContaining('not per unit');
    expect(errors).toEqual([{ field: 'input', message, persian: expect.stringContaining('نه یک واحد') }]);
  });

  it.each([
    ['chat', { inputFresh: 1000n }, 'output'],
    ['chat', { inputFresh: 0n, output: 0n }, 'input'],
    ['embedding', {}, 'input'],
    ['speech', { inputFresh: 5n }, 'characters or seconds'],
    ['transcription', {}, 'seconds'],
  ] as const)('a %s model priced %o lacks %s', (kind, perUnit, missing) => {
    const { errors } = judgePrice({ perUnit, perRequest: 0n }, kind);
    expect(errors.map((error) => error.message).join()).toContain(missing);
  });

  it.each([
    ['swapped prices', chat(60_000n, 15_000n), 'output'],
    ['a dear cache', chat(1000n, 2000n, 1500n), 'cache_read'],
    ['an odd trifle', chat(3n, 2000n), 'input'],
  ])('warns about %s', (_, rates, field) => {
    const { errors, warnings } = judgePrice(rates, 'chat');
    expect(errors).toEqual([]);
    expect(warnings.map((warning) => warning.field)).toEqual([field]);
  });

  it.each([
    [15_000, 15_000n],
    ['15000', 15_000n],
    ['15000.0', 15_000n],
    [0, 0n],
    [0.5, undefined],
    ['1e5', undefined],
    [-1, undefined],
    [Number.NaN, undefined],
    [1e21, undefined],
  ])('reads %j toman per million as %s', (value, expected) => {
    expect(parsePerMillion(value)).toBe(expected);
  });
});
