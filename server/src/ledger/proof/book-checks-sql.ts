/**
 * What the books of the chart must agree with: documents, orders, gifts. Each check is a query for what must not exist,
 * as in audit.ts. Until the cut-over the books are those of 0.1.0, and these checks have nothing to compare.
 */
import { inChartSql } from '@dargah/core/chart.ts';

interface BookCheck {
  id: string;
  name: string;
  /** SQL for one number: how many rows there are to check. */
  seen: () => string;
  faults: () => string;
}

const OLD_BOOKS = `(id in ('cash', 'adjustments') and posted <> 0)`;
const IN_USE = '(select done_at is not null from chart_cut_over)';
/** What 0.1.0 wrote after a return to it waits for the cut-over, and so do these checks. */
const CUT_OVER = `(${IN_USE} and not exists (select from ledger_account where ${OLD_BOOKS}))`;
/** 0.1.0 uses this name, and later versions add their number. */
const OLD_RUNS = `exists (select from pg_stat_activity where datname = current_database() and application_name = 'dargah')`;
const anyOf = (rows: string): string => `select count(*) as seen from (select from ${rows} limit 1000) as looked`;
/** Orders that customers paid with real money. */
const REAL = `gateway not in ('gift-code', 'sandbox')`;
/** The book that an order's money came to, as in payments/entries.ts. */
export const BOOK_OF_ORDER = `case when gateway = 'bank-transfer' then 'bank:' || coalesce(bank, 'main') else 'gateway:' || gateway end`;

/** The tax of invoices for real money, less that of their credit notes. */
const TAX_OF_PAPERS = `
  select coalesce(sum(case when kind = 'invoice' then invoice.vat else -invoice.vat end), 0) as vat
  from invoice join payment_order on payment_order.id = coalesce(invoice.order_id, invoice.part_of_order) where ${REAL}`;

/**
 * What went to the tax office, was deducted, or opened the book: every entry of the book without an invoice or credit
 * note.
 */
const TAX_PAID = `
  select coalesce(sum(case when credit = 'vat-payable' then amount else -amount end), 0) as vat
  from ledger_transfer where kind in ('tax-payment', 'bill', 'settlement', 'unmatched') and (debit = 'vat-payable' or credit = 'vat-payable')`;

/** All money that orders brought to a gateway or bank and that was not refunded. */
const HELD_BY_ORDERS = `
  select book, sum(amount) as amount from (
    select ${BOOK_OF_ORDER} as book, amount + vat as amount from payment_order where state in ('credited', 'refunded') and ${REAL}
    union all
    -- A whole refund: credit when it was taken, tax when it was sent.
    select coalesce(refund_from, ${BOOK_OF_ORDER}), -(amount + case when refund_state = 'sent' then vat else 0 end)
    from payment_order
    where state = 'refunded' and ${REAL} and not exists (select from payment_refund where order_id = payment_order.id and state <> 'undone')
    union all
    select source, -(part.amount + case when part.state = 'sent' then part.vat else 0 end)
    from payment_refund part join payment_order on payment_order.id = part.order_id where part.state <> 'undone' and ${REAL}
  ) as moved group by book`;

/** The same as the books have it: what came with top-ups and went with refunds. */
const HELD_BY_BOOKS = `
  select book, sum(amount) as amount from (
    select debit as book, amount, id, kind from ledger_transfer where kind in ('top-up', 'vat', 'payback', 'cutover')
    union all
    select credit, -amount, id, kind from ledger_transfer where kind in ('top-up', 'vat', 'payback', 'cutover')
  ) as leg
  where book like 'gateway:_%' or (book like 'bank:_%' and id ~ '^(topup|vat|refund|refund-undone|cutover):') group by book`;

