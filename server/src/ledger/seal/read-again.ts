/** Reads a sealed day again and compares it with its seal, which finds an altered row, sum or seal, with its day. */

import type { Queryable } from '../../platform/db/database.ts';
import { chainOf, type SealedSums } from './chain.ts';
import { isInLog, moneyFaults } from './money-sums.ts';
import { type SealDayOptions, sumsOf } from './seal-day.ts';
import { DIFFERENCES, KEPT_SEAL, MARK_READ, SOLD_DIFFERS } from './seal-rows.ts';
import { type DayTotals, forgetWalk, mergeFaults, walkDay } from './walk.ts';
import type { Faults } from './walk-sql.ts';

export async function readAgain(options: SealDayOptions, day: string): Promise<Faults> {
  const totals = await walkDay(options, 'read', day);
  return options.pace.slice(() => options.db.report((tx) => compare(options, tx, day, totals), { for: 'job' }));
}

async function compare({ chainKey, nowMs, keepLease }: SealDayOptions, tx: Queryable, day: string, totals: DayTotals) {
  await keepLease(tx, 0);
  const kept = await KEPT_SEAL.first(tx, [day]);
  if (!kept) return { 'sealed-days': { total: 1, such: [`${day}: the seal is gone`] } };
  const isLogged = await isInLog(tx, day);
  const found = await sumsOf(tx, day, totals);
  const such = differences(kept, found);
  const compared = isLogged ? [...DIFFERENCES, SOLD_DIFFERS] : DIFFERENCES;
  for (const { what, any } of compared) if (await any.first(tx, [day])) such.push(`${what} changed`);
  const chainHolds = chainOf(chainKey, kept.former ?? '', kept) === kept.chain;
  await MARK_READ.run(tx, [day, new Date(nowMs()), such.length > 0 || !chainHolds]);
  const sealed: Faults = {
    'sealed-days': { total: such.length, such: such.map((one) => `${day}: ${one}`) },
    chain: { total: chainHolds ? 0 : 1, such: chainHolds ? [] : [`${day}: its seal was made by somebody else`] },
  };
  const faults = mergeFaults(mergeFaults(totals.faults, sealed), await moneyFaults(tx, 'read', day));
  await forgetWalk(tx, 'read');
  return faults;
}

function differences(kept: SealedSums, found: SealedSums): string[] {
  const differences = [];
  if (kept.transfers !== found.transfers) differences.push(`${found.transfers} transfers instead of ${kept.transfers}`);
  if (kept.amount !== found.amount) differences.push(`they move ${found.amount} instead of ${kept.amount}`);
  if (differences.length === 0 && kept.digest !== found.digest) differences.push('a row was changed');
  return differences;
}
