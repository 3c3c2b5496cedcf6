/**
 * Counts attempts in spans of time, for all replicas together. An attempt is counted before the work that it limits.
 */

import type { Text } from '@dargah/core/text.ts';
import { HOUR_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { boundedCache } from '../platform/bounded-cache.ts';
import type { Queryable } from '../platform/db/index.ts';
import * as rows from './sign-in-rows.ts';

export interface AttemptLimit {
  /** The name of what is counted, such as `code-sent:09121234567`. */
  counter: string;
  max: number;
  spanMs: number;
  /** How soon there may be room again, for a limit that grows within its span. */
  waitMs?: number;
}

/** The most limits that are remembered as used up; older ones are read from the database again. */
const MAX_REMEMBERED = 20_000;

const TOO_OFTEN: Text = {
  fa: 'تعداد تلاش‌ها از حد مجاز گذشته است. کمی صبر کنید و دوباره امتحان کنید.',
  en: 'There were too many tries. Wait and try again.',
};

export class Attempts {
  readonly #db: Queryable;
  readonly #clock: Clock;
  /** Limits that are used up, with the end of their span. */
  readonly #full = boundedCache<number>(MAX_REMEMBERED);

  constructor(db: Queryable, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /**
   * Counts one attempt against each limit in turn, the narrowest first, and stops at the first that refuses. A refused
   * attempt counts neither there nor on the wider limits after it; otherwise a caller who is refused a thousand times
   * would use up what everybody shares. A flood that the narrowest limit refuses costs no statement either: what is
   * counted here is never taken back, so a limit that is used up stays so until its span ends. Returns how many
   * attempts are left.
   */
  async count(limits: readonly AttemptLimit[]): Promise<number> {
    const now = this.#clock.now();
    const [first] = limits;
    if (first && (this.#full.get(fullOf(first)) ?? 0) > now) throw refusal(first, now);
    return this.#countInto([], limits, now, (limit) => this.#full.set(fullOf(limit), now + waitOf(limit, now)));
  }

  /**
   * Counts a guess before it is judged, so that parallel guesses are all counted, and takes it back unless it was wrong: right
   * guesses, and those refused without being judged, do not count. Returns whether it was right.
   */
  async guess(limits: readonly AttemptLimit[], isRight: (left: number) => Promise<boolean>): Promise<boolean> {
    const now = this.#clock.now();
    // One statement refuses a flood of guesses, where counting each in turn and taking it back would need several.
    const full = await this.#firstFull(limits, now);
    if (full) throw refusal(full, now);
    const counted: AttemptLimit[] = [];
    let wrong = false;
    try {
      const left = await this.#countInto(counted, limits, now);
      wrong = !(await isRight(left));
      return !wrong;
    } finally {
      if (!wrong) for (const limit of counted) await this.#takeBack(limit, now);
    }
  }

  /** True when each of the limits would accept one more attempt now. Nothing is counted. */
  async hasRoom(limits: readonly AttemptLimit[]): Promise<boolean> {
    return (await this.#firstFull(limits, this.#clock.now())) === undefined;
  }

  async #firstFull(limits: readonly AttemptLimit[], now: number): Promise<AttemptLimit | undefined> {
    const counted = await rows.COUNTED_ATTEMPTS.rows(this.#db, [
      limits.map(bucketOf),
      limits.map((limit) => startOf(limit, now).toISOString()),
    ]);
    const counts = new Map(counted.map(({ bucket, count }) => [bucket, count]));
    return limits.find((limit) => (counts.get(bucketOf(limit)) ?? 0) >= limit.max);
  }

  /** Deletes spans that are over. */
  async forgetOld(): Promise<void> {
    await rows.FORGET_OLD_ATTEMPTS.run(this.#db, [new Date(this.#clock.now() - HOUR_MS)]);
  }

  async #countInto(
    counted: AttemptLimit[],
    limits: readonly AttemptLimit[],
    now: number,
    onFull: (limit: AttemptLimit) => void = () => undefined,
  ): Promise<number> {
    let left = Number.POSITIVE_INFINITY;
    for (const limit of limits) {
      const count = await this.#add(limit, now);
      if (count === undefined) {
        onFull(limit);
        throw refusal(limit, now);
      }
      counted.push(limit);
      left = Math.min(left, limit.max - count);
    }
    return left;
  }

  /**
   * One statement, so that of many at the same moment no more than the limit allows are counted. Returns undefined when
   * it refuses.
   */
  async #add(limit: AttemptLimit, now: number): Promise<number | undefined> {
    if (limit.max < 1) return undefined;
    const row = await rows.COUNT_ATTEMPT.first(this.#db, [bucketOf(limit), startOf(limit, now), limit.max]);
    return row?.count;
  }

  async #takeBack(limit: AttemptLimit, now: number): Promise<void> {
    await rows.TAKE_BACK_ATTEMPT.run(this.#db, [bucketOf(limit), startOf(limit, now)]);
  }
}

function refusal(limit: AttemptLimit, now: number): GatewayError {
  return new GatewayError('rate_limited', { retryAfterMs: waitOf(limit, now), instead: TOO_OFTEN });
}

function waitOf({ spanMs, waitMs }: AttemptLimit, now: number): number {
  return Math.min(waitMs ?? spanMs, spanMs - (now % spanMs));
}

function fullOf(limit: AttemptLimit): string {
  return `${bucketOf(limit)} of ${limit.max}`;
}

function bucketOf({ counter, spanMs }: AttemptLimit): string {
  return `${counter}/${spanMs}`;
}

function startOf({ spanMs }: AttemptLimit, now: number): Date {
  return new Date(now - (now % spanMs));
}
