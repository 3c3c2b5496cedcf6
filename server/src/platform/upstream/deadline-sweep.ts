/**
 * Deadlines without a timer per request: one interval looks at every running call. A call reads the clock once, when it
 * starts; its chunks cost nothing. Deadlines are late by at most one interval, which no limit of ours (seconds) notices.
 */
import type { Clock } from '../../core/clock.ts';
import { type Indexed, IndexedList } from '../../core/indexed-list.ts';

const SWEEP_MS = 25;

export interface Swept extends Indexed {
  /** Called on every sweep while the entry is listed. */
  checkDeadlines(nowMs: number): void;
}

export class DeadlineSweep {
  readonly #clock: Clock;
  readonly #running = new IndexedList<Swept>();
  #timer: NodeJS.Timeout | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#running.size;
  }

  add(call: Swept): void {
    this.#running.add(call);
    // The interval ends when nothing runs, so that an idle process does not wake forty times a second.
    this.#timer ??= setInterval(() => this.#sweep(), SWEEP_MS).unref();
  }

  delete(call: Swept): void {
    this.#running.remove(call);
  }

  #sweep(): void {
    const { entries } = this.#running;
    if (entries.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const nowMs = this.#clock.monotonicMs();
    // From the end: a call that fails removes itself, and the entry that takes its place has been looked at already.
    for (let i = entries.length - 1; i >= 0; i--) entries[i]?.checkDeadlines(nowMs);
  }
}
