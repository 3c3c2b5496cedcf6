/** The only place that reads the time: everything else is handed a Clock, so that tests and replays control it. */

export interface Clock {
  /** Wall clock in milliseconds since 1970, for records, calendars and rolling windows. */
  now(): number;
  /** A clock that never jumps back, for durations and deadlines. */
  monotonicMs(): number;
  /** Schedules work by this clock; when absent, the process's own timers are used. */
  after?(ms: number, work: () => void): void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** Schedules work without keeping the process alive for it. */
export function after(clock: Clock, ms: number, work: () => void): void {
  if (clock.after) clock.after(ms, work);
  else setTimeout(work, ms).unref();
}

/**
 * The same for rare work. Returns a function that cancels it: a pending timer keeps everything that its work refers to
 * in memory.
 */
export function afterUnless(clock: Clock, ms: number, work: () => void): () => void {
  let pending: (() => void) | undefined = work;
  let timer: NodeJS.Timeout | undefined;
  const run = (): void => pending?.();
  if (clock.after) clock.after(ms, run);
  else timer = setTimeout(run, ms).unref();
  return () => {
    pending = undefined;
    clearTimeout(timer);
  };
}
