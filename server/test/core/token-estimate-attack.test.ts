/** Whoever finds text that is counted too low is served for less than he can pay: a search must not find any. */

import fc from 'fast-check';
import { countTokens as countOlder } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as countNewer } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { countTokens } from '../../src/core/token-estimate.ts';
import { ALPHABETS, searchLowest } from './token-search.ts';

const LEAST = 0.9;
const STEPS = 250;

const exact = (text: string): number => Math.max(countNewer(text), countOlder(text));
/** Repeated, so that the one token a short text is rounded up to hides nothing. */
const lengthened = (text: string): string => text.repeat(Math.max(1, Math.ceil(80 / text.length)));
const ratioOf = (text: string): number => countTokens(text).most / exact(text);

describe('what a text is held for, beside the exact count of two tokenizers', () => {
  it.each(Object.entries(ALPHABETS))('is not too low for the worst text a search finds among %s', (name, alphabet) => {
    const { text, ratio } = searchLowest(alphabet, name.length, (found) => ratioOf(lengthened(found)), STEPS);
    expect(ratio, JSON.stringify(text)).toBeGreaterThanOrEqual(LEAST);
  });

  it('is not too low for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }), (text) => {
        expect(ratioOf(lengthened(text))).toBeGreaterThanOrEqual(LEAST);
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  it.each([
    'krrkqutx',
    'ugpugpugnugnunb',
    'RxCnt',
    'ZORFJECVYNDKBTCRF',
    ' ,_',
    '.()(((:^(:^',
    '\u0015',
    '\u000b',
    '\r\n\n\n\n\n',
    '  976    17  18',
    ' 🏻',
    'ــพ',
    ' 今',
    ' ذ ظ',
  ])('is not too low for %j, which once was', (text) => {
    expect(ratioOf(text.repeat(20))).toBeGreaterThanOrEqual(LEAST);
  });
});

describe('a text too long to be read whole', () => {
  const DENSE = 'ዠᎢ᚜ᝁ'.repeat(8);

  it('is not too low when what is dear stands beside a fixed pattern of places that are read', () => {
    // What was once read: twenty windows of 256 characters at equal distances.
    const length = 480_000;
    const stride = Math.floor((length - 256) / 19);
    const letters = DENSE.repeat(length / DENSE.length).split('');
    for (let window = 0; window < 20; window++) {
      for (let i = 0; i < 256; i++) letters[window * stride + i] = i % 2 === 0 ? ' ' : '\t';
    }
    const dear = DENSE.repeat(length / DENSE.length);
    expect(countTokens(letters.join('')).most).toBeGreaterThanOrEqual(LEAST * countTokens(dear).most);
  });

  it.each([0.05, 0.2, 0.5, 0.9])('is not too low when %d of it is dear and the rest is blank', (share) => {
    const length = 600_000;
    const dear = Math.floor(length * share);
    const text = DENSE.repeat(Math.ceil(dear / DENSE.length)).slice(0, dear) + ' '.repeat(length - dear);
    const whole = (dear / DENSE.length) * countTokens(DENSE).most;
    expect(countTokens(text).most).toBeGreaterThanOrEqual(LEAST * whole);
  });

  it('is read in places that differ from time to time', () => {
    const text = `${'the quick brown fox '.repeat(5_000)}${DENSE.repeat(1_000)}`;
    const counts = new Set(Array.from({ length: 8 }, () => countTokens(text).most));
    expect(counts.size).toBeGreaterThan(1);
  });
});
