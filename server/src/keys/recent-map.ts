/** A map that forgets what was used least recently when it is full. */
export class RecentMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #capacity: number;
  readonly #forgotten: (value: V) => void;

  constructor(capacity: number, forgotten: (value: V) => void = () => {}) {
    this.#capacity = capacity;
    this.#forgotten = forgotten;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) {
      // A Map iterates in order of insertion: the first entry is the one to forget.
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#capacity) return;
    const [oldest] = this.#entries;
    if (oldest) {
      this.#entries.delete(oldest[0]);
      this.#forgotten(oldest[1]);
    }
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  values(): IterableIterator<V> {
    return this.#entries.values();
  }

  get size(): number {
    return this.#entries.size;
  }
}
