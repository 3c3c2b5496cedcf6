import { type Clock, systemClock } from '../../src/core/clock.ts';

/** Real time that a test can move forward: cool-downs and time-outs pass without waiting for them. */
export interface ShiftedClock extends Clock {
  forward(ms: number): void;
  /** Only `forward` moves it while `work` runs: on a busy machine a cool-down of seconds passes between two requests. */
  holding(work: () => Promise<void>): Promise<void>;
}

export function shiftedClock(): ShiftedClock {
  let shiftMs = 0;
  let held: { nowMs: number; monotonicMs: number } | undefined;
  return {
    now: () => (held?.nowMs ?? systemClock.now()) + shiftMs,
    monotonicMs: () => (held?.monotonicMs ?? systemClock.monotonicMs()) + shiftMs,
    forward(ms) {
      shiftMs += ms;
    },
    async holding(work) {
      held = { nowMs: systemClock.now(), monotonicMs: systemClock.monotonicMs() };
      try {
        await work();
      } finally {
        held = undefined;
      }
    },
  };
}
