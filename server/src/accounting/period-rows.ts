/** The statements on months of the books, their rule and the cut-over to the chart. */

import { BOOK_OF_ORDER, monthSumsDigest } from '../ledger/index.ts';
import { column, command, orNull, statement } from '../platform/db/index.ts';
import type { BooksCalendar, BooksSpan } from './months.ts';

export interface BooksPeriod extends BooksSpan {
  calendar: BooksCalendar;
  /** `running`: it has not ended. `open`: it has ended and can be closed once the months before it are. */
  state: 'running' | 'open' | 'asked' | 'closed';
  /** The first day on which it may be closed. */
  closableFrom: string;
  askedBy: string | null;
  askedByName: string | null;
  askedAt: Date | null;
  approvedBy: string | null;
  approvedByName: string | null;
  closedAt: Date | null;
  alone: boolean;
  sentences: Record<string, string>;
}

const periodRow = {
  id: column.text,
  calendar: column.textOf<BooksCalendar>(),
  firstDay: column.text,
  lastDay: column.text,
  state: column.textOf<BooksPeriod['state']>(),
  askedBy: column.text,
  askedByName: orNull(column.text),
  askedAt: column.timestamp,
  approvedBy: orNull(column.text),
  approvedByName: orNull(column.text),
  closedAt: orNull(column.timestamp),
  alone: column.boolean,
  sentences: column.jsonOf<Record<string, string>>(),
};

const STORED = `select period.id, calendar, first_day::text as "firstDay", last_day::text as "lastDay", state, asked_by as "askedBy",
    asker.name as "askedByName", asked_at as "askedAt", approved_by as "approvedBy", decider.name as "approvedByName",
    closed_at as "closedAt", alone, sentences
  from ledger_period period left join person asker on 'staff:' || asker.id = asked_by
  left join person decider on 'staff:' || decider.id = approved_by`;

export const LOCK_RULE = command('select from books_rule for update');

export const SET_RULE = command('update books_rule set calendar = $1, tax_send_days = $2, tax_service_id = $3');

export const INSERT_PERIOD =
  command(`insert into ledger_period (id, calendar, first_day, last_day, state, asked_by, asked_at, sentences)
   values ($1, $2, $3, $4, 'asked', $5, $6, $7)`);

export const DELETE_PERIOD = command('delete from ledger_period where id = $1');

export const BOOKS_RULE = statement(
  {
    calendar: column.textOf<BooksCalendar>(),
    taxSendDays: column.int,
    taxServiceId: column.text,
    calendarFixed: column.boolean,
  },
  `select calendar, tax_send_days as "taxSendDays", tax_service_id as "taxServiceId",
   exists (select from ledger_period) as "calendarFixed" from books_rule`,
);

export const PERIOD = statement(periodRow, `${STORED} where period.id = $1`);

export const FIRST_DAY_OF_BOOKS = statement(
  { day: orNull(column.text) },
  'select least((select min(day) from ledger_seal), (select open_from from ledger_clock))::text as day',
);

export const LAST_CLOSED_PERIOD = statement(
  { id: column.text, firstDay: column.text, lastDay: column.text },
  `select id, first_day::text as "firstDay", last_day::text as "lastDay" from ledger_period where state = 'closed'
   order by last_day desc limit 1`,
);

export const PERIODS = statement(periodRow, `${STORED} order by period.last_day desc limit $1`);

export const CLOSE_PERIOD = statement(
  { id: column.text },
  `update ledger_period set state = 'closed', approved_by = $2, closed_at = $3, alone = $4,
     transfers = (select coalesce(sum(transfers), 0) from ledger_seal where day between $5::date and $6::date),
     amount = (select coalesce(sum(amount), 0) from ledger_seal where day between $5::date and $6::date),
     sums_digest = ${monthSumsDigest('$5::date', '$6::date')}, chain = (select chain from ledger_seal where day = $6::date)
   where id = $1 and exists (select from ledger_seal where day = $6::date)
     and exists (select from ledger_clock where open_from > $6::date and sealed_to >= $6::date) returning id`,
);

/** The gateway of an order stands in its row; that of a dispute stands at the beginning of its note. */
const BOOK_OF_CASH = `case
    when kind = 'chargeback' then 'gateway:' || split_part(note, ' ', 1)
    when gateway is null or not (entry.id like 'topup:%' or kind = 'payback') then 'undocumented'
    when gateway = 'sandbox' then 'play-money'
    when kind = 'payback' and refund_from is not null then refund_from
    else ${BOOK_OF_ORDER} end`;

const BOOK_OF_ADJUSTMENTS = `case when entry.id like 'topup:%' or entry.id like 'welcome:%' then 'promotions' else 'corrections' end`;

/** Entries by hand without charges, written as the index has it, because nearly the whole table is charges. */
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

export const LOCK_CUT_OVER = command('select from chart_cut_over for update');

export const MOVES_OF_CUT_OVER = statement({ old: column.text, book: column.text, amount: column.text }, TO_MOVE);

export const MARK_CUT_OVER = command('update chart_cut_over set done_at = $1 where done_at is null');

export const CUT_OVER_DONE = statement(
  { done: column.boolean },
  'select done_at is not null as done from chart_cut_over',
);

export const OLD_BALANCES_LEFT = statement({ count: column.bigint }, OLD_BALANCES);

export const OLDER_RUNS = statement(
  { count: column.bigint },
  `select count(*) as count from pg_stat_activity where datname = current_database() and application_name = 'dargah'`,
);

export const CUT_OVERS_BOOKED = statement(
  { count: column.bigint },
  `select count(*) as count from document where kind = 'cut-over'`,
);
