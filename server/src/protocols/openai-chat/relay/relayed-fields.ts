/**
 * Fields of a provider's chunks that we do not know: its fingerprint, its timings, the reports of its filter. They go on
 * with the chunk they came in, or with the next one where theirs is not written.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';

export class RelayedFields {
  #chunk: JsonObject = {};
  #written = true;
  /** Fields of chunks that were not written. */
  #left: JsonObject | undefined;

  read(chunk: JsonObject): void {
    if (!this.#written) this.#keepUntold();
    this.#chunk = chunk;
    this.#written = false;
  }

  /** Returns fields for a chunk that is written now, as `,"name":value…`: this runs for every token of every stream. */
  take(): string {
    this.#written = true;
    if (this.#left) return this.#takeLeft();
    let fields = '';
    for (const name in this.#chunk) {
      const value = fieldOf(this.#chunk, name);
      if (value !== undefined) fields += jsonField(name, value);
    }
    return fields;
  }

  /** Returns what came after the last choice. */
  untold(): JsonObject | undefined {
    if (!this.#written) this.#keepUntold();
    return this.#left;
  }

  #takeLeft(): string {
    this.#keepUntold();
    const text = JSON.stringify(this.#left);
    this.#left = undefined;
    return `,${text.slice(1, -1)}`;
  }

  #keepUntold(): void {
    for (const name in this.#chunk) {
      const value = fieldOf(this.#chunk, name);
      if (value === undefined) continue;
      this.#left ??= {};
      this.#left[name] = value;
    }
  }
}

/** One field of an object as JSON, with the comma before it. */
export function jsonField(name: string, value: Json | undefined): string {
  return `,${JSON.stringify(name)}:${JSON.stringify(value)}`;
}

/** Returns undefined for fields that we write ourselves, and for usage, which waits for the end. */
function fieldOf(chunk: JsonObject, name: string): Json | undefined {
  switch (name) {
    case 'id':
    case 'object':
    case 'created':
    case 'model':
    case 'choices':
    case 'usage':
    case 'error':
      return undefined;
    case 'system_fingerprint':
      // In chunks strict clients accept a text or nothing, but not null.
      return chunk[name] ?? undefined;
    case 'x_groq':
      return withoutUsage(chunk[name]);
    default:
      return chunk[name];
  }
}

/** Groq's object of its own holds its id beside the usage. */
function withoutUsage(value: Json | undefined): Json | undefined {
  if (!isJsonObject(value)) return value;
  const { usage: _usage, error: _error, ...rest } = value;
  return Object.keys(rest).length > 0 ? rest : undefined;
}
