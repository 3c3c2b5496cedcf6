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
  // A list with swap-removal, not a Set: a busy Set rebuilds its table all the time, and each dead table that reached the
  // old generation keeps the next one and its calls alive until a full collection (measured: five times the GC time).
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
    // Kept running while idle for a moment would be cheaper still, but an idle process should not wake forty times a second.
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
    // From the end: a call that fails removes itself, and the one moved into its place has been looked at already.
    for (let i = this.#running.length - 1; i >= 0; i--) this.#running[i]?.checkDeadlines(nowMs);
  }
}
