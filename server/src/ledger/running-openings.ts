/** Requests that were opened and not closed, in the order of their opening. */
import type { Clock } from '../core/clock.ts';
import type { Segment } from './journal-segment.ts';

export interface Opened {
  readonly id: string;
  readonly text: string;
  readonly openedMs: number;
  segment: Segment | undefined;
  running: boolean;
  /** Other replicas were told, so the database has a row of it. */
  announced: boolean;
}

/** Enough for thousands at once: a bucket is searched from end to end. */
const BUCKETS = 1024;

/**
 * A table of our own, since two of its entries change with every request: a Map rebuilds itself all the time, and each dead
 * table that reached the old generation keeps the next one alive; an object used as a table takes every id into the engine's
 * own list of names. Ids end with chance, so their last letters choose the bucket.
 */
function bucketOf(id: string): number {
  return (id.charCodeAt(id.length - 1) * 31 + id.charCodeAt(id.length - 2)) % BUCKETS || 0;
}

export class RunningOpenings {
  readonly #buckets: Opened[][] = Array.from({ length: BUCKETS }, () => []);
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
    const openedMs = this.#clock.monotonicMs();
    const opened: Opened = { id, text, openedMs, segment: undefined, running: true, announced: false };
    this.#bucket(id).push(opened);
    this.#size++;
    this.#unannounced.push(opened);
    return opened;
  }

  remove(id: string): Opened | undefined {
    const bucket = this.#bucket(id);
    const at = bucket.findIndex((opened) => opened.id === id);
    const opened = bucket[at];
    if (!opened) return undefined;
    // Order does not matter here: the last takes the empty place.
    bucket[at] = bucket[bucket.length - 1] as Opened;
    bucket.pop();
    this.#size--;
    opened.running = false;
    if (opened.segment) opened.segment.running--;
    this.#forgetClosed();
    return opened;
  }

  find(id: string): Opened | undefined {
    return this.#bucket(id).find((opened) => opened.id === id);
  }

  inSegment(segment: Segment): Opened[] {
    if (segment.running === 0) return [];
    return this.#buckets.flat().filter((opened) => opened.segment === segment);
  }

  /** Each is returned once. */
  takeLong(olderThanMs: number, limit: number): Opened[] {
    const long: Opened[] = [];
    const before = this.#clock.monotonicMs() - olderThanMs;
    for (; this.#firstUnannounced < this.#unannounced.length; this.#firstUnannounced++) {
      const opened = this.#unannounced[this.#firstUnannounced] as Opened;
      if (!opened.running) continue;
      if (opened.openedMs > before || long.length === limit) break;
      opened.announced = true;
      long.push(opened);
    }
    this.#shrink();
    return long;
  }

  #bucket(id: string): Opened[] {
    return this.#buckets[bucketOf(id)] as Opened[];
  }

  #forgetClosed(): void {
    for (; this.#firstUnannounced < this.#unannounced.length; this.#firstUnannounced++) {
      if ((this.#unannounced[this.#firstUnannounced] as Opened).running) break;
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
