/** The quick way to the string of a frame finds the one that reading all strings finds, or none. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { onlyOne, plainPlace, stringsIn } from '../../src/protocols/frame-strings.ts';

const words = fc.oneof(
  fc.constantFrom(
    'a',
    'content',
    'obfuscation',
    ',',
    ':',
    ':"',
    '","',
    '\\',
    '/',
    '\n',
    ' ',
    'سلام',
    '1,',
    'null',
    ':null,',
  ),
  fc.string({ maxLength: 6 }),
);
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    words,
    fc.constantFrom(null, true, 1, -2.5),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(words, tie('value'), { maxKeys: 3 }),
  ),
})).value;

describe('the place of a text among the strings of a frame', () => {
  it('is the one that reading all of them finds', () => {
    let found = 0;
    fc.assert(
      fc.property(fc.dictionary(words, values, { maxKeys: 5 }), words, (object, text) => {
        const json = JSON.stringify({ ...object, said: text });
        const place = plainPlace(json, 0, text);
        if (!place) return;
        found++;
        expect(place).toEqual(onlyOne(json, stringsIn(json, 0) ?? [], text));
      }),
      { numRuns: 1_000, seed: 26 },
    );
    expect(found).toBeGreaterThan(100);
  });

  it('is not looked for where quotes may stand in a string, or the text between two of them', () => {
    expect(plainPlace('{"a":"b"}', 0, 'b')).toEqual({ from: 6, to: 7, escaped: false });
    // Between the name and its value stands the text that is sought.
    expect(plainPlace('{"a":"b"}', 0, ':')).toBeUndefined();
    // The same text once more, written with an escape.
    expect(plainPlace('{"a":"b","c":"\\u0062"}', 0, 'b')).toBeUndefined();
    expect(plainPlace('{"b":"b"}', 0, 'b')).toBeUndefined();
    expect(plainPlace('{"a":"b","obfuscation":"x"}', 0, 'b')).toBeUndefined();
  });
});
