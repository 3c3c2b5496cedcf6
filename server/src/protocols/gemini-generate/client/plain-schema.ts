/**
 * Google's `Schema` → JSON Schema, the reverse of upstream/schema-subset.ts. Types are in capitals there, null is a
 * separate flag, counts may be written as text, and a list gives the order of properties.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';

const COUNTS = ['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'];
const NO_TYPE = 'TYPE_UNSPECIFIED';

export function toPlainSchema(schema: JsonObject): JsonObject {
  const { type, nullable, properties, propertyOrdering, items, anyOf, enum: choices, example, ...rest } = schema;
  const plain: JsonObject = { ...typeOf(type, nullable), ...rest };
  for (const name of COUNTS) if (typeof plain[name] === 'string') plain[name] = Number(plain[name]);
  if (Array.isArray(choices)) plain['enum'] = nullable === true ? [...choices, null] : choices;
  if (example !== undefined) plain['examples'] = [example];
  if (isJsonObject(items)) plain['items'] = toPlainSchema(items);
  if (Array.isArray(anyOf)) {
    const branches = anyOf.map((branch): Json => (isJsonObject(branch) ? toPlainSchema(branch) : branch));
    plain['anyOf'] = nullable === true && type === undefined ? [...branches, { type: 'null' }] : branches;
  }
  if (isJsonObject(properties)) plain['properties'] = inOrder(properties, propertyOrdering);
  return plain;
}

function typeOf(type: Json | undefined, nullable: Json | undefined): JsonObject {
  if (Array.isArray(type)) return { type: type.map((name) => (typeof name === 'string' ? name.toLowerCase() : name)) };
  if (typeof type !== 'string' || type === NO_TYPE) return {};
  const name = type.toLowerCase();
  return { type: nullable === true && name !== 'null' ? [name, 'null'] : name };
}

/** Models write the properties in the order in which the schema has them. */
function inOrder(properties: JsonObject, ordering: Json | undefined): JsonObject {
  const first = Array.isArray(ordering) ? ordering.filter((name): name is string => typeof name === 'string') : [];
  const ordered: JsonObject = {};
  for (const name of [...first, ...Object.keys(properties)]) {
    const property = properties[name];
    if (Object.hasOwn(properties, name) && property !== undefined)
      ordered[name] = isJsonObject(property) ? toPlainSchema(property) : property;
  }
  return ordered;
}
