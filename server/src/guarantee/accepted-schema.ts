/**
 * Which schemas the guarantee covers: the structural keywords that vendors' strict modes enforce, and only where some
 * answer can satisfy them. With a schema that nothing satisfies (`{"not":{}}`, an empty enum, a required loop) every
 * answer would be invalid and free. Pure and bounded, because the schema comes from the customer.
 */
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { isOfType, localDefinition } from './schema-parts.ts';

export interface AcceptedSchema {
  /**
   * True when every object requires all of its fields and allows no others: every vendor's strict mode accepts such a
   * schema.
   */
  strictEverywhere: boolean;
}

const MAX_NODES = 2_000;
const MAX_DEPTH = 32;
const MAX_STEPS = 20_000;

const ANNOTATIONS = words(
  'title description default examples deprecated readOnly writeOnly $schema $id $comment $defs definitions',
);
const CONSTRAINTS = words(
  'pattern format minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems uniqueItems',
);
const TYPES = words('object array string number integer boolean null');
const OF_TYPE = words('type properties required additionalProperties items propertyOrdering');

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}

/** Returns undefined when the guarantee does not cover it. */
export function acceptSchema(root: JsonObject): AcceptedSchema | undefined {
  const look = new Look(root);
  return look.accepts() ? { strictEverywhere: look.strictEverywhere } : undefined;
}

class Look {
  readonly #root: JsonObject;
  readonly #meetable = new Set<JsonObject>();
  #nodes = 0;
  #steps = 0;
  strictEverywhere = true;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  accepts(): boolean {
    const definitions = ['$defs', 'definitions'].flatMap((name) => {
      const group = this.#root[name];
      return isJsonObject(group) ? Object.values(group) : group === undefined ? [] : [null];
    });
    return [this.#root, ...definitions].every((node) => this.#isKnown(node, 0)) && this.#canBeMet(this.#root, []);
  }

  /**
   * Each node is a reference, a choice, a list of values or a type, with no keyword beside it that only some vendors
   * enforce.
   */
  #isKnown(node: Json | undefined, depth: number): boolean {
    if (!isJsonObject(node) || depth > MAX_DEPTH || ++this.#nodes > MAX_NODES) return false;
    const own = Object.keys(node).filter((name) => !ANNOTATIONS.has(name));
    const only = (...names: string[]) => own.every((name) => names.includes(name));
    if (node['$ref'] !== undefined) return only('$ref') && localDefinition(this.#root, node['$ref']) !== undefined;
    if (node['anyOf'] !== undefined) return only('anyOf') && this.#areKnown(node['anyOf'], depth);
    if (node['enum'] !== undefined || node['const'] !== undefined)
      return only('type', 'enum', 'const') && hasValues(node);
    if (!own.every((name) => OF_TYPE.has(name) || CONSTRAINTS.has(name)) || !hasKnownTypes(node)) return false;
    return this.#isKnownObject(node, depth) && (node['items'] === undefined || this.#isKnown(node['items'], depth + 1));
  }

  #areKnown(list: Json | undefined, depth: number): boolean {
    return Array.isArray(list) && list.length > 0 && list.every((one) => this.#isKnown(one, depth + 1));
  }

  #isKnownObject(node: JsonObject, depth: number): boolean {
    const { properties = {}, required = [], additionalProperties } = node;
    if (additionalProperties !== undefined && typeof additionalProperties !== 'boolean') return false;
    if (!isJsonObject(properties) || !Array.isArray(required)) return false;
    const names = Object.keys(properties);
    if (!required.every((name) => typeof name === 'string' && Object.hasOwn(properties, name))) return false;
    if (typesOf(node).includes('object')) {
      if (additionalProperties !== false || !names.every((name) => required.includes(name)))
        this.strictEverywhere = false;
    }
    return names.every((name) => this.#isKnown(properties[name], depth + 1));
  }

  /**
   * Whether any value satisfies the node. Nothing satisfies a node that contains itself through required fields alone.
   */
  #canBeMet(node: JsonObject, within: readonly JsonObject[]): boolean {
    if (this.#meetable.has(node)) return true;
    if (++this.#steps > MAX_STEPS || within.includes(node)) return false;
    const inner = [...within, node];
    const met = this.#isMetBySome(node, inner);
    if (met) this.#meetable.add(node);
    return met;
  }

  #isMetBySome(node: JsonObject, within: readonly JsonObject[]): boolean {
    if (node['$ref'] !== undefined) {
      const target = localDefinition(this.#root, node['$ref']);
      return target !== undefined && this.#canBeMet(target, within);
    }
    if (Array.isArray(node['anyOf']))
      return node['anyOf'].some((one) => isJsonObject(one) && this.#canBeMet(one, within));
    if (node['enum'] !== undefined || node['const'] !== undefined) return true;
    const types = typesOf(node);
    if (types.length !== 1 || types[0] !== 'object') return true;
    const { properties, required } = node;
    if (!isJsonObject(properties) || !Array.isArray(required)) return true;
    return required.every((name) => {
      const field = properties[String(name)];
      return isJsonObject(field) && this.#canBeMet(field, within);
    });
  }
}

function typesOf({ type }: JsonObject): Json[] {
  return Array.isArray(type) ? type : type === undefined ? [] : [type];
}

function hasKnownTypes(node: JsonObject): boolean {
  const types = typesOf(node);
  if (Array.isArray(node['type']) && types.length === 0) return false;
  return types.every((type) => typeof type === 'string' && TYPES.has(type));
}

/** True when a listed value has the type that is named beside the list. */
function hasValues(node: JsonObject): boolean {
  if (!hasKnownTypes(node)) return false;
  const types = typesOf(node);
  const { enum: list, const: one } = node;
  if (list !== undefined && !Array.isArray(list)) return false;
  const values = list ?? [one as Json];
  return values.some((value) => {
    const fits = types.length === 0 || types.some((type) => isOfType(value, String(type)));
    return fits && (one === undefined || list === undefined || JSON.stringify(one) === JSON.stringify(value));
  });
}
