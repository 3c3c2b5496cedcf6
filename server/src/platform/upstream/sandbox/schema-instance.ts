/** The smallest value that a JSON Schema accepts, for tool arguments and structured answers of the simulator. */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';

/** Recursive schemas end here. */
const MAX_DEPTH = 12;
const MAX_ITEMS = 16;

const FORMATS: Record<string, string> = {
  date: '2024-03-20',
  time: '12:00:00Z',
  'date-time': '2024-03-20T12:00:00Z',
  email: 'someone@example.com',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
};

export function schemaInstance(schema: Json | undefined): Json {
  return isJsonObject(schema) ? instance(schema, schema, 0) : {};
}

function instance(schema: JsonObject, root: JsonObject, depth: number): Json {
  if (depth > MAX_DEPTH) return null;
  const { $ref, anyOf, oneOf, allOf } = schema;
  if (typeof $ref === 'string') return inner(resolve($ref, root), root, depth);
  if (schema['const'] !== undefined) return schema['const'];
  for (const list of [schema['enum'], schema['examples']])
    if (Array.isArray(list) && list.length > 0) return list[0] ?? null;
  if (schema['default'] !== undefined) return schema['default'];
  if (Array.isArray(anyOf) && anyOf.length > 0) return inner(anyOf[0], root, depth);
  if (Array.isArray(oneOf) && oneOf.length > 0) return inner(oneOf[0], root, depth);
  if (Array.isArray(allOf) && allOf.length > 0) return merged(schema, allOf, root, depth);
  switch (typeOf(schema)) {
    case 'object':
      return objectInstance(schema, root, depth);
    case 'array':
      return arrayInstance(schema, root, depth);
    case 'string':
      return stringInstance(schema);
    case 'integer':
    case 'number':
      return numberInstance(schema);
    case 'boolean':
      return true;
    default:
      return null;
  }
}

function inner(schema: Json | undefined, root: JsonObject, depth: number): Json {
  return isJsonObject(schema) ? instance(schema, root, depth + 1) : null;
}

function typeOf(schema: JsonObject): string {
  const { type } = schema;
  if (typeof type === 'string') return type;
  if (Array.isArray(type)) return String(type.find((name) => name !== 'null') ?? 'null');
  if (isJsonObject(schema['properties'])) return 'object';
  return schema['items'] === undefined ? 'string' : 'array';
}

function objectInstance(schema: JsonObject, root: JsonObject, depth: number): JsonObject {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : Object.keys(properties);
  const made: JsonObject = {};
  for (const name of required) {
    // Defined, not assigned: a property called __proto__ must become a property.
    Object.defineProperty(made, name, {
      value: inner(Object.hasOwn(properties, name) ? properties[name] : undefined, root, depth),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return made;
}

function arrayInstance(schema: JsonObject, root: JsonObject, depth: number): Json[] {
  const { minItems, items } = schema;
  const count = Math.min(MAX_ITEMS, typeof minItems === 'number' ? minItems : 1);
  return Array.from({ length: count }, () => inner(items, root, depth));
}

function stringInstance(schema: JsonObject): string {
  const format = typeof schema['format'] === 'string' ? FORMATS[schema['format']] : undefined;
  const least = typeof schema['minLength'] === 'number' ? Math.min(schema['minLength'], 1000) : 0;
  const most = typeof schema['maxLength'] === 'number' ? schema['maxLength'] : Number.POSITIVE_INFINITY;
  return (format ?? 'sample').padEnd(least, '.').slice(0, most);
}

function numberInstance(schema: JsonObject): number {
  const { minimum, exclusiveMinimum, maximum, multipleOf } = schema;
  let value = 1;
  if (typeof maximum === 'number') value = Math.min(value, maximum);
  if (typeof minimum === 'number') value = Math.max(value, minimum);
  if (typeof exclusiveMinimum === 'number') value = Math.max(value, exclusiveMinimum + 1);
  if (typeof multipleOf === 'number' && multipleOf > 0) value = Math.ceil(value / multipleOf) * multipleOf;
  return typeOf(schema) === 'integer' ? Math.ceil(value) : value;
}

function merged(schema: JsonObject, allOf: Json[], root: JsonObject, depth: number): Json {
  const { allOf: _parts, ...own } = schema;
  let made: Json = isJsonObject(own['properties']) ? instance(own, root, depth + 1) : {};
  for (const part of allOf) {
    const value = inner(part, root, depth);
    made = isJsonObject(made) && isJsonObject(value) ? { ...made, ...value } : value;
  }
  return made;
}

function resolve(reference: string, root: JsonObject): Json | undefined {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let at: Json | undefined = root;
  for (const step of reference.slice(2).split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    at = isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }
  return at;
}
