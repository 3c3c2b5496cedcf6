import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestBytes, digestText, displayParts, isPlausibleKeyText, makeKeyText } from '../../src/keys/key-text.ts';

const seeded = fc.infiniteStream(fc.uint8Array({ minLength: 43, maxLength: 43 }));
const keyText = seeded.map((chunks) => makeKeyText(() => chunks.next().value));
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('key text', () => {
  it('has the documented form and passes its own checksum', () => {
    fc.assert(
      fc.property(keyText, (text) => {
        expect(text).toMatch(/^dg-[0-9A-Za-z]{49}$/);
        expect(isPlausibleKeyText(text)).toBe(true);
      }),
    );
  });

  it('is recognised as mistyped when any one character differs or two neighbours are swapped', () => {
    fc.assert(
      fc.property(keyText, fc.integer({ min: 3, max: 51 }), fc.integer({ min: 1, max: 61 }), (text, at, shift) => {
        const wrong = BASE62[(BASE62.indexOf(text.charAt(at)) + shift) % 62];
        expect(isPlausibleKeyText(text.slice(0, at) + wrong + text.slice(at + 1))).toBe(false);
        if (at < 51 && text[at] !== text[at + 1]) {
          const swapped = text.slice(0, at) + text.charAt(at + 1) + text.charAt(at) + text.slice(at + 2);
          expect(isPlausibleKeyText(swapped)).toBe(false);
        }
      }),
    );
  });

  it('takes given keys without a checksum, within bounds', () => {
    expect(isPlausibleKeyText('dg-test-main')).toBe(true);
    for (const text of ['', 'short', 'with space in it', 'تازه-کلید-من', `dg-${'x'.repeat(300)}`, 'line\nbreak-key']) {
      expect(isPlausibleKeyText(text)).toBe(false);
    }
  });

  it('never repeats', () => {
    const texts = new Set(Array.from({ length: 2_000 }, () => makeKeyText(randomBytes)));
    expect(texts.size).toBe(2_000);
  });

  it('is digested whole, by SHA-256', () => {
    const text = makeKeyText(randomBytes);
    expect(digestBytes(digestText(text))).toEqual(createHash('sha256').update(text).digest());
  });

  it('shows little: eleven characters of a generated key, two of a short given one', () => {
    const text = makeKeyText(randomBytes);
    expect(displayParts(text)).toEqual({ prefix: text.slice(0, 7), last4: text.slice(-4) });
    expect(displayParts('dg-test-main')).toEqual({ prefix: '', last4: 'in' });
  });
});
