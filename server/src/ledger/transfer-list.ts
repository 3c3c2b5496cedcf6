/**
 * The list of transfers, of one account or of all the books, newest first, in pages that cost the same however far back
 * they are.
 */

import { refuseCursor } from '../keys/index.ts';
import type { Queryable } from '../platform/db/database.ts';
import { placeOf, startOfPage, toPage } from '../platform/db/pages.ts';
import type { BookedTransfer, TransferFilter } from './ledger.ts';
import { DOERS, readTransfer, selectTransfers, tieOf } from './transfer-rows.ts';

/** A cursor comes from outside: what the database would refuse is refused here, with a clear error. */
const CURSOR_IDS = { seq: /^\d{1,18}$/, id: /^\P{Cc}{1,200}$/u };

export async function transfersOfBooks(
  db: Queryable,
  filter: TransferFilter,
  { before, limit }: { before?: string; limit: number },
): Promise<{
  entries: BookedTransfer[];
  next: string | null /** Of each entry, for a page that ends there. */;
  places: string[];
}> {
  const start = startOfPage({ after: before, limit }) ?? refuseCursor();
  // What we owe providers belongs to no account; looking for it among a customer's charges would read all of them.
  if (filter.accountId !== undefined && filter.kind === 'provider-cost') return { entries: [], next: null, places: [] };
  const tie = tieOf(filter);
  if (start.id !== null && !CURSOR_IDS[tie].test(start.id)) refuseCursor();
  const rows = await selectTransfers(db, filter, start);
  const { items, next } = toPage(rows, start, (row) => ({ time: row.created_at, id: String(row[tie]) }));
  const places = items.map((row) => placeOf(row.created_at, String(row[tie])));
  return { entries: items.map(readTransfer), next, places };
}

export interface TransferDoer {
  /** As in the audit log: `operator`, `staff:per_…`, `person:per_…`. */
  actor: string;
  /** The person's name; null for programs. */
  name: string | null;
}

/**
 * Who made these transfers: staff according to the audit log; for an order the person who credited it by hand, or
 * otherwise began it; otherwise the person who booked its document. What the service does by itself (charges, provider
 * costs, opening and welcome credit, disputes) has no maker.
 */
export async function doersOf(
  db: Queryable,
  transfers: readonly Pick<BookedTransfer, 'id' | 'kind' | 'accountId' | 'createdAt'>[],
): Promise<Map<string, TransferDoer>> {
  const made = transfers.filter(({ kind }) => kind !== 'charge' && kind !== 'provider-cost');
  if (made.length === 0) return new Map();
  const rows = await DOERS.rows(db, [
    made.map(({ id }) => id),
    made.map(({ accountId }) => accountId),
    made.map(({ createdAt }) => new Date(createdAt)),
  ]);
  return new Map(rows.map(({ id, actor, name }) => [id, { actor, name }]));
}
