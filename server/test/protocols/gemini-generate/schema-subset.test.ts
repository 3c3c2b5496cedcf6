import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../../src/core/json.ts';
import { toSchemaSubset } from '../../../src/protocols/gemini-generate/upstream/schema-subset.ts';

const KNOWN = new Set([
  'type', 'format', 'title', 'description', 'nullable', 'enum', 'minItems', 'maxItems', 'properties', 'required',
  'minProperties', 'maxProperties', 'minLength', 'maxLength', 'pattern', 'anyOf', 'items', 'minimum', 'maximum',
]); // biome-ignore format: a list of words

describe('JSON Schema as the provider’s Schema', () => {
  it('writes types in capitals and leaves out what it does not know', () => {
    expect(
      toSchemaSubset({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        additionalProperties: false,
        properties: {
          when: { type: 'string', format: 'date-time', description: 'Time' },
          mail: { type: 'string', format: 'email', default: 'x' },
          tags: { type: 'array', items: { type: 'string' }, maxItems: 3, uniqueItems: true },
          size: { type: 'integer', minimum: 1, exclusiveMaximum: 9 },
          free: { type: 'object' },
        },
        required: ['when', 'ghost'],
      }),
    ).toEqual({
      type: 'OBJECT',
      properties: {
        when: { type: 'STRING', format: 'date-time', description: 'Time' },
        mail: { type: 'STRING' },
        tags: { type: 'ARRAY', items: { type: 'STRING' }, maxItems: 3 },
        size: { type: 'INTEGER', minimum: 1 },
        free: { type: 'OBJECT' },
      },
      required: ['when'],
    });
  });

  it('turns null among the types into nullable', () => {
    expect(toSchemaSubset({ type: ['string', 'null'] })).toEqual({ type: 'STRING', nullable: true });
    expect(toSchemaSubset({ anyOf: [{ type: 'integer' }, { type: 'null' }], description: 'Age' })).toEqual({
      type: 'INTEGER',
      nullable: true,
      description: 'Age',
    });
    expect(toSchemaSubset({ enum: ['a', null] })).toEqual({ type: 'STRING', enum: ['a'], nullable: true });
  });

  it('turns several types, oneOf and const into what there is', () => {
    expect(toSchemaSubset({ type: ['string', 'integer'], title: 'Id' })).toEqual({
      anyOf: [{ type: 'STRING' }, { type: 'INTEGER' }],
      title: 'Id',
    });
    expect(toSchemaSubset({ oneOf: [{ type: 'string' }, { type: 'boolean' }] })).toEqual({
      anyOf: [{ type: 'STRING' }, { type: 'BOOLEAN' }],
    });
    expect(toSchemaSubset({ const: 'cat' })).toEqual({ type: 'STRING', enum: ['cat'] });
  });

  it('puts references and allOf in place', () => {
    expect(
      toSchemaSubset({
        $defs: { 'a/b': { type: 'string' }, pet: { type: 'object', properties: { n: { $ref: '#/$defs/a~1b' } } } },
        type: 'object',
        properties: { p: { $ref: '#/$defs/pet', description: 'Pet' }, q: { allOf: [{ $ref: '#/$defs/pet' }] } },
      }),
    ).toEqual({
      type: 'OBJECT',
      properties: {
        p: { type: 'OBJECT', description: 'Pet', properties: { n: { type: 'STRING' } } },
        q: { type: 'OBJECT', properties: { n: { type: 'STRING' } } },
      },
    });
  });

  it.each<[string, JsonObject]>([
    ['recursion', { type: 'object', properties: { next: { $ref: '#' } } }],
    ['a reference to nothing', { $ref: '#/$defs/none' }],
    ['a reference outside', { $ref: 'https://example.org/x' }],
    ['numbers to choose from', { type: 'integer', enum: [1, 2] }],
    ['an array of anything', { type: 'array' }],
    ['anything at all', {}],
    ['a map', { type: 'object', additionalProperties: { type: 'string' } }],
    ['a tuple', { type: 'array', prefixItems: [{ type: 'string' }] }],
    ['an unknown type', { type: 'file' }],
  ])('does not guess at %s', (_name, schema) => {
    expect(toSchemaSubset(schema)).toBeUndefined();
  });

  it('gives up on a schema whose references multiply without end', () => {
    const $defs: JsonObject = { d0: { type: 'string' } };
    for (let level = 1; level <= 20; level++) {
      const ref = { $ref: `#/$defs/d${level - 1}` };
      $defs[`d${level}`] = { type: 'object', properties: { a: ref, b: ref, c: ref } };
    }
    expect(toSchemaSubset({ $defs, $ref: '#/$defs/d20' })).toBeUndefined();
  });

  it('says nothing outside its vocabulary, whatever it is given', () => {
    const leaf: fc.Arbitrary<JsonObject> = fc.constantFrom({ type: 'string' }, { $ref: '#' }, { type: 'null' }, {});
    const schema = nested(nested(nested(leaf)));
    fc.assert(
      fc.property(schema, (given) => {
        const subset = toSchemaSubset(given);
        if (subset) expect(strangeWords(subset)).toEqual([]);
      }),
    );
  });
});

function strangeWords(schema: JsonObject): string[] {
  const words = Object.keys(schema).filter((key) => !KNOWN.has(key));
  const children: (Json | undefined)[] = [schema['items']];
  if (isJsonObject(schema['properties'])) children.push(...Object.values(schema['properties']));
  if (Array.isArray(schema['anyOf'])) children.push(...schema['anyOf']);
  for (const child of children) if (isJsonObject(child)) words.push(...strangeWords(child));
  return words;
}

function nested(inner: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  return fc.record(
    {
      type: fc.constantFrom('string', 'integer', 'object', 'array', 'boolean', 'number'),
      description: fc.string(),
      enum: fc.array(fc.string(), { minLength: 1 }),
      $ref: fc.constantFrom('#', '#/properties/a'),
      properties: fc.dictionary(fc.constantFrom('a', 'b'), inner, { maxKeys: 2 }),
      items: inner,
      anyOf: fc.array(inner, { maxLength: 2 }),
      allOf: fc.array(inner, { maxLength: 2 }),
      required: fc.array(fc.constantFrom('a', 'c')),
      additionalProperties: fc.boolean(),
      $comment: fc.string(),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<JsonObject>;
}
