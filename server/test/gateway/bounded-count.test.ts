/** What one request may make us read before it is let in. */
import { expect, it } from 'vitest';
import { countTokens } from '../../src/core/token-estimate.ts';
import { BoundedCount, MOST_CHARACTERS_READ } from '../../src/gateway/admit/bounded-count.ts';

const reading = () => {
  let characters = 0;
  const texts = new BoundedCount((text) => {
    characters += text.length;
    return countTokens(text);
  });
  return { texts, characters: () => characters };
};

it('reads many texts, as an embedding may bring, up to a bound, and counts the rest by their length', () => {
  const { texts, characters } = reading();
  const text = 'vector '.repeat(2_000);
  const counted = Array.from({ length: 2_048 }, () => texts.of(text));
  expect(characters()).toBeLessThanOrEqual(MOST_CHARACTERS_READ + text.length);
  expect(counted[0]).toEqual(countTokens(text));
  expect(counted.at(-1)).toEqual({ likely: text.length / 4, most: text.length });
});

it('reads no more than a bound of texts of one character', () => {
  const { texts, characters } = reading();
  for (let count = 0; count < MOST_CHARACTERS_READ / 4; count++) texts.of('a');
  expect(characters()).toBeLessThan(MOST_CHARACTERS_READ / 8);
});
