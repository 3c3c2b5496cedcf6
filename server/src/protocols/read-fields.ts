/**
 * Readers of a client's JSON. Each takes a value and the path of its field and either gives back the typed value or throws
 * invalid_request naming that path. Written by hand: a schema library would cost more than the rest of the request.
 */

import type { Text } from '@dargah/core/text.ts';
import { invalidRequest } from '../core/errors.ts';
import { expected } from '../core/expected.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { reasons } from '../core/reasons.ts';

type Value = Json | undefined;
type Reader<T> = (value: Value, param: string) => T;

export function refuseParam(param: string, reason: Text): never {
  throw invalidRequest(param, reason);
}

function missing(param: string): never {
  refuseParam(param, reasons.required(param));
}

function mistyped(value: Value, param: string, wanted: Text): never {
  if (value === undefined || value === null) missing(param);
  refuseParam(param, reasons.mustBe(param, wanted));
}

/** SDKs write null for what they leave out, so null is absent everywhere. */
export function optional<T>(value: Value, param: string, read: (value: Json, param: string) => T): T | undefined {
  return value === undefined || value === null ? undefined : read(value, param);
}

export function asObject(value: Value, param: string): JsonObject {
  return isJsonObject(value) ? value : mistyped(value, param, expected.object);
}

export function asArray(value: Value, param: string, maxLength: number): Json[] {
  if (!Array.isArray(value)) mistyped(value, param, expected.list);
  if (value.length > maxLength) refuseParam(param, reasons.tooLong(param, maxLength));
  return value;
}

export function asString(value: Value, param: string): string {
  return typeof value === 'string' ? value : mistyped(value, param, expected.text);
}

export function asBoolean(value: Value, param: string): boolean {
  return typeof value === 'boolean' ? value : mistyped(value, param, expected.flag);
}

/** A short text that ends up in databases, logs and headers: not empty, bounded, without control characters. */
export function asName(value: Value, param: string, maxLength: number): string {
  const text = asString(value, param);
  if (text === '') missing(param);
  if (text.length > maxLength) refuseParam(param, reasons.tooLong(param, maxLength));
  if (hasControlCharacter(text)) refuseParam(param, reasons.mustBe(param, expected.cleanText));
  return text;
}

export function numberBetween(min: number, max: number): Reader<number> {
  return (value, param) =>
    typeof value === 'number' && value >= min && value <= max
      ? value
      : mistyped(value, param, expected.numberBetween(min, max));
}

export function integerBetween(min: number, max: number): Reader<number> {
  return (value, param) =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? value
      : mistyped(value, param, expected.integerBetween(min, max));
}

/** A count of tokens: more than any model has, yet small enough that sums and prices stay exact. */
export const asTokenCount: Reader<number> = integerBetween(1, 1_000_000_000);

export function oneOf<const T extends string>(allowed: readonly T[]): Reader<T> {
  return (value, param) => {
    const text = asString(value, param);
    return allowed.find((word) => word === text) ?? refuseParam(param, reasons.oneOf(param, allowed));
  };
}

export function namesUpTo(maxCount: number, maxLength: number): Reader<string[]> {
  return (value, param) =>
    asArray(value, param, maxCount).map((item, index) => asName(item, `${param}.${index}`, maxLength));
}

/** The fields that are not ours, to be carried along; undefined when there are none. */
export function fieldsBeside(object: JsonObject, known: ReadonlySet<string>): JsonObject | undefined {
  let rest: JsonObject | undefined;
  for (const key in object) {
    if (known.has(key)) continue;
    rest ??= {};
    rest[key] = object[key];
  }
  return rest;
}

/** Only the keys that have a value: an optional field is either there with a value or not there. */
export function definedFields<T extends object>(object: { [K in keyof T]: T[K] | undefined }): T {
  // A new object, since deleting keys would make the old one a slow one for all who read it.
  const kept: Partial<T> = {};
  for (const key in object) {
    const value = object[key];
    if (value !== undefined) kept[key] = value;
  }
  return kept as T;
}

function hasControlCharacter(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}
