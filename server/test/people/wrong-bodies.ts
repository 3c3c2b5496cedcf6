/** Bodies made from schemas: one that is taken, and for every field some that are not, with the field a refusal must name. */
import type { TObject, TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { readQuery } from '../../src/http/routes/checked-input.ts';

interface Schema {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  additionalProperties?: unknown;
  required?: string[];
  items?: Schema;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
}

export interface WrongBody {
  body: unknown;
  /** Null: the body as a whole. */
  field: string | null;
}

/** Longer texts than this are not worth their bytes on the wire. */
const LONGEST = 20_000;

export function takenBody(schema: TSchema): unknown {
  return sampleOf(schema as Schema);
}

/** `example`: of a body whose fields have forms that no sample guesses. */
export function wrongBodies(schema: TSchema, example?: unknown): WrongBody[] {
  const base = example !== undefined && Check(schema, example) ? requiredOf(schema as Schema, example) : undefined;
  return wrongIn(schema as Schema, '', base);
}

function requiredOf({ required = [] }: Schema, example: unknown): unknown {
  const fields = example as Record<string, unknown>;
  return Object.fromEntries(required.map((name) => [name, fields[name]]));
}

/** The same for a query, as its text: what text cannot say wrongly is left out. */
export function wrongQueries(schema: TObject): WrongBody[] {
  return wrongBodies(schema).flatMap(({ body, field }) => {
    if (typeof body !== 'object' || body === null || field === null) return [];
    const values = Object.values(body);
    if (values.some((value) => value === null || typeof value === 'object')) return [];
    const text = new URLSearchParams(
      Object.fromEntries(Object.entries(body).map(([name, value]) => [name, String(value)])),
    );
    if (Check(schema, readQuery(Object.fromEntries(text), schema))) return [];
    return [{ body: text.toString(), field }];
  });
}

function sampleOf(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return sampleOf(schema.anyOf.find(({ type }) => type === 'null') ?? schema.anyOf[0] ?? {});
  switch (schema.type) {
    case 'object':
      return Object.fromEntries((schema.required ?? []).map((name) => [name, sampleOf(propertyOf(schema, name))]));
    case 'array':
      return [];
    case 'string':
      return 'a'.repeat(Math.max(1, schema.minLength ?? 1));
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return {};
  }
}

function propertyOf({ properties }: Schema, name: string): Schema {
  return properties?.[name] ?? {};
}

function wrongIn(schema: Schema, path: string, base?: unknown): WrongBody[] {
  const here = valuesFor(schema).filter((value) => !Check(schema as TSchema, value));
  const found: WrongBody[] = here.map((body) => ({ body, field: path === '' ? null : path }));
  for (const form of schema.anyOf ?? [schema]) found.push(...wrongInside(form, path, base));
  return found;
}

/** One of another kind, and one beyond each bound. */
function valuesFor(schema: Schema): unknown[] {
  const forms = schema.anyOf ?? [schema];
  const isObject = forms.some(({ type }) => type === 'object');
  const otherKind = [isObject ? 'nonsense' : {}, 5, 'nonsense'].find((value) => !Check(schema as TSchema, value));
  const bounds = forms.flatMap(({ minLength = 0, maxLength = LONGEST, minimum, maximum, maxItems, items = {} }) => [
    ...(minLength > 0 ? ['a'.repeat(minLength - 1)] : []),
    ...(maxLength < LONGEST ? ['a'.repeat(maxLength + 1)] : []),
    ...(minimum === undefined ? [] : [minimum - 1]),
    ...(maximum === undefined ? [] : [maximum + 1]),
    ...(maxItems === undefined ? [] : [Array.from({ length: maxItems + 1 }, () => sampleOf(items))]),
  ]);
  return [...(otherKind === undefined ? [] : [otherKind]), ...bounds, null];
}

function wrongInside(schema: Schema, path: string, example?: unknown): WrongBody[] {
  const at = (name: string | number) => (path === '' ? String(name) : `${path}.${name}`);
  const base = (example ?? sampleOf(schema)) as Record<string, unknown>;
  const found: WrongBody[] = [];
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    for (const { body, field } of wrongIn(property, at(name))) found.push({ body: { ...base, [name]: body }, field });
  for (const name of schema.required ?? []) {
    const { [name]: _left, ...rest } = base;
    found.push({ body: rest, field: at(name) });
  }
  if (schema.additionalProperties === false) found.push({ body: { ...base, colour: 'red' }, field: at('colour') });
  for (const value of Object.values(schema.patternProperties ?? {}))
    for (const { body, field } of wrongIn(value, at('any'))) found.push({ body: { any: body }, field });
  if (schema.items) for (const { body, field } of wrongIn(schema.items, at(0))) found.push({ body: [body], field });
  return found;
}
