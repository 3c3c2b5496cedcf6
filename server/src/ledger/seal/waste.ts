/**
 * What a day cost without being sold: attempts that lost against another, answers that were not charged, routes that
 * continued other answers, and probes of the conformance matrix. It is summed while the day's requests are walked, and
 * booked before its transfers are walked: one transfer per day, provider and kind, on the day itself.
 */

import type { Queryable } from '../../platform/db/database.ts';
import { unsoldCosts } from '../../requestlog/index.ts';
import { bookCosts, type CostEntry } from '../cost-entries.ts';
import { dayAfter, startOfDay } from './home-days.ts';
import { COUNTS_WASTE, FORGET_LATE, UNSOLD } from './seal-money-sql.ts';
import type { UnsoldRow } from './walk-sql.ts';
import { ADD_PROBES, ADD_WASTE } from './walk-sql.ts';

interface Part {
  account: string;
  model: string;
  provider: string;
  amount: bigint;
  /** The part of it that continuing answers cost. */
  continued: bigint;
  /** Answers that were counted as of unknown cost, and whose cost is known after all. */
  told: number;
}

export async function addWaste(
  tx: Queryable,
  walk: 'seal' | 'read',
  day: string,
  rows: readonly UnsoldRow[],
): Promise<void> {
  if (!(await countsWaste(tx, day))) return;
  const parts = new Map<string, Part>();
  for (const [account, model, answered, isOpen, detail] of rows) {
    let told = isOpen && answered !== '' ? 1 : 0;
    for (const { provider, cost, continues } of unsoldCosts(detail)) {
      const key = JSON.stringify([account, model, provider]);
      const part = parts.get(key) ?? { account, model, provider, amount: 0n, continued: 0n, told: 0 };
      part.amount += cost;
      if (continues) part.continued += cost;
      else if (provider === answered) {
        part.told += told;
        told = 0;
      }
      parts.set(key, part);
    }
  }
  if (parts.size === 0) return;
  const all = [...parts.values()];
  await ADD_WASTE.run(tx, [
    walk,
    all.map(({ account }) => account),
    all.map(({ model }) => model),
    all.map(({ provider }) => provider),
    all.map(({ amount }) => String(amount)),
    all.map(({ told }) => String(told)),
    all.map(({ continued }) => String(continued)),
  ]);
}

/** The books of 0.1.0 did not count it, and those stay as they were. */
async function countsWaste(tx: Queryable, day: string): Promise<boolean> {
  return (await COUNTS_WASTE.rows(tx, [day])).length > 0;
}

/** Runs once per walk, in the step that books them. */
export async function addProbes(tx: Queryable, walk: 'seal' | 'read', day: string): Promise<void> {
  await ADD_PROBES.run(tx, [walk, day]);
}

/** Harmless to repeat, because the day and the provider are the id. */
export async function bookWaste(tx: Queryable, day: string): Promise<void> {
  const entries: CostEntry[] = [];
  for (const kind of ['waste', 'probe', 'continuation'] as const) {
    for (const { provider, amount } of await UNSOLD[kind].rows(tx))
      entries.push({ id: `${kind}:${day}:${provider}`, kind, provider, amount });
  }
  const ids = await bookCosts(tx, entries, startOfDay(dayAfter(day)) - 1);
  // Only the process that seals the day may still write on it; the table counts these entries as late, so they are
  // removed from it.
  await FORGET_LATE.run(tx, [ids]);
}
