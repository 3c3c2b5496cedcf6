/** A list whose entries know where they stand, so that each is removed at once. */

export interface Indexed {
  /** Owned by the list: where the entry stands in it, -1 when it does not. */
  position: number;
}

/**
 * The last entry fills the gap of a removed one, so the order means nothing. Where entries come and go with every request, a Map
 * or a Set rebuilds its table and keeps dead tables alive (docs/performance.md).
 */
export class IndexedList<T extends Indexed> {
  readonly #entries: T[] = [];

  /** To be read only. */
  get entries(): readonly T[] {
    return this.#entries;
  }

  get size(): number {
    return this.#entries.length;
  }

  add(entry: T): void {
    entry.position = this.#entries.push(entry) - 1;
  }

  /** False for an entry that does not stand in the list. */
  remove(entry: T): boolean {
    const at = entry.position;
    if (at < 0) return false;
    entry.position = -1;
    const last = this.#entries.pop();
    if (last !== undefined && last !== entry) {
      this.#entries[at] = last;
      last.position = at;
    }
    return true;
  }
}
