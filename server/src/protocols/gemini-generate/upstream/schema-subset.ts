/**
 * JSON Schema → Google's `Schema`, an older and smaller dialect: upper-case types, no references, no `const`, string
 * enums only. What has no equal form there (recursion, tuples, numbers to choose from) gives undefined, and the caller
 * sends the schema whole in the newer field; guessing would let the model answer in a shape the client refuses.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';

/** Inlining references multiplies a schema; one that grows past these is sent whole. */
const MAX_DEPTH = 24;
const MAX_NODES = 2000;

const TYPES: Record<string, string> = {
  string: 'STRING',
  number: 'NUMBER',
  integer: 'INTEGER',
  boolean: 'BOOLEAN',
  array: 'ARRAY',
  object: 'OBJECT',
};

/** Any other format is answered with 400. Formats are only hints, so dropping one loses little. */
const FORMATS = new Set(['date-time', 'enum', 'int32', 'int64', 'float', 'double']);

const COPIED = [
  'title',
  'description',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
  'minProperties',
  'maxProperties',
] as const;

const INEXPRESSIBLE = ['not', 'if', 'patternProperties', 'prefixItems', 'dependentSchemas', 'contains'];

class Inexpressible extends Error {}

export function toSchemaSubset(schema: JsonObject): JsonObject | undefined {
  try {
    return new Converter(schema).convert(schema, 0, new Set());
  } catch (error) {
    if (error instanceof Inexpressible) return undefined;
    throw error;
  }
}

class Converter {
  readonly #root: JsonObject;
  #nodes = 0;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  /** `within` holds the references being resolved above this node: meeting one again is recursion. */
  convert(given: JsonObject, depth: number, within: ReadonlySet<string>): JsonObject {
    if (depth > MAX_DEPTH || ++this.#nodes > MAX_NODES) throw new Inexpressible();
    const { schema, refs } = this.#resolve(given, within);
    if (INEXPRESSIBLE.some((keyword) => schema[keyword] !== undefined)) throw new Inexpressible();
    const { types, nullable } = typesOf(schema);
    const alternatives = schema['anyOf'] ?? schema['oneOf'];
    if (types.length === 0 && Array.isArray(alternatives)) {
      return this.#anyOf(schema, alternatives, nullable, depth, refs);
    }
    if (types.length > 1) {
      const each = types.map((type): Json => ({ ...schema, type, title: undefined, description: undefined }));
      return this.#anyOf(schema, each, nullable, depth, refs);
    }
    return this.#single(schema, types[0] ?? impliedType(schema), nullable, depth, refs);
  }

  #single(schema: JsonObject, type: string, nullable: boolean, depth: number, refs: ReadonlySet<string>): JsonObject {
    const out: JsonObject = { type: TYPES[type] };
    for (const key of COPIED) if (schema[key] !== undefined) out[key] = schema[key];
    const format = schema['format'];
    if (typeof format === 'string' && FORMATS.has(format)) out['format'] = format;
    const given = schema['enum'];
    if (nullable || (Array.isArray(given) && given.includes(null))) out['nullable'] = true;
    const choices = choicesOf(schema);
    if (choices) {
      if (type !== 'string') throw new Inexpressible();
      out['enum'] = choices;
    }
    if (type === 'array') out['items'] = this.#child(schema['items'], depth, refs);
    if (type === 'object') this.#addProperties(out, schema, depth, refs);
    return out;
  }

