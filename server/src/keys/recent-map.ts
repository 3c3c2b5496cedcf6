/**
 * A map that forgets what was not used lately when it is full: each entry that was used since it was last looked at gets a
 * second chance. Reading only sets a mark; moving the entry to the end with every use would rebuild the table all the time.
 */
interface Kept<V> {
  value: V;
  used: boolean;
}

export class RecentMap<K, V> {
  /** A Map iterates in order of insertion: the first entry is the next to be looked at. */
  readonly #entries = new Map<K, Kept<V>>();
  readonly #capacity: number;
  readonly #forgotten: (value: V) => void;

  constructor(capacity: number, forgotten: (value: V) => void = () => {}) {
    this.#capacity = capacity;
    this.#forgotten = forgotten;
  }

  get(key: K): V | undefined {
    const kept = this.#entries.get(key);
    if (kept === undefined) return undefined;
    kept.used = true;
    return kept.value;
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    // Before the new one is in: it is not used yet and would be the first to go.
    if (this.#entries.size >= this.#capacity) this.#forgetOne();
    this.#entries.set(key, { value, used: false });
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  *values(): Generator<V> {
    for (const { value } of this.#entries.values()) yield value;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Ends at the latest where it began, since every mark it passes is taken away. */
  #forgetOne(): void {
    for (const [key, kept] of this.#entries) {
      this.#entries.delete(key);
      if (!kept.used) {
        this.#forgotten(kept.value);
        return;
      }
      kept.used = false;
      this.#entries.set(key, kept);
    }
  }
}
