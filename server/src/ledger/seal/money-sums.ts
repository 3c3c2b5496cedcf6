/**
 * Compares what was sold on a day and what it cost with what was charged and booked for it, and makes the sums for
 * profit.
 */

import type { Queryable } from '../../platform/db/database.ts';
import { dayAfter, firstChargeId, startOfDay } from './home-days.ts';
import {
  BOOKED_BEFORE,
  COST_DIFFERS,
  KEPT_FROM,
  OLDER_LATE_REQUEST,
  REVENUE_DIFFERS,
  WASTE_DIFFERS,
} from './seal-money-sql.ts';
import type { Faults } from './walk-sql.ts';

interface Difference {
  provider?: string;
  written: string;
  expected: string;
}

/** Possible as long as the log has the day. */
export async function moneyFaults(tx: Queryable, walk: 'seal' | 'read', day: string): Promise<Faults> {
  if (!(await isInLog(tx, day))) return {};
  const told = (rows: Difference[]) =>
    rows.map(({ provider, written, expected }) =>
      [day, ...(provider === undefined ? [] : [provider]), `${written} instead of ${expected}`].join(': '),
    );
  const sold = told(await REVENUE_DIFFERS.rows(tx, [walk]));
  let cost = await COST_DIFFERS.rows(tx, [walk]);
  if (cost.length > 0 && (await wasBookedBefore(tx, day))) cost = [];
  const costs = told([...cost, ...(await WASTE_DIFFERS.rows(tx, [walk]))]);
  return { 'money-days': { total: sold.length, such: sold }, 'cost-days': { total: costs.length, such: costs } };
}

async function wasBookedBefore(tx: Queryable, day: string): Promise<boolean> {
  const times = [day, dayAfter(day, 2)].map((at) => new Date(startOfDay(at)));
  return (await BOOKED_BEFORE.rows(tx, [...times, day])).length > 0;
}

/** Retention drops days of UTC, of which one day of Tehran touches two; late rows belong to an earlier day. */
export async function isInLog(tx: Queryable, day: string): Promise<boolean> {
  const horizon = await KEPT_FROM.first(tx);
  if (!horizon) return true;
  if (horizon.from.getTime() > startOfDay(day)) return false;
  const older = await OLDER_LATE_REQUEST.rows(tx, [day, firstChargeId(horizon.from.getTime())]);
  return older.length === 0;
}
