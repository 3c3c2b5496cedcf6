/**
 * Computes spend counters again from every request in the log and from what was carried over, some accounts at a time.
 */

import type { SealDayOptions } from '../seal/seal-day.ts';
import { mergeFaults } from '../seal/walk.ts';
import type { Faults } from '../seal/walk-sql.ts';
import { SPEND_AGAIN } from './ask-checks-sql.ts';

/** An account has many requests, so a slice of so many rows is one account. */
const ROWS_PER_ACCOUNT = 50;
const MIN_ACCOUNTS = 20;

export async function spendAgain({ db, pace, keepLease }: SealDayOptions): Promise<Faults> {
  let faults: Faults = {};
  for (let after = ''; ; ) {
    const { slice, isLast } = await pace.slice(async (rows) => {
      const accounts = Math.max(MIN_ACCOUNTS, Math.round(rows / ROWS_PER_ACCOUNT));
      return db.report(
        async (tx) => {
          const found = await SPEND_AGAIN(accounts).only(tx, [after]);
          await keepLease(tx, 0);
          return { slice: found, isLast: Number(found.accounts) < accounts };
        },
        { for: 'job' },
      );
    });
    const { total, such } = slice;
    faults = mergeFaults(faults, { 'spend-counters': { total: Number(total), such } });
    if (isLast || slice.last === null) return faults;
    after = slice.last;
  }
}
