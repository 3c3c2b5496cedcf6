/**
 * How many requests run at a provider at once. Beyond the limit a short queue forms, first come first served; beyond
 * that a request takes the next route. A long queue would only turn a busy provider into a slow gateway.
 */
import type { MaybePromise } from '../core/maybe-promise.ts';
import type { DeadlineSweep, Swept } from '../platform/upstream/index.ts';

const MAX_WAIT_MS = 2_000;
const MAX_QUEUE = 64;

interface Waiting extends Swept {
  admit(): void;
}

export class Concurrency {
  readonly #sweep: DeadlineSweep;
  #limit: number | null = null;
  #running = 0;
  readonly #queue: Waiting[] = [];

  constructor(sweep: DeadlineSweep) {
    this.#sweep = sweep;
  }

  get running(): number {
    return this.#running;
  }

  get queued(): number {
    return this.#queue.length;
  }

  /** True when a request that arrived now would not fit into the queue. */
  get saturated(): boolean {
    return this.#limit !== null && this.#running >= this.#limit && this.#queue.length >= queueBound(this.#limit);
  }

  /** True when a slot was taken, false when none came free in time. The limit may change with the catalog. */
  enter(limit: number | null, nowMs: number, deadlineAtMs: number): MaybePromise<boolean> {
    this.#limit = limit;
    if (limit === null || this.#running < limit) {
      this.#running++;
      return true;
    }
    if (this.#queue.length >= queueBound(limit)) return false;
    const giveUpAtMs = Math.min(deadlineAtMs, nowMs + MAX_WAIT_MS);
    return new Promise((resolve) => {
      const waiting: Waiting = {
        position: -1,
        admit: () => {
          this.#sweep.delete(waiting);
          resolve(true);
        },
        checkDeadlines: (atMs) => {
          if (atMs < giveUpAtMs) return;
          this.#sweep.delete(waiting);
          this.#queue.splice(this.#queue.indexOf(waiting), 1);
          resolve(false);
        },
      };
      this.#queue.push(waiting);
      this.#sweep.add(waiting);
    });
  }

  leave(): void {
    const next = this.#queue.shift();
    // The slot is handed over directly, so that no other request can take it in between.
    if (next) next.admit();
    else this.#running--;
  }
}

function queueBound(limit: number): number {
  return Math.min(MAX_QUEUE, limit);
}
