/**
 * Whether a value satisfies an accepted schema. Structure (types, fields, listed values) is what vendors enforce and
 * what the guarantee covers; lengths, bounds and patterns are only reported. A malicious schema may take long, so this
 * runs only on the worker, which is then terminated.
 */
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { isOfType, localDefinition } from './schema-parts.ts';

export interface Fault {
  /** True when only lengths, bounds or patterns are violated. */
  minor: boolean;
  /** The path of the fault: `$.items[2].name`. */
  at: string;
}

const MAX_PLACE = 200;

export function findFault(value: Json, root: JsonObject): Fault | undefined {
  return new Search(root).of(value, root, '$');
}

class Search {
  readonly #root: JsonObject;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  of(value: Json, schema: JsonObject, at: string): Fault | undefined {
    if (schema['$ref'] !== undefined) {
      const target = localDefinition(this.#root, schema['$ref']);
      return target ? this.of(value, target, at) : major(at);
    }
    if (Array.isArray(schema['anyOf'])) return this.#ofAny(value, schema['anyOf'], at);
    const { enum: listed, const: only } = schema;
    if (only !== undefined && !isSame(value, only)) return major(at);
    if (Array.isArray(listed) && !listed.some((one) => isSame(value, one))) return major(at);
    if (!hasType(value, schema['type'])) return major(at);
    let minor = breaksBound(value, schema) ? minorAt(at) : undefined;
    for (const fault of this.#inside(value, schema, at)) {
      if (!fault.minor) return fault;
      minor ??= fault;
    }
    return minor;
  }

  #ofAny(value: Json, choices: readonly Json[], at: string): Fault | undefined {
    let minor: Fault | undefined;
    for (const choice of choices) {
      const fault = isJsonObject(choice) ? this.of(value, choice, at) : major(at);
      if (!fault) return undefined;
      if (fault.minor) minor ??= fault;
    }
    return minor ?? major(at);
  }

  *#inside(value: Json, schema: JsonObject, at: string): Generator<Fault> {
    if (Array.isArray(value)) {
      const { items } = schema;
      if (!isJsonObject(items)) return;
      for (const [index, item] of value.entries()) {
        const fault = this.of(item, items, `${at}[${index}]`);
        if (fault) yield fault;
      }
    } else if (isJsonObject(value)) yield* this.#insideObject(value, schema, at);
  }

  *#insideObject(value: JsonObject, schema: JsonObject, at: string): Generator<Fault> {
    const { properties, required, additionalProperties } = schema;
    const known = isJsonObject(properties) ? properties : {};
    for (const name of Array.isArray(required) ? required : [])
      if (typeof name === 'string' && !Object.hasOwn(value, name)) yield major(`${at}.${name}`);
    for (const [name, item] of Object.entries(value)) {
      const field = Object.hasOwn(known, name) ? known[name] : undefined;
      if (field === undefined) {
        if (additionalProperties === false) yield major(`${at}.${name}`);
      } else if (isJsonObject(field)) {
        const fault = this.of(item as Json, field, `${at}.${name}`);
        if (fault) yield fault;
      }
    }
  }
}

function major(at: string): Fault {
  return { minor: false, at: at.slice(0, MAX_PLACE) };
}

function minorAt(at: string): Fault {
  return { minor: true, at: at.slice(0, MAX_PLACE) };
}

function hasType(value: Json, type: Json | undefined): boolean {
  if (type === undefined) return true;
  return (Array.isArray(type) ? type : [type]).some((one) => typeof one === 'string' && isOfType(value, one));
}

function isSame(one: Json, other: Json): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function breaksBound(value: Json, schema: JsonObject): boolean {
  const bound = (name: string): number | undefined => {
    const limit = schema[name];
    return typeof limit === 'number' ? limit : undefined;
  };
  const outside = (size: number, least: string, most: string) =>
    size < (bound(least) ?? size) || size > (bound(most) ?? size);
  if (typeof value === 'string')
    return outside(value.length, 'minLength', 'maxLength') || !matches(value, schema['pattern']);
  if (Array.isArray(value)) return outside(value.length, 'minItems', 'maxItems');
  if (typeof value !== 'number') return false;
  const { exclusiveMinimum: above, exclusiveMaximum: below } = schema;
  if (typeof above === 'number' && value <= above) return true;
  if (typeof below === 'number' && value >= below) return true;
  return outside(value, 'minimum', 'maximum');
}

function matches(value: string, pattern: Json | undefined): boolean {
  if (typeof pattern !== 'string') return true;
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return true;
  }
}
