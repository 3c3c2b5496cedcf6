import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Json, JsonRefused, MAX_JSON_DEPTH, parseJson } from '../../src/core/json.ts';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const reasonOf = (text: string) => {
  try {
    parseJson(text);
    return undefined;
  } catch (error) {
    return error instanceof JsonRefused ? error.reason : error;
  }
};

describe('parseJson', () => {
  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 10 }), (value) => {
        const text = JSON.stringify(value);
        if (!text.includes('__proto__')) expect(parseJson(text)).toEqual(JSON.parse(text) as Json);
      }),
    );
  });

  it('refuses depth beyond its bound without overflowing', () => {
    expect(reasonOf(nested(MAX_JSON_DEPTH))).toBeUndefined();
    expect(reasonOf(nested(MAX_JSON_DEPTH + 1))).toBe('depth');
    expect(reasonOf(nested(100_000))).toBe('depth');
  });

  it.each(['{"__proto__":1}', '{"a":[{"__proto__":{}}]}', '{"\\u005f_proto__":1}'])('refuses %s', (text) => {
    expect(reasonOf(text)).toBe('forbidden-key');
  });

  it.each(['', '{', 'undefined', '{"a":1,}', '\u0000'])('refuses %j as no JSON', (text) => {
    expect(reasonOf(text)).toBe('syntax');
  });
});
