/**
 * Invoices and credit notes as an accountant lists them: by day, kind, account, number, season, and state at the tax
 * office.
 */

import type { Queryable } from '../platform/db/index.ts';
import { WAITING_FOR_TAX } from './invoice-list-rows.ts';

/** How many wait to be sent, and the day of issue of the oldest. */
export async function waitingForTax(tx: Queryable): Promise<{ count: number; oldest: Date | null }> {
  const row = await WAITING_FOR_TAX.first(tx);
  return { count: Number(row?.count ?? 0), oldest: row?.oldest ?? null };
}
