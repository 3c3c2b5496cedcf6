/** Requests that were opened and not closed, in the order of their opening. */
import type { Clock } from '../core/clock.ts';
import type { Segment } from './journal-segment.ts';

export interface Opened {
  readonly id: string;
  readonly text: string;
  readonly openedMs: number;
  segment: Segment | undefined;
}

export class RunningOpenings {
  readonly #all = new Map<string, Opened>();
  /** Those no other replica has heard of: most requests end before they must. */
  readonly #unannounced = new Map<string, Opened>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#all.size;
  }

  add(id: string, text: string): Opened {
    const opened: Opened = { id, text, openedMs: this.#clock.monotonicMs(), segment: undefined };
    this.#all.set(id, opened);
    this.#unannounced.set(id, opened);
    return opened;
  }

  remove(id: string): void {
    const opened = this.#all.get(id);
    if (!opened) return;
    this.#all.delete(id);
    this.#unannounced.delete(id);
    if (opened.segment) opened.segment.running--;
  }

  find(id: string): Opened | undefined {
    return this.#all.get(id);
  }

  inSegment(segment: Segment): Opened[] {
    if (segment.running === 0) return [];
    return [...this.#all.values()].filter((opened) => opened.segment === segment);
  }

  /** Each is returned once. */
  takeLong(olderThanMs: number, limit: number): Opened[] {
    const long: Opened[] = [];
    const before = this.#clock.monotonicMs() - olderThanMs;
    for (const opened of this.#unannounced.values()) {
      if (opened.openedMs > before || long.length === limit) break;
      long.push(opened);
    }
    for (const { id } of long) this.#unannounced.delete(id);
    return long;
  }
}
