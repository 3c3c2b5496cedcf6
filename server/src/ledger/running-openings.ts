/** Requests that were opened and not closed, in the order of their opening. */
import type { Clock } from '../core/clock.ts';
import type { Segment } from './journal-segment.ts';

export interface Opened {
  readonly id: string;
  readonly text: string;
  readonly openedMs: number;
  segment: Segment | undefined;
}

/**
 * Objects without a prototype serve as tables here, not Maps: a Map that is written all the time rebuilds its table, and each
 * dead table that reached the old generation keeps the next one alive with all that is in it, until a full collection.
 */
type ById = Record<string, Opened>;

export class RunningOpenings {
  readonly #all: ById = Object.create(null);
  #size = 0;
  /** Oldest first, those since closed among them: what no other replica has heard of. Most end before they must be told. */
  #unannounced: Opened[] = [];
  #firstUnannounced = 0;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#size;
  }

  add(id: string, text: string): Opened {
    const opened: Opened = { id, text, openedMs: this.#clock.monotonicMs(), segment: undefined };
    this.#all[id] = opened;
    this.#size++;
    this.#unannounced.push(opened);
    return opened;
  }

  remove(id: string): void {
    const opened = this.#all[id];
    if (!opened) return;
    delete this.#all[id];
    this.#size--;
    if (opened.segment) opened.segment.running--;
    this.#forgetClosed();
  }

  find(id: string): Opened | undefined {
    return this.#all[id];
  }

  inSegment(segment: Segment): Opened[] {
    if (segment.running === 0) return [];
    return Object.values(this.#all).filter((opened) => opened.segment === segment);
  }

  /** Each is returned once. */
  takeLong(olderThanMs: number, limit: number): Opened[] {
    const long: Opened[] = [];
    const before = this.#clock.monotonicMs() - olderThanMs;
    for (; this.#firstUnannounced < this.#unannounced.length; this.#firstUnannounced++) {
      const opened = this.#unannounced[this.#firstUnannounced] as Opened;
      if (!this.#isRunning(opened)) continue;
      if (opened.openedMs > before || long.length === limit) break;
      long.push(opened);
    }
    this.#shrink();
    return long;
  }

  #isRunning(opened: Opened): boolean {
    return this.#all[opened.id] === opened;
  }

  #forgetClosed(): void {
    for (; this.#firstUnannounced < this.#unannounced.length; this.#firstUnannounced++) {
      if (this.#isRunning(this.#unannounced[this.#firstUnannounced] as Opened)) break;
    }
    this.#shrink();
  }

  /** Moving the rest down costs its length, so it waits until at least as many were passed. */
  #shrink(): void {
    if (this.#firstUnannounced * 2 < this.#unannounced.length || this.#firstUnannounced < 64) return;
    this.#unannounced = this.#unannounced.slice(this.#firstUnannounced);
    this.#firstUnannounced = 0;
  }
}
