/**
 * The journal of a month, for the accountant's own program: every entry with its document. Charges, and what providers
 * cost, are one line per day and pair of books. It is read day by day, so that a page costs only what it holds.
 */

import { HOME_ZONE } from '@dargah/core/home-zone.ts';
import { type Money, money } from '../core/money.ts';
import { dayAfter } from '../ledger/index.ts';
import type { Queryable } from '../platform/db/index.ts';
import { daySumsUpTo } from './day-sums-sql.ts';
import { JOURNAL_LINES } from './report-rows.ts';

export interface MonthJournalLine {
  /** The day on which it is booked. */
  day: string;
  /** The id of the transfer; for a line that stands for a whole day, made of the day and its books. */
  id: string;
  kind: string;
  debit: string;
  credit: string;
  amount: Money;
  transfers: number;
  accountId: string | null;
  note: string | null;
  documentId: string | null;
  documentKind: string | null;
  number: string | null;
  /** The date on the paper. */
  datedOn: string | null;
}

/** Where a page begins: after this line of this day. */
export interface JournalPlace {
  day: string;
  place: number;
  id: string;
}

export interface JournalPage {
  lines: MonthJournalLine[];
  next: JournalPlace | null;
}

export async function readJournal(
  tx: Queryable,
  { firstDay, lastDay }: { firstDay: string; lastDay: string },
  after: JournalPlace | undefined,
  limit: number,
): Promise<JournalPage> {
  const lines: MonthJournalLine[] = [];
  const sumsOf = await daySumsUpTo(tx);
  let from: JournalPlace = after ?? { day: firstDay, place: -1, id: '' };
  for (; from.day <= lastDay; from = { day: dayAfter(from.day), place: -1, id: '' }) {
    const room = limit - lines.length;
    const daySums = from.place < 1 ? sumsOf(from.day) : undefined;
    const rows = await JOURNAL_LINES(daySums).rows(tx, [from.day, from.day, from.place, from.id, room + 1, HOME_ZONE]);
    for (const { amount, transfers, place, ...row } of rows.slice(0, room)) {
      lines.push({ ...row, amount: money(BigInt(amount)), transfers: Number(transfers) });
      from = { day: row.day, place, id: row.id };
    }
    if (rows.length > room) return { lines, next: from };
    if (lines.length === limit) return { lines, next: from.day === lastDay ? null : { ...from } };
  }
  return { lines, next: null };
}
