/** JSON from outside is parsed here and nowhere else. */

export type Json = string | number | boolean | null | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json | undefined;
}

/** Deeper bodies are refused: recursive code downstream (stringify, schemas) would overflow the stack. */
export const MAX_JSON_DEPTH = 64;

export class JsonRefused extends Error {
  readonly reason: 'syntax' | 'depth' | 'size' | 'forbidden-key';
  constructor(reason: JsonRefused['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Parses text of a client: refuses prototype keys and absurd depth. Visits nodes, not characters, so long strings cost nothing. */
export function parseJson(text: string): Json {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    throw new JsonRefused('syntax', error instanceof Error ? error.message : 'not JSON');
  }
  if (typeof value === 'object' && value !== null) inspect(value, 1);
  return value;
}

/** Parses text of a provider or of our own: no inspection, undefined when it is not JSON. */
export function parseTrustedJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Avoids allocating `Object.keys()`. */
export function hasFields(object: object): boolean {
  for (const _name in object) return true;
  return false;
}

/** Stops at the bound, so that the check itself cannot overflow the stack. */
function inspect(node: Json[] | JsonObject, depth: number): void {
  if (depth > MAX_JSON_DEPTH) throw new JsonRefused('depth', `nested deeper than ${MAX_JSON_DEPTH}`);
  if (Array.isArray(node)) {
    for (const item of node) if (typeof item === 'object' && item !== null) inspect(item, depth + 1);
    return;
  }
  for (const key in node) {
    if (key === '__proto__') throw new JsonRefused('forbidden-key', 'the key __proto__ is not allowed');
    const item = node[key];
    if (typeof item === 'object' && item !== null) inspect(item, depth + 1);
  }
}
