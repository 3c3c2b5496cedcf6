/**
 * Keeps data in messages to staff on one line and without control characters: a name from a catalog or a customer's
 * subject must not write a second line, hide a word or look like markup.
 */
import type { Json, JsonObject } from '../../core/json.ts';

const MAX_CHARACTERS = 200;
/** Control characters, direction marks and the characters that begin HTML. */
const STEERING = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069<>]/gu;

export function plainData(data: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(data).map(([field, value]) => [field, plainValue(value ?? null)]));
}

function plainValue(value: Json): Json {
  return typeof value === 'string' ? value.replace(STEERING, ' ').slice(0, MAX_CHARACTERS) : value;
}
