/**
 * A map that forgets what it may forget. Every insertion looks at a few older entries and drops the idle ones, so the
 * size follows what is in use without timers and without work on a hit.
 */

/** More than one, so that dropping is always faster than growing. */
const SWEPT_PER_INSERTION = 4;

export interface TableRules<T> {
  max: number;
  /** True when dropping the entry loses nothing. */
  idle(entry: T, nowMs: number): boolean;
  /** Full of entries in use: forget the oldest, or refuse the new one. */
  whenFull: 'forget-oldest' | 'refuse';
}

export class BoundedTable<T> {
  #entries = new Map<string, T>();
  #sweep: Iterator<[string, T]>;
  #rules: TableRules<T>;

  constructor(rules: TableRules<T>) {
    this.#rules = rules;
    this.#sweep = this.#entries.entries();
  }

  get size(): number {
    return this.#entries.size;
  }

  get(id: string): T | undefined {
    return this.#entries.get(id);
  }

  entries(): IterableIterator<[string, T]> {
    return this.#entries.entries();
  }

  /** False when the table is full and nothing may be forgotten. */
  insert(id: string, entry: T, nowMs: number): boolean {
    for (let i = 0; i < SWEPT_PER_INSERTION; i++) this.#sweepOne(nowMs);
    if (this.#entries.size >= this.#rules.max && !this.#makeRoom()) return false;
    this.#entries.set(id, entry);
    return true;
  }

  #sweepOne(nowMs: number): void {
    let next = this.#sweep.next();
    if (next.done === true) {
      this.#sweep = this.#entries.entries();
      next = this.#sweep.next();
      if (next.done === true) return;
    }
    const [id, entry] = next.value;
    if (this.#rules.idle(entry, nowMs)) this.#entries.delete(id);
  }

  #makeRoom(): boolean {
    if (this.#rules.whenFull === 'refuse') return false;
    const oldest = this.#entries.keys().next();
    return oldest.done !== true && this.#entries.delete(oldest.value);
  }
}
