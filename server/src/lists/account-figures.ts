/**
 * What accounts are sorted by: balance, spend, last use. Worked out anew every minute for accounts that moved, and once a day for
 * all, so that no charge has to write a row more. The list shows the balance as it is; only its order may be a minute old.
 */
import { DAY_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { firstIdAt } from '../core/ids.ts';
import type { Database, Queryable } from '../platform/db/index.ts';

/** Longer than a minute: a charge is posted a moment after its request began. */
const MOVED_WITHIN_MS = 3 * MINUTE_MS;
const AT_ONCE = 500;
const MOST_PER_RUN = 20;

export class AccountFigures {
  readonly #db: Database;
  readonly #clock: Clock;
  #lastRun: number | undefined;

  constructor({ db, clock }: { db: Database; clock: Clock }) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Accounts that moved, then those that were not looked at for a day. Every replica may run it: twice is only work. */
  async renew(): Promise<number> {
    const now = this.#clock.now();
    const since = Math.min(this.#lastRun ?? now, now) - MOVED_WITHIN_MS;
    this.#lastRun = now;
    const moved = await this.#db.report((tx) => movedSince(tx, since), { for: 'job' });
    let renewed = await this.#renewAll(moved, now);
    for (let run = 0; run < MOST_PER_RUN; run++) {
      const old = await this.#db.report((tx) => notSince(tx, new Date(now - DAY_MS)), { for: 'job' });
      renewed += await this.#renewAll(old, now);
      if (old.length < AT_ONCE) break;
    }
    return renewed;
  }

  async #renewAll(ids: readonly string[], now: number): Promise<number> {
    for (let at = 0; at < ids.length; at += AT_ONCE) {
      const some = ids.slice(at, at + AT_ONCE);
      await this.#db.report((tx) => renewSome(tx, some, new Date(now)), { for: 'job' });
    }
    return ids.length;
  }
}

async function movedSince(tx: Queryable, sinceMs: number): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select distinct account_id as id from request_log where id >= $1 and created_at >= $2
     union select account_id from ledger_transfer where kind <> 'charge' and created_at >= $2 and account_id is not null
     union select account_id from ticket where updated_at >= $2`,
    [firstIdAt('req', Math.max(0, sinceMs)), new Date(sinceMs)],
  );
  return rows.map(({ id }) => id);
}

async function notSince(tx: Queryable, moment: Date): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select account_id as id from account_figures where renewed_at is null or renewed_at < $1
     order by renewed_at nulls first limit ${AT_ONCE}`,
    [moment],
  );
  return rows.map(({ id }) => id);
}

async function renewSome(tx: Queryable, ids: readonly string[], now: Date): Promise<void> {
  await tx.query(
    `update account_figures as figures set
       balance = coalesce((select posted from ledger_account where id = 'wallet:' || figures.account_id), 0),
       spent_today = coalesce((select sum(cost) from usage_daily where account_id = figures.account_id and day >= $2::date), 0),
       spent_30_days = coalesce((select sum(cost) from usage_daily where account_id = figures.account_id and day > $2::date - 30), 0),
       last_at = coalesce((select max(last_at) from usage_daily where account_id = figures.account_id), '1970-01-01 00:00:00+00'),
       keys = (select count(*) from api_key where account_id = figures.account_id and revoked_at is null and purpose = 'api'),
       members = (select count(*) from membership where account_id = figures.account_id),
       open_tickets = (select count(*) from ticket where account_id = figures.account_id and state = 'open'),
       renewed_at = $3
     from (select account_id from account_figures where account_id = any($1::text[]) order by account_id for update) as mine
     where figures.account_id = mine.account_id`,
    [ids, now, now],
  );
}
