/** A fact from the database, cached for a while: public pages must not load the database. */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../core/clock.ts';

export class KeptFact<T> {
  readonly #clock: Clock;
  readonly #keepMs: number;
  readonly #read: () => Promise<T>;
  #value: T | undefined;
  #readAtMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<T> | undefined;

  constructor(clock: Clock, keepMs: number, read: () => Promise<T>) {
    this.#clock = clock;
    this.#keepMs = keepMs;
    this.#read = read;
  }

  /** While the database is away, the last answer stays; `undefined` where there never was one. */
  async get(): Promise<T | undefined> {
    if (this.#clock.monotonicMs() - this.#readAtMs < this.#keepMs) return this.#value;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    try {
      this.#value = await this.#reading;
      this.#readAtMs = this.#clock.monotonicMs();
    } catch {
      // The next reader triggers a new read; this page shows what was known.
    }
    return this.#value;
  }
}

/** Keeps such facts by name, for a bounded number of names. */
export class KeptFacts<T> {
  readonly #make: (name: string) => KeptFact<T>;
  readonly #facts: LRUCache<string, KeptFact<T>>;

  constructor(max: number, make: (name: string) => KeptFact<T>) {
    this.#facts = new LRUCache({ max: max });
    this.#make = make;
  }

  get(name: string): Promise<T | undefined> {
    const fact = this.#facts.get(name) ?? this.#make(name);
    this.#facts.set(name, fact);
    return fact.get();
  }
}
