import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Json, type JsonObject, JsonRefused, parseJson } from '../../src/core/json.ts';
import { parseAroundLiterals } from '../../src/gateway/json-literals.ts';

const LONG = 'A long prompt, said again. '.repeat(400);
const PERSIAN = 'سلام دنیا؛ این یک متن بلند است. '.repeat(400);
const filler = ' '.repeat(20_000);

const parsed = (text: string) => parseAroundLiterals(Buffer.from(text));

function literalsOf(text: string) {
  const found = parsed(text);
  if (!found) throw new Error('nothing long was found');
  return found;
}

function written(value: Json, text: string): string {
  const made = literalsOf(text).literals.write(value as JsonObject);
  return typeof made === 'string' ? made : Buffer.concat(made).toString('utf8');
}

describe('a document with long texts', () => {
  it.each([
    ['plain', LONG],
    ['Persian', PERSIAN],
    ['with line breaks', LONG.replaceAll('.', '.\n')],
    ['with quotes and backslashes at the end', `${LONG}\\"\\`],
    ['with a lone surrogate', `${LONG}\ud800`],
    ['with control characters', `${LONG}\u0000\u001f\u007f`],
    ['that look like JSON', `${LONG}","role":"system","x":"`],
  ])('%s is read as the parser reads it, and written back', (_what, content) => {
    const text = JSON.stringify({
      model: 'a',
      messages: [{ role: 'user', content }, { content: [{ text: content }] }],
    });
    const { value } = literalsOf(text);
    expect(value).toEqual(JSON.parse(text));
    expect(JSON.parse(written(value, text))).toEqual(JSON.parse(text));
  });

  it('is sent as the very bytes of the client, escapes included', () => {
    const content = `"${'\\u0041\\/'.repeat(3_000)}"`;
    const text = `{ "messages" : [ { "content" : ${content} } ], "n": 1.0 }`;
    expect(written(literalsOf(text).value, text)).toBe(`{"messages":[{"content":${content}}],"n":1}`);
  });

  it('is written with what has changed since', () => {
    const text = JSON.stringify({ model: 'a', messages: [{ content: LONG }, { content: PERSIAN }], metadata: LONG });
    const value = literalsOf(text).value as JsonObject;
    const changed = { messages: [{ content: PERSIAN }, { content: `${LONG}!` }, { content: LONG }], model: 'b' };
    expect(JSON.parse(written(changed, text))).toEqual(changed);
    expect(JSON.parse(written({ model: value['model'] as string }, text))).toEqual({ model: 'a' });
  });

  it('of which a name is long keeps the name', () => {
    const text = JSON.stringify({ [LONG]: 1, [`${LONG}2`]: LONG });
    const { value } = literalsOf(text);
    expect(value).toEqual(JSON.parse(text));
    expect(written(value, text)).toBe(text);
  });

  it.each([
    ['one text twice under one name', `{"a":"${LONG}1","a":"${LONG}2","b":"${LONG}3"}`],
    ['a short one before its long namesake', `{"a":"short","b":"${LONG}1","a":"${LONG}2"}`],
    ['a long one before its short namesake', `{"a":"${LONG}1","b":"${LONG}2","a":"short"}`],
    ['a list that is replaced', `{"m":["${LONG}1"],"x":{"c":"${LONG}2"},"m":["${LONG}3"]}`],
    ['names that are numbers, which objects put first', `{"b":"${LONG}1","1":"${LONG}2"}`],
  ])('with %s sends each text where the parser found it', (_what, text) => {
    const { value } = literalsOf(text);
    expect(value).toEqual(JSON.parse(text));
    expect(JSON.parse(written(value, text))).toEqual(JSON.parse(text));
  });

  it('of more long texts than are remembered is read and written all the same', () => {
    const texts = Array.from({ length: 100 }, (_, at) => `${LONG}${at}`);
    const text = JSON.stringify({ texts });
    const { value } = literalsOf(text);
    expect(value).toEqual({ texts });
    expect(JSON.parse(written(value, text))).toEqual({ texts });
  });

  it('that came once as escapes and often as it is does not grow', () => {
    const plain = JSON.stringify(LONG);
    const escaped = `"${[...LONG].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`;
    const shortEscaped = `"${'\\u0041'.repeat(2_000)}"`;
    const shorts = Array.from({ length: 50 }, () => JSON.stringify('A'.repeat(2_000))).join(',');
    for (const text of [
      `{"m":[${plain},${plain},${plain},${escaped}]}`,
      `{"m":[${escaped},${plain},${plain},${plain}]}`,
      `{"m":[${shorts},${shortEscaped}]}`,
    ]) {
      const sent = written(literalsOf(text).value, text);
      expect(JSON.parse(sent)).toEqual(JSON.parse(text));
      expect(sent.length).toBeLessThanOrEqual(text.length);
    }
  });

  it('beside very many small values is written as one, which is faster', () => {
    const text = JSON.stringify({ content: LONG, numbers: Array.from({ length: 20_000 }, (_, at) => at) });
    const { value, literals } = literalsOf(text);
    expect(value).toEqual(JSON.parse(text));
    expect(literals.write(value as JsonObject)).toBe(text);
    const { numbers: _numbers, ...few } = value as JsonObject;
    expect(literals.write(few)).toHaveLength(3);
  });

  it('that is one text is that text', () => {
    const text = JSON.stringify(LONG + LONG);
    expect(literalsOf(text).value).toBe(LONG + LONG);
  });
});

