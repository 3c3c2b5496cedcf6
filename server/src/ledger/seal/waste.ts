/**
 * What a day cost without being sold: attempts that lost against another, answers that were not charged, routes that went on with
 * answers of others, and probes of the conformance matrix. Added up while the day's requests are walked, and booked
 * before its transfers are: one transfer per day, provider and kind, on the day itself.
 */
import type { Queryable } from '../../platform/db/database.ts';
import { unsoldCosts } from '../../requestlog/index.ts';
import { bookCosts, type CostEntry } from '../cost-entries.ts';
import { dayAfter, startOfDay } from './home-days.ts';
import { ADD_PROBES, ADD_WASTE } from './walk-sql.ts';

/** Account, model, the provider that answered ('': none), whether it was an answer of unknown cost that was not charged, and the detail. */
export type UnsoldRow = [account: string, model: string, provider: string, isOpen: boolean, detail: string];

interface Part {
  account: string;
  model: string;
  provider: string;
  amount: bigint;
  /** Of it: what going on with answers cost. */
  continued: bigint;
  /** Answers that were counted as of unknown cost, and are not. */
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
  await tx.query(ADD_WASTE, [
    walk,
    all.map(({ account }) => account),
    all.map(({ model }) => model),
    all.map(({ provider }) => provider),
    all.map(({ amount }) => String(amount)),
    all.map(({ told }) => String(told)),
    all.map(({ continued }) => String(continued)),
  ]);
}

/** In the books of 0.1.0 it was not; those stay as they were. */
async function countsWaste(tx: Queryable, day: string): Promise<boolean> {
  return (await tx.query('select from cost_clock where waste_from <= $1::date', [day])).length > 0;
}

/** Once per walk, in the step that books them. */
export async function addProbes(tx: Queryable, walk: 'seal' | 'read', day: string): Promise<void> {
  await tx.query(ADD_PROBES, [walk, day]);
}

const KINDS = {
  waste: 'sum(waste - probes - continuations)',
  probe: 'sum(probes)',
  continuation: 'sum(continuations)',
} as const;

/** Harmless to repeat: the day and the provider are the id. */
export async function bookWaste(tx: Queryable, day: string): Promise<void> {
  const entries: CostEntry[] = [];
  for (const [kind, amount] of Object.entries(KINDS) as [keyof typeof KINDS, string][]) {
    const rows = await tx.query<{ provider: string; amount: string }>(
      `select provider, ${amount}::text as amount from walk_money where walk = 'seal' group by provider having ${amount} > 0 order by provider`,
    );
    for (const { provider, amount: owed } of rows)
      entries.push({ id: `${kind}:${day}:${provider}`, kind, provider, amount: owed });
  }
  const ids = await bookCosts(tx, entries, startOfDay(dayAfter(day)) - 1);
  // Whoever seals the day is the last to write on it; for everybody else it is closed, and the table says late.
  await tx.query('delete from late_request where id = any($1::text[])', [ids]);
}
