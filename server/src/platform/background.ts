/**
 * For jobs that a shutdown must wait for and no request does: repeated ones and detached promises. Here they have a name, and
 * their errors reach the log.
 */
import type { Log } from './log.ts';

type Work = () => void | Promise<void>;

export interface Background {
  /** Runs again and again, never twice at once. Returns a function that stops it. */
  every(ms: number, name: string, work: Work): () => void;
  /** Schedules work that runs once; `drain` drops it. */
  after(ms: number, name: string, work: Work): () => void;
  /** Lets a promise finish on its own. */
  detach(promise: Promise<unknown>, name: string): void;
  /** Stops all jobs and waits for what runs, at most so long. Names what did not finish. */
  drain(limitMs: number): Promise<string[]>;
}

class NamedBackground implements Background {
  readonly #log: Log;
  readonly #failing = new Set<string>();
  readonly #running = new Map<Promise<void>, string>();
  readonly #stops = new Set<() => void>();

  constructor(log: Log) {
    this.#log = log;
  }

  every(ms: number, name: string, work: Work): () => void {
    let busy = false;
    const timer = setInterval(() => {
      if (busy) return;
      const result = this.#call(name, work);
      if (result === undefined) return;
      busy = true;
      this.detach(
        result.finally(() => {
          busy = false;
        }),
        name,
      );
    }, ms).unref();
    return this.#stoppable(() => clearInterval(timer));
  }

  after(ms: number, name: string, work: Work): () => void {
    const timer = setTimeout(() => {
      stop();
      const result = this.#call(name, work);
      if (result) this.detach(result, name);
    }, ms).unref();
    const stop = this.#stoppable(() => clearTimeout(timer));
    return stop;
  }

  detach(promise: Promise<unknown>, name: string): void {
    const tracked = promise
      .then(
        () => this.#succeeded(name),
        (error: unknown) => this.#failed(name, error),
      )
      .finally(() => this.#running.delete(tracked));
    this.#running.set(tracked, name);
  }

  async drain(limitMs: number): Promise<string[]> {
    for (const stop of this.#stops) stop();
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, limitMs);
    });
    // Running work may start more, so this waits until nothing is left or the limit has passed.
    const quiet = (async () => {
      while (this.#running.size > 0) await Promise.all(this.#running.keys());
    })();
    await Promise.race([quiet, limit]);
    clearTimeout(timer);
    return [...new Set(this.#running.values())];
  }

  #call(name: string, work: Work): Promise<void> | undefined {
    try {
      return work() ?? undefined;
    } catch (error) {
      this.#failed(name, error);
      return undefined;
    }
  }

  /** Logged once when a job begins to fail and once when it works again: a database that is away for a minute is one event. */
  #failed(name: string, error: unknown): void {
    const context = { job: name, error: describe(error) };
    if (this.#failing.has(name)) this.#log.debug(context, 'background work still fails');
    else this.#log.error(context, 'background work failed');
    this.#failing.add(name);
  }

  #succeeded(name: string): void {
    if (this.#failing.delete(name)) this.#log.info({ job: name }, 'background work succeeds again');
  }

  #stoppable(clear: () => void): () => void {
    const stop = () => {
      clear();
      this.#stops.delete(stop);
    };
    this.#stops.add(stop);
    return stop;
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

export function createBackground(log: Log): Background {
  return new NamedBackground(log);
}
