/**
 * Which beginnings of prompts came recently: a repeated one is worth the price of writing it into a provider's cache.
 */
import type { Clock } from '../../core/clock.ts';

/** Providers keep a prefix for this long after its last use. */
const LIFE_MS = 5 * 60_000;
const MAX_PREFIXES = 10_000;

export class SeenPrefixes {
  /** The last use of each by its digest, the oldest first. */
  readonly #seen = new Map<string, number>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True when it came before, and not too long ago. */
  see(digest: string): boolean {
    const now = this.#clock.now();
    const before = this.#seen.get(digest);
    this.#seen.delete(digest);
    this.#seen.set(digest, now);
    if (this.#seen.size > MAX_PREFIXES) {
      const [oldest] = this.#seen.keys();
      if (oldest !== undefined) this.#seen.delete(oldest);
    }
    return before !== undefined && now - before <= LIFE_MS;
  }
}
