/** The form of ids, and the check that each is used once. */
import type { Fields } from './fields.ts';
import { mistakes } from './mistakes.ts';
import { pathText } from './report.ts';

export function isSlug(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text);
}

export function isModelId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}\/[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$/.test(text);
}

export class UniqueIds {
  readonly #kind: string;
  readonly #seen = new Map<string, string>();

  constructor(kind: string) {
    this.#kind = kind;
  }

  reserve(id: string, fields: Fields, field = 'id'): void {
    const first = this.#seen.get(id);
    if (first === undefined) this.#seen.set(id, pathText(fields.at(field)));
    else fields.mistake(field, mistakes.idTwice(this.#kind, id, first));
  }
}