  #addProperties(out: JsonObject, schema: JsonObject, depth: number, refs: ReadonlySet<string>): void {
    const given = schema['properties'];
    const names = isJsonObject(given) ? Object.keys(given) : [];
    // A map with free keys has no form here; as an object without properties the model would leave it empty.
    if (names.length === 0 && isJsonObject(schema['additionalProperties'])) throw new Inexpressible();
    if (!isJsonObject(given) || names.length === 0) return;
    const properties: JsonObject = {};
    for (const name of names) properties[name] = this.#child(given[name], depth, refs);
    out['properties'] = properties;
    const required = schema['required'];
    // A required name without its property is answered with 400.
    const known = Array.isArray(required) ? required.filter((name) => names.includes(String(name))) : [];
    if (known.length > 0) out['required'] = known;
  }

  #child(schema: Json | undefined, depth: number, refs: ReadonlySet<string>): JsonObject {
    if (!isJsonObject(schema)) throw new Inexpressible();
    return this.convert(schema, depth + 1, refs);
  }

  #anyOf(schema: JsonObject, given: Json[], nullable: boolean, depth: number, refs: ReadonlySet<string>): JsonObject {
    const branches = given.filter((branch) => !isNullType(branch));
    const maybeNull = nullable || branches.length < given.length;
    const converted = branches.map((branch) => this.#child(branch, depth, refs));
    const [only] = converted;
    if (!only) throw new Inexpressible();
    const out: JsonObject = converted.length === 1 ? { ...only } : { anyOf: converted };
    for (const key of ['title', 'description'] as const) if (schema[key] !== undefined) out[key] = schema[key];
    if (maybeNull) out['nullable'] = true;
    return out;
  }

  /** Follows `$ref` and joins `allOf`, so that one plain object is left. */
  #resolve(given: JsonObject, within: ReadonlySet<string>): { schema: JsonObject; refs: ReadonlySet<string> } {
    let schema = given;
    let refs = within;
    while (typeof schema['$ref'] === 'string') {
      const { $ref: ref, ...beside } = schema;
      if (refs.has(ref as string)) throw new Inexpressible();
      refs = new Set(refs).add(ref as string);
      schema = { ...this.#lookUp(ref as string), ...beside };
    }
    const { allOf, ...rest } = schema;
    if (!Array.isArray(allOf)) return { schema, refs };
    let joined: JsonObject = rest;
    for (const member of allOf) {
      if (!isJsonObject(member) || ++this.#nodes > MAX_NODES || refs.size > MAX_DEPTH) throw new Inexpressible();
      const inner = this.#resolve(member, refs);
      refs = inner.refs;
      joined = joinSchemas(joined, inner.schema);
    }
    return { schema: joined, refs };
  }

  #lookUp(ref: string): JsonObject {
    if (ref !== '#' && !ref.startsWith('#/')) throw new Inexpressible();
    let at: Json | undefined = this.#root;
    for (const step of ref.split('/').slice(1)) {
      const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
      at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
    }
    if (!isJsonObject(at)) throw new Inexpressible();
    return at;
  }
}

function typesOf({ type }: JsonObject): { types: string[]; nullable: boolean } {
  const named = (Array.isArray(type) ? type : [type]).filter((name): name is string => typeof name === 'string');
  const types = named.filter((name) => name !== 'null');
  if (types.some((name) => !Object.hasOwn(TYPES, name))) throw new Inexpressible();
  return { types, nullable: types.length < named.length };
}

/** Schemas written by hand often leave `type` out where the other keywords say it. */
function impliedType(schema: JsonObject): string {
  if (isJsonObject(schema['properties'])) return 'object';
  if (isJsonObject(schema['items'])) return 'array';
  if (choicesOf(schema)) return 'string';
  throw new Inexpressible();
}

/** The strings to choose from, of `enum` or `const`; anything else but null has no form in the subset. */
function choicesOf(schema: JsonObject): string[] | undefined {
  const given = schema['const'] !== undefined ? [schema['const']] : schema['enum'];
  if (given === undefined) return undefined;
  if (!Array.isArray(given)) throw new Inexpressible();
  const choices = given.filter((choice) => choice !== null);
  if (choices.length === 0 || choices.some((choice) => typeof choice !== 'string')) throw new Inexpressible();
  return choices as string[];
}

function isNullType(branch: Json): boolean {
  return isJsonObject(branch) && (branch['type'] === 'null' || branch['const'] === null);
}

function joinSchemas(left: JsonObject, right: JsonObject): JsonObject {
  const joined: JsonObject = { ...right, ...left };
  if (isJsonObject(left['properties']) && isJsonObject(right['properties'])) {
    joined['properties'] = { ...right['properties'], ...left['properties'] };
  }
  if (Array.isArray(left['required']) && Array.isArray(right['required'])) {
    joined['required'] = [...new Set([...left['required'], ...right['required']])];
  }
  return joined;
}
