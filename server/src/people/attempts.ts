/** Counts attempts in spans of time, for all replicas together. Counting comes before the work that it limits. */
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Queryable } from '../platform/db/index.ts';

export interface AttemptLimit {
  /** What is counted: `code-sent:09121234567`. */
  bucket: string;
  most: number;
  spanMs: number;
}

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export class Attempts {
  readonly #db: Queryable;
  readonly #clock: Clock;

  constructor(db: Queryable, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Counts one attempt against each limit; refuses when one is passed. A refused attempt is counted too. */
  async count(limits: readonly AttemptLimit[]): Promise<void> {
    const now = this.#clock.now();
    let waitMs = 0;
    for (const { bucket, most, spanMs } of limits) {
      const start = now - (now % spanMs);
      const [row] = await this.#db.query<{ count: number }>(
        `insert into attempt_count (bucket, span_start, count) values ($1, $2, 1)
         on conflict (bucket, span_start) do update set count = attempt_count.count + 1 returning count`,
        [`${bucket}/${spanMs}`, new Date(start)],
        { name: 'count-attempt' },
      );
      if (row && row.count > most) waitMs = Math.max(waitMs, start + spanMs - now);
    }
    if (waitMs > 0) throw new GatewayError('rate_limited', { retryAfterMs: waitMs });
  }

  /** Looks without counting: whether this many have already failed. */
  async check(limits: readonly AttemptLimit[]): Promise<void> {
    const now = this.#clock.now();
    for (const { bucket, most, spanMs } of limits) {
      const start = now - (now % spanMs);
      const [row] = await this.#db.query<{ count: number }>(
        'select count from attempt_count where bucket = $1 and span_start = $2',
        [`${bucket}/${spanMs}`, new Date(start)],
        { name: 'look-attempt' },
      );
      if (row && row.count >= most) throw new GatewayError('rate_limited', { retryAfterMs: start + spanMs - now });
    }
  }

  async forgetOld(): Promise<void> {
    await this.#db.query('delete from attempt_count where span_start < $1', [new Date(this.#clock.now() - 2 * DAY)]);
  }
}
