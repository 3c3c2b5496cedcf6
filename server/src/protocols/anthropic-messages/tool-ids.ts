/**
 * Tool ids in the alphabet of this protocol. The mapping is one-to-one within a request or an answer, so that calls and
 * results match even when two foreign ids differ only in characters that had to be removed.
 */
const ALLOWED = /^[a-zA-Z0-9_-]+$/;

export class ToolIds {
  readonly #given = new Map<string, string>();
  readonly #taken = new Set<string>();

  of(id: string): string {
    const known = this.#given.get(id);
    if (known !== undefined) return known;
    const clean = ALLOWED.test(id) ? id : id.replace(/[^a-zA-Z0-9_-]/g, '_') || 'tool';
    let unique = clean;
    for (let copy = 2; this.#taken.has(unique); copy++) unique = `${clean}_${copy}`;
    this.#given.set(id, unique);
    this.#taken.add(unique);
    return unique;
  }
}
