/** A list whose entries know their index, so that removing one takes constant time. */

export interface Indexed {
  /** Owned by the list: the entry's index, or -1 when it is not in the list. */
  position: number;
}

/**
 * The last entry fills the gap of a removed one, so the order has no meaning. Where entries come and go with every
 * request, a Map or a Set rebuilds its table and keeps dead tables alive (docs/performance.md).
 */
export class IndexedList<T extends Indexed> {
  readonly #entries: T[] = [];

  /** Callers must not change it. */
  get entries(): readonly T[] {
    return this.#entries;
  }

  get size(): number {
    return this.#entries.length;
  }

  add(entry: T): void {
    entry.position = this.#entries.push(entry) - 1;
  }

  /** Returns false for an entry that is not in the list. */
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
