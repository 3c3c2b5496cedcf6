/**
 * The journal of a month, for the accountant's own program: every entry with its paper. Charges, and what providers cost, are one
 * line a day and pair of books. Read day by day, so that a page costs what it holds.
 */
import { HOME_ZONE } from '@dargah/core/home-zone.ts';
import { type Money, money } from '../core/money.ts';
import { dayAfter } from '../ledger/index.ts';
import type { Queryable } from '../platform/db/index.ts';
import { daySumsUpTo } from './day-sums.ts';

export interface MonthJournalLine {
  /** The day that it is booked on. */
  day: string;
  /** Of the transfer; of a line that stands for a whole day, made of the day and its books. */
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
  /** The paper's own day. */
  datedOn: string | null;
}

type Row = Omit<MonthJournalLine, 'amount' | 'transfers'> & { amount: string; transfers: bigint; place: number };

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

const FOLDED = `kind in ('charge', 'provider-cost')`;
const SINGLE = `t.kind not in ('charge', 'provider-cost')`;
const COLUMNS = `t.id, t.kind, t.debit, t.credit, t.amount, t.account_id, t.note, t.document_id`;

/** The lines that stand for a whole day. They come first, so a page that goes on after them does not add them up again. */
const foldedLines = (sums: string): string => `
    select 0 as place, concat_ws('|', sums.day::text, sums.kind, debit, credit) as id, sums.kind, debit, credit, amount, transfers,
      null::text as account_id, null::text as note, null::text as document_id
    from ${sums} as sums where ${FOLDED}
    union all`;

/** $1, $2 the day; $3 place and $4 id to go on after; $5 how many; $6 the zone. */
const pageOf = (folded: string): string => `
  select to_char($1::date, 'YYYY-MM-DD') as day, line.id, line.kind, debit, credit, line.amount::text as amount, transfers,
    account_id as "accountId", line.note, document_id as "documentId", document.kind as "documentKind", document.number,
    to_char(document.dated_on, 'YYYY-MM-DD') as "datedOn", place
  from (${folded}
    select 1 as place, ${COLUMNS.replace('t.amount,', 't.amount, 1::bigint as transfers,')} from ledger_transfer t
    where ${SINGLE} and t.created_at >= $1::date::timestamp at time zone $6 and t.created_at < ($2::date + 1)::timestamp at time zone $6
      and not exists (select from late_request late where late.id = t.id)
    union all
    select 1, ${COLUMNS.replace('t.amount,', 't.amount, 1::bigint,')} from late_request late join ledger_transfer t on t.id = late.id
    where late.booked_on between $1::date and $2::date and ${SINGLE}
  ) as line left join document on document.id = document_id
  where (place, line.id) > ($3::int, $4::text) order by place, line.id limit $5`;

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
    const folded = from.place < 1 ? foldedLines(sumsOf(from.day)) : '';
    const rows = await tx.query<Row>(pageOf(folded), [from.day, from.day, from.place, from.id, room + 1, HOME_ZONE]);
    for (const { amount, transfers, place, ...row } of rows.slice(0, room)) {
      lines.push({ ...row, amount: money(BigInt(amount)), transfers: Number(transfers) });
      from = { day: row.day, place, id: row.id };
    }
    if (rows.length > room) return { lines, next: from };
    if (lines.length === limit) return { lines, next: from.day === lastDay ? null : { ...from } };
  }
  return { lines, next: null };
}
