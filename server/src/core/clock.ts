/** The only place that reads the time: everything else is handed a Clock, so that tests and replays control it. */

export interface Clock {
  /** Wall clock, milliseconds since 1970. For records, calendars and rolling windows. */
  now(): number;
  /** Never jumps back. For durations and deadlines. */
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

/** The same for work that is seldom done. Returns how to take it back: a timer that goes on keeps everything its work knows. */
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
