/** The parts of JSON Schema that the check of schemas and the check of answers share. Pure. */
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';

export function isOfType(value: Json, type: string): boolean {
  switch (type) {
    case 'object':
      return isJsonObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

/** Finds `#`, `#/$defs/name` and `#/definitions/name`; undefined for every other address. */
export function localDefinition(root: JsonObject, address: Json | undefined): JsonObject | undefined {
  if (address === '#') return root;
  const [start, group = '', name = '', ...more] = typeof address === 'string' ? address.split('/') : [];
  if (start !== '#' || more.length > 0 || (group !== '$defs' && group !== 'definitions')) return undefined;
  const definitions = root[group];
  if (!isJsonObject(definitions) || !Object.hasOwn(definitions, name)) return undefined;
  const found = definitions[name];
  return isJsonObject(found) ? found : undefined;
}
