/** What the guarantee covers, what it repairs and what it calls wrong: pure, apart from the worker that is ended when it takes too long. */
import { pino } from 'pino';
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { acceptSchema, createAnswerJudge } from '../../src/guarantee/index.ts';
import { judgeTexts } from '../../src/guarantee/judge-texts.ts';
import { repairJson } from '../../src/guarantee/repair-json.ts';

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});
const NAME = { type: 'string' };
const LOOP = object({ next: { $ref: '#/$defs/node' } });

describe('schemas that the guarantee covers', () => {
  it.each<[string, JsonObject]>([
    ['an object', object({ name: NAME, age: { type: ['integer', 'null'] } })],
    ['a choice', object({ pet: { anyOf: [object({ cat: NAME }), { type: 'null' }] } })],
    ['listed values', object({ colour: { type: 'string', enum: ['red', 'green'] }, kind: { const: 'x' } })],
    [
      'a tree that ends',
      object(
        { tree: { $ref: '#/$defs/node' } },
        { $defs: { node: object({ below: { type: 'array', items: { $ref: '#/$defs/node' } } }) } },
      ),
    ],
    [
      'a list that ends',
      object(
        { one: { $ref: '#/$defs/node' } },
        { $defs: { node: object({ next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } }) } },
      ),
    ],
    [
      'constraints, which are only told',
      object({ code: { type: 'string', pattern: '^a$', minLength: 9, maxLength: 1 } }),
    ],
    ['fields that may be left out', { type: 'object', properties: { name: NAME } }],
  ])('%s', (_, schema) => expect(acceptSchema(schema)).toBeDefined());

  it.each<[string, JsonObject]>([
    ['nothing meets it', { not: {} }],
    ['within it', object({ name: { not: {} } })],
    ['an empty enum', object({ name: { enum: [] } })],
    ['an enum of another type', object({ name: { type: 'string', enum: [1, 2] } })],
    ['a constant of another type', object({ name: { type: 'string', const: 7 } })],
    ['a constant outside of its enum', object({ name: { const: 'c', enum: ['a', 'b'] } })],
    ['false', object({ name: false as never })],
    [
      'a field that cannot be there',
      { type: 'object', properties: {}, required: ['name'], additionalProperties: false },
    ],
    ['a loop without an end', object({ a: { $ref: '#/$defs/node' } }, { $defs: { node: LOOP } })],
    ['a choice of impossible ones', object({ a: { anyOf: [{ enum: [] }] } })],
    ['an empty choice', object({ a: { anyOf: [] } })],
    [
      'a choice whose branches need each other',
      object(
        { a: { $ref: '#/$defs/node' } },
        { $defs: { node: { anyOf: [LOOP, object({ x: { $ref: '#/$defs/node' } })] } } },
      ),
    ],
    ['both at once', { allOf: [{ type: 'string' }, { type: 'number' }] }],
    ['a type beside a choice', { type: 'string', anyOf: [{ type: 'number' }] }],
    ['an unknown type', { type: 'nothing' }],
    ['no type', { type: [] }],
    ['an address that leads nowhere', object({ a: { $ref: '#/$defs/none' } })],
    ['an address outside', object({ a: { $ref: 'https://example.com/schema' } })],
    ['conditions', { if: {}, else: false as never }],
    ['names by pattern', { type: 'object', patternProperties: { '^a$': NAME } }],
    ['too many nodes', object(Object.fromEntries(Array.from({ length: 2_500 }, (_unused, at) => [`f${at}`, NAME])))],
  ])('not where %s', (_, schema) => expect(acceptSchema(schema)).toBeUndefined());

  it('knows which of them every strict mode takes', () => {
    expect(acceptSchema(object({ name: NAME }))?.strictEverywhere).toBe(true);
    expect(acceptSchema({ type: 'object', properties: { name: NAME } })?.strictEverywhere).toBe(false);
  });
});

