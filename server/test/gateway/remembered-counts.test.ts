import { describe, expect, it } from 'vitest';
import { countTokens } from '../../src/core/token-estimate.ts';
import { countInputText } from '../../src/gateway/admit/remembered-counts.ts';

const CHEAP = 'the town of the old clock '.repeat(200);

describe('countInputText', () => {
  it.each([
    ['short', 'Hello there'],
    ['long', CHEAP],
    ['Persian', 'درگاه هزینه را دقیق حساب می‌کند. '.repeat(60)],
  ])('answers what a pass answers, at first and again: %s', (_name, text) => {
    expect(countInputText(text)).toEqual(countTokens(text));
    expect(countInputText(`${text}`)).toEqual(countTokens(text));
  });

  it('never takes a dear text for a cheap one that begins, ends and measures the same', () => {
    const expensive =
      `${CHEAP.slice(0, 100)}${'ᚠᛇᚻ'.repeat(200)}`.padEnd(CHEAP.length - 400, CHEAP.slice(700)) + CHEAP.slice(-400);
    const twin = expensive.slice(0, CHEAP.length / 2) + CHEAP.slice(CHEAP.length / 2);
    expect(twin).toHaveLength(CHEAP.length);
    const cheap = countInputText(CHEAP);
    expect(countInputText(twin)).toEqual(countTokens(twin));
    expect(countInputText(twin).max).toBeGreaterThan(cheap.max * 1.2);
    expect(countInputText(CHEAP)).toEqual(cheap);
  });
});
