/**
 * The tags of a day, by account. A caller that puts an id of each request into its tags would get as many lines of
 * usage as requests; beyond this many tags a day, further ones count as `other`. Each process counts by itself.
 */
import { DAY_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../../core/clock.ts';
import { boundedCache } from '../../platform/bounded-cache.ts';

const MAX_TAGS_OF_DAY = 200;
const OTHER_TAG = 'other';
const MAX_ACCOUNTS = 10_000;

interface DayTags {
  day: number;
  seen: Set<string>;
}

export class AccountTags {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #accounts = boundedCache<DayTags>(MAX_ACCOUNTS);

  constructor(clock: Clock, max = MAX_TAGS_OF_DAY) {
    this.#clock = clock;
    this.#max = max;
  }

  /** The tags as they are counted. */
  counted(accountId: string, tags: readonly string[]): string[] {
    const { seen } = this.#today(accountId);
    const counted = new Set<string>();
    for (const tag of tags) {
      if (!seen.has(tag) && seen.size < this.#max) seen.add(tag);
      counted.add(seen.has(tag) ? tag : OTHER_TAG);
    }
    return [...counted];
  }

  #today(accountId: string): DayTags {
    const day = Math.floor(this.#clock.now() / DAY_MS);
    const known = this.#accounts.get(accountId);
    if (known?.day === day) return known;
    const made = { day, seen: new Set<string>() };
    this.#accounts.set(accountId, made);
    return made;
  }
}
