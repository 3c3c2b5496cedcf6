/** Reads fields of a client's body; every refusal names the field at fault, in dotted form. */
import { invalidRequest } from '../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { reasons } from '../core/reasons.ts';

export type Field = Json | undefined;

/** `null` counts as "not given": typed SDKs send it for optional fields. */
export function optional<T>(value: Field, param: string, read: (value: Json, param: string) => T): T | undefined {
  return value === undefined || value === null ? undefined : read(value, param);
}

export function readObject(value: Field, param: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw refusal(value, param, 'object');
}

export function readArray(value: Field, param: string): Json[] {
  if (Array.isArray(value)) return value;
  throw refusal(value, param, 'array');
}

export function readString(value: Field, param: string): string {
  if (typeof value === 'string') return value;
  throw refusal(value, param, 'string');
}

export function readName(value: Field, param: string): string {
  const name = readString(value, param);
  if (name !== '') return name;
  throw invalidRequest(param, reasons.required(param));
}

export function readBoolean(value: Field, param: string): boolean {
  if (typeof value === 'boolean') return value;
  throw refusal(value, param, 'boolean');
}

export function readNumber(min: number, max: number): (value: Field, param: string) => number {
  return (value, param) => {
    if (typeof value === 'number' && value >= min && value <= max) return value;
    throw refusal(value, param, `${min}–${max}`);
  };
}

export function readInteger(min: number): (value: Field, param: string) => number {
  return (value, param) => {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min) return value;
    throw refusal(value, param, `integer ≥ ${min}`);
  };
}

export function readStrings(value: Field, param: string): string[] {
  return readArray(value, param).map((item, index) => readString(item, `${param}.${index}`));
}

export function readOneOf<T extends string>(allowed: readonly T[]): (value: Field, param: string) => T {
  return (value, param) => {
    const found = allowed.find((word) => word === value);
    if (found !== undefined) return found;
    throw invalidRequest(param, reasons.oneOf(param, allowed));
  };
}

/** The fields we do not model; undefined when there are none. */
export function unmodelled(object: JsonObject, modelled: readonly string[]): JsonObject | undefined {
  let rest: JsonObject | undefined;
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined || modelled.includes(key)) continue;
    rest ??= {};
    rest[key] = value;
  }
  return rest;
}

function refusal(value: Field, param: string, expected: string) {
  return invalidRequest(param, value === undefined ? reasons.required(param) : reasons.mustBe(param, expected));
}
