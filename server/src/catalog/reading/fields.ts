/**
 * Reads one mapping of the file field by field. A reader returns undefined for what is absent or wrong, and reports
 * what is wrong; `finish` then reports every field that no reader asked for, since a misspelt field would otherwise
 * silently become a default.
 */
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { mistakes } from './mistakes.ts';
import type { Mistake, Path, Report } from './report.ts';

const MAX_TEXT = 4096;
const MAX_ENTRIES = 10_000;

export interface Bounds {
  min: number;
  max: number;
}

export class Fields {
  readonly path: Path;
  readonly report: Report;
  readonly #object: JsonObject;
  readonly #known = new Set<string>();

  constructor(object: JsonObject, path: Path, report: Report) {
    this.#object = object;
    this.path = path;
    this.report = report;
  }

  at(name: string): Path {
    return [...this.path, name];
  }

  /** The raw value; marks the field as known. YAML's empty value (`name:`) counts as absent, like null. */
  raw(name: string): Json | undefined {
    this.#known.add(name);
    return Object.hasOwn(this.#object, name) ? (this.#object[name] ?? undefined) : undefined;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#object, name);
  }

  mistake(name: string, text: Mistake): undefined {
    return this.report.mistake(this.at(name), text);
  }

  text(name: string): string | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'string') return this.mistake(name, mistakes.notText(value));
    if (value.trim() === '' || value.length > MAX_TEXT) return this.mistake(name, mistakes.textLength(MAX_TEXT));
    return value;
  }

  needText(name: string): string | undefined {
    return this.need(name) ? this.text(name) : undefined;
  }

  /** Reports an absent field. */
  need(name: string): boolean {
    if (this.raw(name) !== undefined) return true;
    this.mistake(name, mistakes.required);
    return false;
  }

  whole(name: string, { min, max }: Bounds): number | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
    return this.mistake(name, mistakes.whole(min, max, value));
  }

  flag(name: string): boolean | undefined {
    const value = this.raw(name);
    if (value === undefined || typeof value === 'boolean') return value;
    return this.mistake(name, mistakes.flag(value));
  }

  choice<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    const found = allowed.find((one) => one === value);
    return found ?? this.mistake(name, mistakes.choice(allowed, value));
  }

  list(name: string): Json[] | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) return this.mistake(name, mistakes.list(value));
    if (value.length > MAX_ENTRIES) return this.mistake(name, mistakes.tooMany(MAX_ENTRIES));
    return value;
  }

  texts(name: string): string[] | undefined {
    const path = this.at(name);
    return this.list(name)?.flatMap((value, index) => {
      if (typeof value === 'string' && value !== '' && value.length <= MAX_TEXT) return [value];
      this.report.mistake([...path, index], mistakes.entryNotText(value));
      return [];
    });
  }

  child(name: string): Fields | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    if (isJsonObject(value)) return new Fields(value, this.at(name), this.report);
    return this.mistake(name, mistakes.mapping(value));
  }

  children(name: string): Fields[] {
    const path = this.at(name);
    return (this.list(name) ?? []).flatMap((value, index) => {
      if (isJsonObject(value)) return [new Fields(value, [...path, index], this.report)];
      this.report.mistake([...path, index], mistakes.mapping(value));
      return [];
    });
  }

  names(): string[] {
    return Object.keys(this.#object);
  }

  /** May be called twice: what was reported once is not reported again. */
  finish(): void {
    const unknown: string[] = [];
    for (const name of Object.keys(this.#object)) {
      if (this.#known.has(name)) continue;
      this.mistake(name, mistakes.unknownField(name, this.#known));
      unknown.push(name);
    }
    for (const name of unknown) this.#known.add(name);
  }
}
