/** How ids may look, and that each is used once. */
import type { Fields } from './fields.ts';
import { pathText } from './report.ts';

export const SLUG_RULE =
  'must be 1 to 64 letters, digits, dots, dashes or underscores, beginning with a letter or digit';
export const MODEL_ID_RULE = 'must be <vendor>/<model>, such as openai/gpt-4o, without spaces';

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
    else fields.mistake(field, `the ${this.#kind} id "${id}" is already used at ${first}`);
  }
}
