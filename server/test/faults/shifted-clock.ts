import { type Clock, systemClock } from '../../src/core/clock.ts';

/** Real time that a test can move forward: cool-downs and time-outs pass without waiting for them. */
export interface ShiftedClock extends Clock {
  forward(ms: number): void;
}

export function shiftedClock(): ShiftedClock {
  let shiftMs = 0;
  return {
    now: () => systemClock.now() + shiftMs,
    monotonicMs: () => systemClock.monotonicMs() + shiftMs,
    forward(ms) {
      shiftMs += ms;
    },
  };
}
