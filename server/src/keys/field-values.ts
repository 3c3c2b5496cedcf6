/** The values of a table of declared fields (packages/core/src/fields) as one object: what they are at first, read, and given back. */
import type { Field, FieldTable } from '@dargah/core/fields/index.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { type Money, toTomanText } from '../core/money.ts';
import type { RenderedOf, ValuesOf } from './field-types.ts';
import { readField, readObject, refuse, refuseUnknownFields } from './read-field.ts';

type Values = Record<string, unknown>;

/** The initial values: nothing is restricted and nothing is switched on. */
export function unrestricted<T extends FieldTable>(table: T): ValuesOf<T> {
  const values: Values = {};
  for (const [name, field] of Object.entries(table)) values[camel(name)] = freeValue(field);
  return values as ValuesOf<T>;
}

function freeValue(field: Field): unknown {
  if (field.kind === 'group') return unrestricted(field.fields);
  return field.kind === 'flag' ? false : null;
}

/** A field that is not named keeps its present value; null instead of a whole group lifts all of it. */
export function readValues<T extends FieldTable>(
  table: T,
  object: JsonObject,
  present: ValuesOf<T>,
  param: string,
): ValuesOf<T> {
  // A copy keeps the hidden class of what it is a copy of, which the request path reads fast.
  const values: Values = { ...(present as Values) };
  for (const [name, field] of Object.entries(table)) {
    const input = object[name];
    if (input !== undefined)
      values[camel(name)] = readInputValue(field, input, values[camel(name)], `${param}.${name}`);
  }
  return values as ValuesOf<T>;
}

function readInputValue(field: Field, input: Json, present: unknown, param: string): unknown {
  if (field.kind !== 'group') return readField(field, input, param);
  const object = readField(field, input, param) as JsonObject | null;
  return object === null ? unrestricted(field.fields) : readValues(field.fields, object, present as never, param);
}

/** Values in the form in which people and programs write them, and in which they are stored. */
export function renderValues<T extends FieldTable>(table: T, values: ValuesOf<T>): RenderedOf<T> {
  const json: JsonObject = {};
  for (const [name, field] of Object.entries(table)) json[name] = renderValue(field, (values as Values)[camel(name)]);
  // The table that names the fields is the one that the type is made from.
  return json as RenderedOf<T>;
}

function renderValue(field: Field, value: unknown): Json {
  if (value === null) return null;
  if (field.kind === 'group') return renderValues(field.fields, value as never);
  if (field.kind === 'toman') return toTomanText(value as Money);
  if (field.kind === 'time') return new Date(value as number).toISOString();
  return value as Json;
}

/** Refuses a limit above the one over it, because it would promise what is never granted. */
export function refuseAbove<T extends FieldTable>(
  table: T,
  limits: Partial<ValuesOf<T>>,
  over: ValuesOf<T>,
  param: string,
): void {
  for (const [name, field] of Object.entries(table)) {
    const limit = (limits as Values)[camel(name)];
    const highest = (over as Values)[camel(name)];
    const path = `${param}.${name}`;
    if (field.kind === 'group') refuseAbove(field.fields, limit as never, highest as never, path);
    if ((field.kind !== 'whole' && field.kind !== 'toman') || limit == null || highest === null) continue;
    if ((limit as number) <= (highest as number)) continue;
    const bound = renderValue(field, highest);
    refuse(path, `از حد حساب (${bound}) بیشتر است.`, `is above the account's limit (${bound}).`);
  }
}

/** What people gave: a field that nobody knows is refused, since a rule that is silently dropped does not exist. */
export function objectInput(input: Json | undefined, table: FieldTable, param: string): JsonObject {
  const object = readObject(input ?? {}, param);
  refuseUnknownFields(object, table, param);
  return object;
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
