/**
 * What is still open before a month can be closed, as counts and sums. The checklist of the month, the notices to staff
 * and the pages read it here. Each is one statement that reads only what is open, never the whole past.
 */

import { type Money, money } from '../core/money.ts';
import { refuseCursor } from '../keys/index.ts';
import type { Queryable, Statement } from '../platform/db/index.ts';
import { type Page, type PageRequest, startOfPage, toPage } from '../platform/db/pages.ts';
import {
  OPEN_ENTRY,
  OPEN_ORDERS_OF,
  ORDERS_NOT_SETTLED,
  PROVIDERS_WITHOUT_BILL,
  RECEIPTS_NOT_SEEN,
  UNBOOKED_SETTLEMENTS,
  UNDOCUMENTED_CREDIT,
  UNDOCUMENTED_ENTRIES,
  UNMATCHED_MONEY,
} from './open-item-rows.ts';

export interface OpenSum {
  count: number;
  amount: Money;
}

async function sum(
  db: Queryable,
  of: Statement<{ count: bigint | number; amount: string }>,
  values: readonly unknown[] = [],
): Promise<OpenSum> {
  const row = await of.first(db, values);
  return { count: Number(row?.count ?? 0), amount: money(BigInt(row?.amount ?? 0)) };
}

/** Settlements that were read and not booked; the sum counts those in rial and toman. */
export function unbookedSettlements(db: Queryable): Promise<OpenSum> {
  return sum(db, UNBOOKED_SETTLEMENTS);
}

/** Old credit by hand that has no document yet. The count is of its entries. */
export function undocumentedCredit(db: Queryable): Promise<OpenSum> {
  return sum(db, UNDOCUMENTED_CREDIT);
}

/** Money that came in and for which no order is known. The count is of the documents that booked it. */
export function unmatchedMoney(db: Queryable): Promise<OpenSum> {
  return sum(db, UNMATCHED_MONEY);
}

export function receiptsNotSeen(db: Queryable, before?: Date): Promise<OpenSum> {
  return sum(db, RECEIPTS_NOT_SEEN, [before ?? null]);
}

/**
 * Providers that cost something in these days and have sent no bill for them. Days of Tehran, both included. Sealed
 * days are read from their sums; only open days are read row by row.
 */
export async function providersWithoutBill(
  db: Queryable,
  firstDay: string,
  lastDay: string,
): Promise<{ provider: string; amount: Money }[]> {
  const rows = await PROVIDERS_WITHOUT_BILL.rows(db, [firstDay, lastDay]);
  return rows.map(({ provider, amount }) => ({ provider, amount: money(BigInt(amount)) }));
}

export async function ordersNotSettled(db: Queryable, before: Date): Promise<({ gateway: string } & OpenSum)[]> {
  const rows = await ORDERS_NOT_SETTLED.rows(db, [before]);
  return rows.map(({ gateway, count, amount }) => ({ gateway, count: Number(count), amount: money(BigInt(amount)) }));
}

export interface OpenOrder {
  id: string;
  gateway: string;
  accountId: string;
  reference: string | null;
  amount: Money;
  createdAt: Date;
}

/** Our orders that they do not have: payments of a gateway, or receipts that no statement has shown. */
export async function listOpenOrders(
  db: Queryable,
  { list, gateway, before }: { list: 'not-settled' | 'not-seen'; gateway?: string | undefined; before: Date },
  page: PageRequest,
): Promise<Page<OpenOrder>> {
  const start = startOfPage(page) ?? refuseCursor();
  const rows = await OPEN_ORDERS_OF[list].rows(db, [before, gateway ?? null, start.time, start.id, start.fetch]);
  const orders = rows.map((row): OpenOrder => ({ ...row, amount: money(BigInt(row.amount)) }));
  return toPage(orders, start, ({ createdAt, id }) => ({ time: createdAt, id }));
}

/** The amount of one open entry; undefined where it is not open, or a document other than `document` has cleared it. */
export async function openEntry(tx: Queryable, id: string, document: string): Promise<Money | undefined> {
  const row = await OPEN_ENTRY.first(tx, [id, document]);
  return row && money(BigInt(row.amount));
}

export interface UndocumentedEntry {
  id: string;
  accountId: string | null;
  amount: Money;
  note: string | null;
  /** Who booked it, as long as the audit log still knows. */
  actor: string | null;
  actorName: string | null;
  createdAt: Date;
}

export async function listUndocumented(db: Queryable, page: PageRequest): Promise<Page<UndocumentedEntry>> {
  const start = startOfPage(page) ?? refuseCursor();
  const rows = await UNDOCUMENTED_ENTRIES.rows(db, [start.time, start.id, start.fetch]);
  const entries = rows.map((row): UndocumentedEntry => ({ ...row, amount: money(BigInt(row.amount)) }));
  return toPage(entries, start, ({ createdAt, id }) => ({ time: createdAt, id }));
}
