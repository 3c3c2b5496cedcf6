/** The only place that reads the time: everything else is handed a Clock, so that tests and replays control it. */

export interface Clock {
  /** Wall clock, milliseconds since 1970. For records, calendars and rolling windows. */
  now(): number;
  /** Never jumps back. For durations and deadlines. */
  monotonicMs(): number;
  /** Does something later, by this clock. Absent: by the process's own timers. */
  after?(ms: number, work: () => void): void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** Does something later, unless the process has ended by then. */
export function after(clock: Clock, ms: number, work: () => void): void {
  if (clock.after) clock.after(ms, work);
  else setTimeout(work, ms).unref();
}
