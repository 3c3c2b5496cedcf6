/** Whoever finds text that is counted too low is served for less than he can pay: a search must not find any. @tier services */

import fc from 'fast-check';
import { countTokens as countOlder } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as countNewer } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { countTokens, SLICE } from '../../src/core/token-estimate.ts';
import { sampleTokens } from '../../src/core/token-sample.ts';
import { amount } from '../harness/long.ts';
import { seeded } from '../simulation/seeded.ts';
import { ALPHABETS, searchLowest } from './token-search.ts';

const LEAST = 0.9;
const STEPS = amount(80, 250);
/** Ways to sample one text. */
const SAMPLES = amount(5, 20);

const exact = (text: string): number => Math.max(countNewer(text), countOlder(text));
/** Repeated, so that the one token a short text is rounded up to hides nothing. */
const lengthened = (text: string): string => text.repeat(Math.max(1, Math.ceil(80 / text.length)));
const ratioOf = (text: string): number => countTokens(text).max / exact(text);

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

/** At every place where this code cuts a long text, and beside it. */
describe('a long text', () => {
  const kinds = Object.values(ALPHABETS);
  const RARE = Array.from({ length: 80 }, (_, i) => String.fromCodePoint(0x13a0 + i));

  /** Runs of random alphabets; none is so long that a tokenizer would need minutes for it. */
  const mixed = (random: () => number, length: number): string => {
    let text = '';
    while (text.length < length) {
      const alphabet = random() < 0.3 ? RARE : (kinds[Math.floor(random() * kinds.length)] as readonly string[]);
      const run = 1 + Math.floor(random() ** 2 * 60);
      for (let i = 0; i < run; i++) text += alphabet[Math.floor(random() * alphabet.length)];
    }
    return text.slice(0, length);
  };
  const letter = (random: () => number): string => RARE[Math.floor(random() * RARE.length)] as string;

  it.each([1, 2, 3, 4])('of random scripts is not too low, counted in slices: %d', (seed) => {
    const fraction = fractions(seed);
    const text = mixed(fraction, SLICE * 2 + Math.floor(fraction() * 1_000));
    expect(countTokens(text).max).toBeGreaterThanOrEqual(LEAST * exact(text));
  });

  it.each([-2, -1, 0, 1, 2, 64])('is not too low when what is dear stands at the seams of slices: %d', (shift) => {
    const fraction = fractions(shift + 10);
    const letters: string[] = Array.from({ length: SLICE * 3 }, (_, i) => (i % 97 === 0 ? 'a' : ' '));
    for (const seam of [SLICE, 2 * SLICE]) for (let i = -64; i < 64; i++) letters[seam + shift + i] = letter(fraction);
    const text = letters.join('');
    expect(countTokens(text).max).toBeGreaterThanOrEqual(LEAST * exact(text));
  });
});

describe('a text that is only sampled', () => {
  const EXPENSIVE = 'ᎠᎡᎢᎣᎤᎥᎦᎧ';
  const LENGTH = 600_000;
  /** As many strides as a text of this length is divided into. */
  const WINDOWS = 1_024;
  const dense = (length: number): string => EXPENSIVE.repeat(Math.ceil(length / EXPENSIVE.length)).slice(0, length);
  const sampled = (text: string, seed: number) => sampleTokens(text, seededBytes(seed));

  /** Blanks, with what is expensive in the given places of each stride. */
  const striped = (from: number, to: number): string => {
    const stride = LENGTH / WINDOWS;
    const letters = Array.from({ length: LENGTH }, () => ' ');
    for (let window = 0; window <= WINDOWS; window++)
      for (let i = Math.floor(from * stride); i < to * stride; i++) {
        const at = Math.floor(window * stride) + i;
        if (at >= 0 && at < LENGTH) letters[at] = EXPENSIVE[at % EXPENSIVE.length] as string;
      }
    return letters.join('');
  };

  it.each([
    ['at the seams', -0.1, 0.1],
    ['before them', -0.25, 0],
    ['behind them', 0, 0.25],
    ['in the middle', 0.4, 0.6],
    ['in a narrow stripe', 0.95, 1],
    ['in half of it', 0, 0.5],
  ])('is not too low when what is dear stands %s', (_where, from, to) => {
    const text = striped(from, to);
    const whole = countTokens(text).max;
    for (let seed = 0; seed < SAMPLES; seed++) expect(sampled(text, seed).max).toBeGreaterThanOrEqual(LEAST * whole);
  });

  it.each([0.02, 0.05, 0.2, 0.5, 0.9])('is not too low when %d of it is dear and the rest is blank', (share) => {
    const expensive = Math.floor(LENGTH * share);
    const text = dense(expensive) + ' '.repeat(LENGTH - expensive);
    const whole = countTokens(text).max;
    for (let seed = 0; seed < SAMPLES; seed++) expect(sampled(text, seed).max).toBeGreaterThanOrEqual(LEAST * whole);
  });

  it('knows a bound below, too', () => {
    for (const text of [striped(0, 0.3), dense(LENGTH), 'the quick brown fox '.repeat(30_000)]) {
      const { least } = sampled(text, 3);
      expect(least).toBeLessThanOrEqual(countTokens(text).likely * 1.05);
      expect(least).toBeGreaterThan(countTokens(text).likely * 0.5);
    }
  });

  it('is read in places that differ from time to time', () => {
    const text = `${'the quick brown fox '.repeat(30_000)}${dense(40_000)}`;
    const counts = new Set(Array.from({ length: 8 }, (_, seed) => sampled(text, seed).max));
    expect(counts.size).toBeGreaterThan(1);
  });
});

function seededBytes(seed: number) {
  const fraction = fractions(seed + 1);
  return (count: number) => Uint8Array.from({ length: count }, () => Math.floor(fraction() * 256));
}

function fractions(seed: number): () => number {
  const { below } = seeded(seed);
  return () => below(2 ** 32) / 2 ** 32;
}
