/**
 * Deadlines without a timer per request: one interval looks at every running call. A call reads the clock once, when it
 * starts; its chunks cost nothing. Deadlines are late by at most one interval, which no limit of ours (seconds) notices.
 */
import type { Clock } from '../../core/clock.ts';

const SWEEP_MS = 25;

export interface Swept {
  /** Owned by the sweep: where the call stands in its list. */
  sweepIndex: number;
  /** Called again and again while it is in the sweep. */
  checkDeadlines(nowMs: number): void;
}

export class DeadlineSweep {
  readonly #clock: Clock;
  // A list from which the last entry fills the gap of a removed one. Under such load a Set rebuilds its table and keeps dead
  // tables alive (docs/performance.md).
  readonly #running: Swept[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#running.length;
  }

  add(call: Swept): void {
    call.sweepIndex = this.#running.push(call) - 1;
    // The interval ends when nothing runs, so that an idle process does not wake forty times a second.
    this.#timer ??= setInterval(() => this.#sweep(), SWEEP_MS).unref();
  }

  delete(call: Swept): void {
    const at = call.sweepIndex;
    if (at < 0) return;
    call.sweepIndex = -1;
    const last = this.#running.pop();
    if (last === undefined || last === call) return;
    this.#running[at] = last;
    last.sweepIndex = at;
  }

  #sweep(): void {
    if (this.#running.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const nowMs = this.#clock.monotonicMs();
    // From the end: a call that fails removes itself, and the entry that takes its place has been looked at already.
    for (let i = this.#running.length - 1; i >= 0; i--) this.#running[i]?.checkDeadlines(nowMs);
  }
}