/** What disputes took before the cut-over: 0.1.0 booked them in cash, so the cut-over moved them with the rest. */
const DISPUTES_BEFORE = `
  select 'gateway:' || split_part(note, ' ', 1) as book, sum(case when credit = 'cash' then -amount else amount end) as amount
  from ledger_transfer where kind = 'chargeback' and (debit = 'cash' or credit = 'cash') group by 1`;

const GIVEN = `
  select 'promotions' as book, coalesce(sum(amount), 0) as amount from (
    select amount from payment_order where gateway = 'gift-code' and state in ('credited', 'refunded')
    union all
    select case when debit in ('promotions', 'adjustments') then amount else -amount end from ledger_transfer
    where (kind = 'gift' and id not like 'topup:%') or (kind = 'adjustment' and id like 'welcome:%')
  ) as given`;

export const BOOK_CHECKS: readonly BookCheck[] = [
  {
    id: 'chart',
    name: 'every book is in the chart of accounts',
    seen: () => anyOf('ledger_account'),
    faults: () =>
      `select id as about, posted::text as written, 'a book of the chart' as expected from ledger_account where not ${inChartSql('id')}`,
  },
  {
    id: 'vat',
    name: 'VAT payable is the tax of invoices less credit notes and what was paid',
    seen: () => anyOf('invoice where vat > 0'),
    faults: () => `
      select 'vat-payable' as about, booked.vat::text as written, (papers.vat + paid.vat)::text as expected
      from (${TAX_OF_PAPERS}) as papers cross join (${TAX_PAID}) as paid
      cross join (select coalesce(sum(posted), 0) as vat from ledger_account where id = 'vat-payable') as booked
      where ${CUT_OVER} and booked.vat <> papers.vat + paid.vat`,
  },
  {
    id: 'clearing',
    name: 'every gateway and bank got what its orders brought and sent back',
    seen: () => anyOf(`payment_order where state in ('credited', 'refunded')`),
    faults: () => `
      select book as about, coalesce(booked.amount, 0)::text as written,
        (coalesce(held.amount, 0) + coalesce(disputed.amount, 0))::text as expected
      from (${HELD_BY_ORDERS}) as held full join (${HELD_BY_BOOKS}) as booked using (book)
        full join (${DISPUTES_BEFORE}) as disputed using (book)
      where ${CUT_OVER} and coalesce(booked.amount, 0) <> coalesce(held.amount, 0) + coalesce(disputed.amount, 0)`,
  },
  {
    id: 'gifts',
    name: 'gifts and promotions are the codes, welcome credit and gifts that were given',
    seen: () => anyOf(`ledger_transfer where kind not in ('charge', 'provider-cost') and debit = 'promotions'`),
    faults: () => `
      select 'promotions' as about, (-coalesce(account.posted, 0))::text as written, given.amount::text as expected
      from (${GIVEN}) as given left join ledger_account account on account.id = given.book
      where ${CUT_OVER} and -coalesce(account.posted, 0) <> given.amount`,
  },
  {
    id: 'cost-corrections',
    name: 'costs that became known later are booked once and whole',
    seen: () => anyOf('cost_correction'),
    faults: () => `
      select coalesce('cost-correction:' || found.id, booked.id) as about, coalesce(booked.amount, 0)::text as written,
        coalesce(found.amount, 0)::text as expected
      from (
        select id, (select sum(part.amount) from cost_correction_part part where part.correction_id = cost_correction.id) as amount
        from cost_correction where state = 'booked'
      ) as found full join (
        select id, amount from ledger_transfer where kind = 'cost-correction'
      ) as booked on booked.id = 'cost-correction:' || found.id
      where coalesce(booked.amount, 0) <> coalesce(found.amount, 0)`,
  },
  {
    id: 'legacy-empty',
    name: 'the closed books cash and adjustments are empty',
    seen: () => anyOf('chart_cut_over where done_at is not null'),
    faults: () => `
      select id as about, posted::text as written, '0' as expected from ledger_account
      where ${OLD_BOOKS} and ${IN_USE} and not ${OLD_RUNS}`,
  },
];
