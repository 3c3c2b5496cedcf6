import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainName } from '../../src/core/plain-name.ts';

describe('a name in a message', () => {
  it.each([
    ['شرکت نمونه', 'شرکت نمونه'],
    ['می‌خواهم', 'می‌خواهم'],
    ["O'Neil & Söhne 24", 'O Neil Söhne 24'],
    ['you won! https://evil.example/x?y=1', 'you won https evil example x y'],
    ['call0912-123-4567now', ''],
    ['z\u0300\u0301\u0302\u0303a', 'z\u0300\u0301a'],
    ['evil．example', 'evil example'],
    ['pay@evil.example', 'pay evil example'],
    ['line one\nline two\t\u0000three', 'line one line two three'],
    ['\u202eelpmaxe.live\u2066\u200f', 'elpmaxe live'],
    ['call 0912 123 4567 now', 'call now'],
    ['call ۰۹۱۲۱۲۳۴۵۶۷', 'call'],
    ['09121234567', ''],
    ['\u200c\u200c …!', ''],
    ['ﬁne Ⅳ ①', 'fine IV 1'],
  ])('%j is %j', (given, shown) => expect(plainName(given)).toBe(shown));

  it('is short, and holds nothing that a reader could follow', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const name = plainName(text);
        expect(Array.from(name).length).toBeLessThanOrEqual(30);
        expect(name).toMatch(/^[\p{L}\p{M}\p{Nd} \u200c]*$/u);
        expect(name).not.toMatch(/\p{Nd}{5}/u);
        expect(name).toBe(name.trim());
      }),
    );
  });
});
