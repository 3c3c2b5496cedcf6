/** The estimate against a real tokenizer (o200k), and its bounds on hostile text. */
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../src/core/token-estimate.ts';

const PROSE = `A gateway sits between a client and the models of many vendors. It checks who is calling, decides whether the
call may run, chooses a route, and writes down what it cost. When a provider fails before the first word of an answer, another
one is asked and the client never notices. Nothing is charged for an answer that was never given.`;
const PERSIAN = `درگاه میان مشتری و مدل‌های فروشندگان گوناگون می‌ایستد. نخست بررسی می‌کند که چه کسی درخواست داده است، سپس تصمیم
می‌گیرد که این درخواست اجازهٔ اجرا دارد یا نه، مسیری برمی‌گزیند و هزینهٔ آن را می‌نویسد. اگر ارائه‌دهنده‌ای پیش از نخستین واژه از کار
بیفتد، مسیر دیگری جای آن را می‌گیرد.`;
const CODE = `export function add(amounts: readonly bigint[]): bigint {
  let sum = 0n;
  for (const amount of amounts) {
    if (amount < 0n) throw new Error('an amount is never negative');
    sum += amount;
  }
  return sum;
}`;
const JSON_TEXT = JSON.stringify({
  model: 'mock/chat',
  messages: [{ role: 'user', content: 'Where is the nearest station?' }],
  tools: [
    {
      type: 'function',
      function: { name: 'find_station', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
    },
  ],
});

describe('estimateTokens', () => {
  it.each([
    ['prose', PROSE, 0.1],
    ['Persian', PERSIAN, 0.15],
    ['code', CODE, 0.2],
    ['JSON', JSON_TEXT, 0.25],
  ])('is close to a real tokenizer on %s', (_name, text, tolerance) => {
    const real = encode(text).length;
    expect(Math.abs(estimateTokens(text) - real) / real).toBeLessThan(tolerance);
  });

  it('counts nothing for nothing and at least one for something', () => {
    expect(estimateTokens('')).toBe(0);
    expect(estimateTokens(' ')).toBe(1);
  });

  it('extrapolates long text to within a few per cent of the whole', () => {
    const long = PROSE.repeat(200);
    const whole = estimateTokens(PROSE) * 200;
    expect(Math.abs(estimateTokens(long) - whole) / whole).toBeLessThan(0.05);
  });

  it.each(['a', 'آ', '0', ' ', '\n', '漢', '😀', '{'])('answers for a megabyte of %j', (character) => {
    const tokens = estimateTokens(character.repeat(1_000_000));
    expect(Number.isSafeInteger(tokens)).toBe(true);
    expect(tokens).toBeLessThanOrEqual(3_000_000);
  });
});
