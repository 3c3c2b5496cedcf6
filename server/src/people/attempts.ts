/** Counts attempts in spans of time, for all replicas together. Counting comes before the work that it limits. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { DAY_MS } from '../core/time-spans.ts';
import type { Queryable } from '../platform/db/index.ts';

export interface AttemptLimit {
  /** What is counted: `code-sent:09121234567`. */
  counter: string;
  most: number;
  spanMs: number;
}

export class Attempts {
  readonly #db: Queryable;
  readonly #clock: Clock;

  constructor(db: Queryable, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Counts one attempt against each limit; refuses when one is passed. A refused attempt is counted too. */
  async count(limits: readonly AttemptLimit[], now = this.#clock.now()): Promise<void> {
    const counts = await this.#add(limits, now, 1);
    const waits = limits.map(({ counter, most, spanMs }) =>
      (counts.get(`${counter}/${spanMs}`) ?? 0) > most ? spanMs - (now % spanMs) : 0,
    );
    const waitMs = Math.max(0, ...waits);
    if (waitMs > 0) throw new GatewayError('rate_limited', { retryAfterMs: waitMs });
  }

  /**
   * Counts a guess before it is judged, so that parallel guesses are all counted, and takes it back unless it was wrong: right
   * guesses, and those refused without being judged, do not count. Returns whether it was right.
   */
  async guess(limits: readonly AttemptLimit[], isRight: () => Promise<boolean>): Promise<boolean> {
    const now = this.#clock.now();
    let wrong = false;
    try {
      await this.count(limits, now);
      wrong = !(await isRight());
      return !wrong;
    } finally {
      if (!wrong) await this.#add(limits, now, -1);
    }
  }

  async forgetOld(): Promise<void> {
    await this.#db.query('delete from attempt_count where span_start < $1', [new Date(this.#clock.now() - 2 * DAY_MS)]);
  }

  /** Everybody who counts the same things names the limits in the same order, so rows are always locked in one order. */
  async #add(limits: readonly AttemptLimit[], now: number, amount: 1 | -1): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#db.query<{ counter: string; count: number }>(
      `insert into attempt_count (bucket, span_start, count)
       select bucket, span_start::timestamptz, $3::integer from unnest($1::text[], $2::text[]) as given (bucket, span_start)
       on conflict (bucket, span_start) do update set count = attempt_count.count + excluded.count
       returning bucket as counter, count`,
      [
        limits.map(({ counter, spanMs }) => `${counter}/${spanMs}`),
        limits.map(({ spanMs }) => new Date(now - (now % spanMs)).toISOString()),
        amount,
      ],
      { name: 'count-attempts' },
    );
    return new Map(rows.map(({ counter, count }) => [counter, count]));
  }
}
