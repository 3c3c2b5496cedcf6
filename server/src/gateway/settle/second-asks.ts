/**
 * How often broken answers of an account are asked again in a day, at the operator's cost. It bounds the harm of those
 * who provoke broken answers, not what customers are owed, so each process counts by itself.
 */
import { DAY_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../../core/clock.ts';
import { boundedCache } from '../../platform/bounded-cache.ts';

const MAX_ACCOUNTS = 10_000;
/** Generous, because a second attempt often saves an answer from being free. */
const ASKS_PER_FREE_ANSWER = 5;

export class SecondAsks {
  readonly #clock: Clock;
  readonly #accounts = boundedCache<{ day: number; asked: number }>(MAX_ACCOUNTS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns false when the account has used up its share of the day. */
  take(accountId: string, freePerDay: number): boolean {
    const day = Math.floor(this.#clock.now() / DAY_MS);
    const known = this.#accounts.get(accountId);
    const today = known?.day === day ? known : { day, asked: 0 };
    if (today.asked >= freePerDay * ASKS_PER_FREE_ANSWER) return false;
    today.asked++;
    this.#accounts.set(accountId, today);
    return true;
  }
}
