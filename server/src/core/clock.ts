/** The only place that reads the time: everything else is handed a Clock, so that tests and replays control it. */

export interface Clock {
  /** Wall clock, milliseconds since 1970. For records, calendars and rolling windows. */
  now(): number;
  /** Never jumps back. For durations and deadlines. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
};
