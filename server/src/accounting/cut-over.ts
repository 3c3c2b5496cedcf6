/**
 * Moves what 0.1.0 wrote into its few books to the books of the chart, as entries of today; nothing is rewritten and no wallet moves.
 * 0.1.0 has one book for money that came (`cash`), one for what was given or corrected (`adjustments`), and tax in none.
 *
 * A run computes what each book of the chart should have got from all that is written there, less what earlier runs moved. So a
 * second run finds nothing, and one after a way back to 0.1.0 finds what was added meanwhile. The run holds the row that every booking
 * of this version reads, so that nobody books the old way beside it, and two replicas do not both run.
 */
import type { Clock } from '../core/clock.ts';
import { money } from '../core/money.ts';
import { BOOK_OF_ORDER, type BookLine, type Books } from '../ledger/index.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import type { Log } from '../platform/log.ts';

export interface CutOverOptions {
  db: Database;
  clock: Clock;
  log: Log;
  ledger: Pick<Books, 'bookIn'>;
}

/** `waits`: a process of 0.1.0 is connected, whose own proof of the books must go on holding. */
export type CutOverResult = 'done' | 'nothing to do' | 'waits';

/** The gateway of an order stands in its row; of a dispute, at the beginning of its note. */
const BOOK_OF_CASH = `case
    when kind = 'chargeback' then 'gateway:' || split_part(note, ' ', 1)
    when gateway is null or not (entry.id like 'topup:%' or kind = 'payback') then 'undocumented'
    when gateway = 'sandbox' then 'play-money'
    when kind = 'payback' and refund_from is not null then refund_from
    else ${BOOK_OF_ORDER} end`;
const BOOK_OF_ADJUSTMENTS = `case when entry.id like 'topup:%' or entry.id like 'welcome:%' then 'promotions' else 'corrections' end`;

/** By hand and not charges, said in the words of the index: charges are nearly all of the table. */
const WRITTEN = `
select old, book, sum(amount) as amount from (
  select old, case when old = 'cash' then ${BOOK_OF_CASH} else ${BOOK_OF_ADJUSTMENTS} end as book, entry.amount
  from (
    select id, kind, note, debit as old, amount from ledger_transfer
    where kind not in ('charge', 'provider-cost') and kind <> 'cutover' and debit in ('cash', 'adjustments')
    union all
    select id, kind, note, credit, -amount from ledger_transfer
    where kind not in ('charge', 'provider-cost') and kind <> 'cutover' and credit in ('cash', 'adjustments')
  ) as entry left join payment_order on payment_order.id = split_part(entry.id, ':', 2)
  union all
  select 'vat-payable', book, vat from (
    select ${BOOK_OF_ORDER} as book, invoice.vat from invoice join payment_order on payment_order.id = invoice.order_id
    where invoice.kind = 'invoice' and invoice.vat > 0 and gateway <> 'sandbox'
      and not exists (select from ledger_transfer where ledger_transfer.id = 'vat:' || payment_order.id)
    union all
    select coalesce(refund_from, ${BOOK_OF_ORDER}), -invoice.vat
    from invoice join payment_order on payment_order.id = coalesce(invoice.order_id, invoice.part_of_order)
    where invoice.kind = 'credit-note' and invoice.vat > 0 and gateway <> 'sandbox'
      and not exists (select from ledger_transfer where ledger_transfer.id = 'vat:' || payment_order.id || ':' || invoice.id)
  ) as tax
) as part group by old, book`;

/** What earlier runs moved between the same two books. */
const MOVED = `
select old, book, sum(amount) as amount from (
  select credit as old, debit as book, amount from ledger_transfer where kind = 'cutover' and credit in ('cash', 'adjustments', 'vat-payable')
  union all
  select debit, credit, -amount from ledger_transfer where kind = 'cutover' and debit in ('cash', 'adjustments', 'vat-payable')
) as part group by old, book`;

const TO_MOVE = `
select old, book, (coalesce(written.amount, 0) - coalesce(moved.amount, 0))::text as amount
from (${WRITTEN}) as written full join (${MOVED}) as moved using (old, book)
where coalesce(written.amount, 0) <> coalesce(moved.amount, 0) order by old, book`;

const OLD_BALANCES = `select count(*) as count from ledger_account where id in ('cash', 'adjustments') and posted <> 0`;

export async function cutOver(options: CutOverOptions): Promise<CutOverResult> {
  const { db, clock, log } = options;
  if (!(await isNeeded(db))) return 'nothing to do';
  if (await olderRuns(db)) return 'waits';
  const lines = await db.transaction(async (tx) => {
    await tx.query('select from chart_cut_over for update');
    const moves = await tx.query<{ old: string; book: string; amount: string }>(TO_MOVE);
    await tx.query('update chart_cut_over set done_at = $1 where done_at is null', [new Date(clock.now())]);
    return book(options, tx, moves);
  });
  log.info({ lines }, 'entries of version 0.1.0 were moved to the chart of accounts');
  return 'done';
}

async function isNeeded(db: Queryable): Promise<boolean> {
  const [state] = await db.query<{ done: boolean }>('select done_at is not null as done from chart_cut_over');
  const [old] = await db.query<{ count: bigint }>(OLD_BALANCES);
  return state?.done !== true || old?.count !== 0n;
}

/** Versions from 0.2.0 on put their number after the name (platform/db/postgres.ts). The embedded database has one process. */
async function olderRuns(db: Database): Promise<boolean> {
  if (db.kind === 'embedded') return false;
  const [row] = await db.query<{ count: bigint }>(
    `select count(*) as count from pg_stat_activity where datname = current_database() and application_name = 'dargah'`,
  );
  return row?.count !== 0n;
}

async function book(
  { ledger }: CutOverOptions,
  tx: Queryable,
  moves: readonly { old: string; book: string; amount: string }[],
): Promise<number> {
  if (moves.length === 0) return 0;
  const [runs] = await tx.query<{ count: bigint }>(`select count(*) as count from document where kind = 'cut-over'`);
  const id = `cutover:${(runs?.count ?? 0n) + 1n}`;
  const lines = moves.map(({ old, book, amount }): BookLine => {
    const value = BigInt(amount);
    const legs = value > 0n ? { debit: book, credit: old } : { debit: old, credit: book };
    return { id: `${id}:${old}:${book}`, kind: 'cutover', ...legs, amount: money(value > 0n ? value : -value) };
  });
  await ledger.bookIn(tx, { id, kind: 'cut-over', createdBy: 'startup', note: 'entries of version 0.1.0', lines });
  return lines.length;
}
