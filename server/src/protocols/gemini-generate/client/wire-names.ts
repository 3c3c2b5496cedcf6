/**
 * Google's wire is lenient: it takes each field in two spellings, `generationConfig` and `generation_config`, and where a list
 * is due, one item without its brackets. Behind this file there is one form of each.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import { asArray } from '../../read-fields.ts';
import { MAX_ITEMS } from '../bounds.ts';

/**
 * Returns the same object where no name has a second spelling, which is how every SDK writes. Nested objects are not
 * changed.
 */
export function wireFields(object: JsonObject): JsonObject {
  for (const name in object) if (name.includes('_')) return renamed(object);
  return object;
}

function renamed(object: JsonObject): JsonObject {
  const fields: JsonObject = {};
  for (const name in object) {
    const other = name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    // Where both are there, the first spelling wins whatever their order.
    if (other === name || !(other in object)) fields[other] = object[name];
  }
  return fields;
}

/** The items of a list, or a single object in its place. */
export function asItems(value: Json | undefined, param: string): Json[] {
  return isJsonObject(value) ? [value] : asArray(value, param, MAX_ITEMS);
}