describe('repairs', () => {
  it.each([
    ['```json\n{"a":"b"}\n```', '{"a":"b"}', ['fence']],
    ['```\n["a"]\n```  ', '["a"]', ['fence']],
    ['```json\n{"a":"b"', '{"a":"b"}', ['fence', 'cut']],
    ['{"a":["b",],}', '{"a":["b"]}', ['comma']],
    ['{"a":"x,}",}', '{"a":"x,}"}', ['comma']],
    ['{"a":{"b":["c"', '{"a":{"b":["c"]}}', ['cut']],
    ['{"a":"\\"]"', '{"a":"\\"]"}', ['cut']],
    ['{"a":[true', '{"a":[true]}', ['cut']],
  ])('%s', (text, mended, done) => expect(repairJson(text)).toMatchObject({ text: mended, done }));

  it.each([
    'Here it is: {"a":"b"}',
    '{"a":"b"} and more',
    '{"a":"b',
    '{"a":12',
    '{"a":',
    '{"a"',
    '{',
    '["a",',
    '{"a":"b"]',
    '{"a":"b"}}',
    "{'a':'b'}",
    '{a:"b"}',
    '',
    '```json\n{"a":"b"}\n```\n```json\n{"a":"c"}\n```',
  ])('%s is not guessed at', (text) => expect(repairJson(text)).toBeUndefined());
});

describe('verdicts', () => {
  const schema = object({ name: NAME, code: { type: 'string', pattern: '^[a-z]+$', maxLength: 3 } });
  const judged = (text: string, isArguments = false) => judgeTexts([{ text, schema, isArguments }])[0];
  it.each([
    ['{"name":"x","code":"abc"}', { state: 'ok' }],
    ['{"name":"x","code":"ABCD"}', { state: 'unmet', fault: 'schema', at: '$.code' }],
    ['{"name":"x"}', { state: 'broken', fault: 'schema', at: '$.code' }],
    ['{"name":1,"code":"abc"}', { state: 'broken', at: '$.name' }],
    ['{"name":"x","code":"abc","more":1}', { state: 'broken', at: '$.more' }],
    ['"x"', { state: 'broken', fault: 'schema' }],
    ['Sure! Here you go.', { state: 'broken', fault: 'not_json' }],
    ['```json\n{"name":"x"}\n```', { state: 'broken', fault: 'schema' }],
    ['```json\n{"name":"x","code":"abc"}\n```', { state: 'ok', repairs: ['fence'], text: '{"name":"x","code":"abc"}' }],
  ])('%s', (text, verdict) => expect(judged(text)).toMatchObject(verdict));

  it('arguments are an object, and none may be written as nothing', () => {
    const plain = (text: string) => judgeTexts([{ text, isArguments: true }])[0]?.state;
    expect([plain(''), plain('{}'), plain('"essay"'), plain('[1]'), plain('essay')]).toEqual([
      'ok',
      'ok',
      'broken',
      'broken',
      'broken',
    ]);
  });
});

describe('the judge', () => {
  const judge = createAnswerJudge({ log: pino({ level: 'silent' }) as never, maxMs: 300, maxCharacters: 10_000 });
  afterAll(() => judge.close());

  it('ends a pattern that would never end, and judges the next answer', async () => {
    const evil = object({ name: { type: 'string', pattern: '^(a+)+$' } });
    const text = JSON.stringify({ name: `${'a'.repeat(60)}!` });
    const [slow, next] = await Promise.all([
      judge.judge([{ text, schema: evil, isArguments: false }]),
      judge.judge([{ text: '{"name":"x"', schema: object({ name: NAME }), isArguments: false }]),
    ]);
    expect(slow).toBe('time');
    expect(next).toMatchObject([{ state: 'ok', repairs: ['cut'] }]);
  });

  it('reads no more than its bound, and lets no more wait than that', async () => {
    expect(await judge.judge([{ text: 'x'.repeat(10_001), isArguments: false }])).toBe('size');
    const many = await Promise.all(Array.from({ length: 80 }, () => judge.judge([{ text: '{}', isArguments: true }])));
    expect(many.filter((one) => one === 'busy').length).toBeGreaterThan(0);
    expect(many.filter((one) => one !== 'busy')).not.toHaveLength(0);
  });
});