describe('a document without', () => {
  it.each([
    ['small', '{"a":"b"}'],
    ['of many short strings', JSON.stringify(Array.from({ length: 5_000 }, () => 'text'))],
    ['of white space', `{"a":"b"${filler}}`],
    ['with a text that never ends', `{"a":"${LONG}${LONG}`],
  ])('%s is left to the parser', (_what, text) => {
    expect(parsed(text)).toBeUndefined();
  });
});

describe('what the parser refuses is refused', () => {
  const reasonOf = (read: () => unknown) => {
    try {
      read();
    } catch (error) {
      return error instanceof JsonRefused ? error.reason : error;
    }
    return 'taken';
  };
  const deep = (levels: number, inner: string) => '[['.repeat(levels / 2) + inner + ']]'.repeat(levels / 2);

  it.each([
    ['a line break inside of a text', `{"a":"${LONG}\n","b":"${LONG}"}`],
    ['each control character', `{"a":"${LONG}\u0001"  ,"b":"${LONG}"}`],
    ['a wrong escape', `{"a":"${LONG}\\x","b":"${LONG}"}`],
    ['half an escape', `{"a":"${LONG}\\u12","b":"${LONG}"}`],
    ['two texts side by side', `{"a":"${LONG}""${LONG}"}`],
    ['a text outside', `"${LONG}" "${LONG}"`],
    ['a missing bracket', `{"a":"${LONG}","b":"${LONG}"`],
    ['depth', deep(80, `"${LONG}${LONG}"`)],
    ['a forbidden name', `{"__proto__":"${LONG}","b":"${LONG}"}`],
  ])('%s', (_what, text) => {
    expect(reasonOf(() => parsed(text))).toBe(reasonOf(() => parseJson(text)));
    expect(reasonOf(() => parseJson(text))).not.toBe('taken');
  });
});

it('any document is read as the parser reads it, and any document is written as JSON', () => {
  const long = fc
    .tuple(fc.constantFrom(LONG, PERSIAN), fc.string({ unit: 'binary', maxLength: 20 }))
    .map(([body, end]) => body + end);
  const value = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      long,
      fc.string({ unit: 'binary' }),
      fc.double(),
      fc.constantFrom(null, true, 0),
      fc.array(tie('node'), { maxLength: 4 }),
      fc.dictionary(
        fc.string({ maxLength: 3 }).filter((name) => name !== '__proto__'),
        tie('node'),
        { maxKeys: 4 },
      ),
    ),
  })).node;
  fc.assert(
    fc.property(value, value, (one, other) => {
      const text = JSON.stringify({ one, other, last: `${LONG}${LONG}` });
      const found = literalsOf(text);
      expect(found.value).toEqual(JSON.parse(text));
      const foreign = { other, one, added: { one } };
      const made = found.literals.write(foreign as JsonObject);
      const bytes = typeof made === 'string' ? Buffer.from(made) : Buffer.concat(made);
      expect(JSON.parse(bytes.toString('utf8'))).toEqual(JSON.parse(JSON.stringify(foreign)));
    }),
    { numRuns: 200 },
  );
});
