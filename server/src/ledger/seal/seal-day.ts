/** Seals one day: walks its rows, keeps its sums for ever, and adds its link to the chain. */

import type { Queryable } from '../../platform/db/database.ts';
import { chainOf, fingerprintOf, type SealedSums } from './chain.ts';
import { moneyFaults } from './money-sums.ts';
import { markSealed } from './seal-clock.ts';
import {
  CHAIN_BEFORE,
  HASH_OF_MONEY,
  INSERT_SEAL,
  KEEP_BALANCES,
  KEEP_CORRECTIONS,
  KEEP_DAY,
  KEEP_MONEY,
  KEEP_PROFIT_SUMS,
  KEEP_SPENT,
} from './seal-rows.ts';
import { type DayTotals, forgetWalk, mergeFaults, type Walker, walkDay } from './walk.ts';
import type { Faults } from './walk-sql.ts';

export interface SealDayOptions extends Walker {
  chainKey: string;
  nowMs(): number;
}

export async function sealDay(options: SealDayOptions, day: string): Promise<Faults> {
  const totals = await walkDay(options, 'seal', day);
  return options.pace.slice(() => options.db.report((tx) => finish(options, tx, day, totals), { for: 'job' }));
}

async function finish({ chainKey, nowMs, keepLease }: SealDayOptions, tx: Queryable, day: string, totals: DayTotals) {
  // A process that lost the run must not seal; another may have sealed the day since.
  await keepLease(tx, 0);
  const faults = mergeFaults(totals.faults, await moneyFaults(tx, 'seal', day));
  await keepSums(tx, day);
  const former = await CHAIN_BEFORE.first(tx, [day]);
  const sums = await sumsOf(tx, day, totals);
  await INSERT_SEAL.run(tx, [
    day,
    sums.transfers,
    sums.late,
    sums.requests,
    sums.amount,
    sums.charged,
    sums.digest,
    chainOf(chainKey, former?.chain ?? '', sums),
    new Date(nowMs()),
  ]);
  await markSealed(tx, day);
  await forgetWalk(tx, 'seal');
  return faults;
}

async function keepSums(tx: Queryable, day: string): Promise<void> {
  await KEEP_DAY.run(tx, [day]);
  await KEEP_BALANCES.run(tx, [day]);
  await KEEP_MONEY.run(tx, [day]);
  await KEEP_CORRECTIONS.run(tx, [day]);
  for (const keep of KEEP_PROFIT_SUMS) await keep.run(tx, [day]);
  await KEEP_SPENT.run(tx);
}

/** The fingerprint covers what money_day keeps, since the rows behind it go with the log. */
export async function sumsOf(tx: Queryable, day: string, totals: DayTotals): Promise<SealedSums> {
  const money = await HASH_OF_MONEY.only(tx, [day]);
  const { transfers, late, requests, amount, charged, hashLow, hashHigh } = totals;
  const digest = fingerprintOf([hashLow, hashHigh, money.low, money.high]);
  return { day, transfers, late, requests, amount, charged, digest };
}
