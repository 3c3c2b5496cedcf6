/**
 * The figures that accounts are sorted by: balance, spend, last use. They are computed every minute for accounts that
 * moved, and once a day for all, so that no charge has to write another row. The list shows the true balance; only its
 * order may be a minute old.
 */
import { DAY_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { firstIdAt } from '../core/ids.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import { FIGURES_AT_ONCE, MOVED_SINCE, NOT_RENEWED_SINCE, RENEW_FIGURES } from './account-figures-sql.ts';

/** Longer than a minute, because a charge is posted a moment after its request began. */
const MOVED_WITHIN_MS = 3 * MINUTE_MS;
const MAX_ROUNDS = 20;

export class AccountFigures {
  readonly #db: Database;
  readonly #clock: Clock;
  #lastRun: number | undefined;

  constructor({ db, clock }: { db: Database; clock: Clock }) {
    this.#db = db;
    this.#clock = clock;
  }

  /**
   * Accounts that moved come first, then those that were not computed for a day. Every replica may run it; running it
   * twice is only wasted work.
   */
  async renew(): Promise<number> {
    const now = this.#clock.now();
    const since = Math.min(this.#lastRun ?? now, now) - MOVED_WITHIN_MS;
    this.#lastRun = now;
    const moved = await this.#db.report((tx) => movedSince(tx, since), { for: 'job' });
    let renewed = await this.#renewAll(moved, now);
    for (let run = 0; run < MAX_ROUNDS; run++) {
      const old = await this.#db.report((tx) => notSince(tx, new Date(now - DAY_MS)), { for: 'job' });
      renewed += await this.#renewAll(old, now);
      if (old.length < FIGURES_AT_ONCE) break;
    }
    return renewed;
  }

  async #renewAll(ids: readonly string[], now: number): Promise<number> {
    for (let at = 0; at < ids.length; at += FIGURES_AT_ONCE) {
      const some = ids.slice(at, at + FIGURES_AT_ONCE);
      await this.#db.report((tx) => renewSome(tx, some, new Date(now)), { for: 'job' });
    }
    return ids.length;
  }
}

async function movedSince(tx: Queryable, sinceMs: number): Promise<string[]> {
  const rows = await MOVED_SINCE.rows(tx, [firstIdAt('req', Math.max(0, sinceMs)), new Date(sinceMs)]);
  return rows.map(({ id }) => id);
}

async function notSince(tx: Queryable, moment: Date): Promise<string[]> {
  const rows = await NOT_RENEWED_SINCE.rows(tx, [moment]);
  return rows.map(({ id }) => id);
}

async function renewSome(tx: Queryable, ids: readonly string[], now: Date): Promise<void> {
  await RENEW_FIGURES.run(tx, [ids, now, now]);
}
