/**
 * What must hold in the books. Each check is a query for what must not exist; it passes when it finds nothing. A new
 * book adds its checks here: one entry in CHECKS, and its text in the console (web: book-texts.ts).
 */
import { GIVEN_BACK } from '@dargah/core/transfer-kinds.ts';
import { spentSql } from '../../requestlog/index.ts';
import { BOOK_CHECKS } from './book-checks-sql.ts';
import { CLOSED_MONTHS } from './closed-months-sql.ts';
import type { RowsToRead } from './rows-to-read-sql.ts';

export interface ProofCheck {
  /** The console finds its text by it. */
  id: string;
  name: string;
  /** True for a check that also runs every ten minutes; it reads open rows only, by index. */
  light?: true;
  /** SQL for one number: how many rows there are to check. A check without any counts as neither right nor wrong. */
  seen: (from: RowsToRead) => string;
  /** SQL for rows `about, written, expected` (texts) that contradict the books. */
  faults: (from: RowsToRead) => string;
}

const anyOf = (rows: string): string =>
  `select count(*) as seen from (select from ${rows} as one limit 1000) as looked`;

/** Charges and refunds per spend counter, according to the request rows, added to what was summed before. */
const counted = ({ requests, transfers, spent }: RowsToRead): string => `
  select budget, sum(amount) as amount from (
    ${spentSql(`${requests} as log`)}
    union all
    select budget, -refund.amount
      from ${transfers} as refund join request_log log on log.id = refund.request_id
      cross join spend_counters(log.counters, log.key_id, log.account_id) as budget where refund.kind in ${GIVEN_BACK} and log.counters <> ''
    union all
    select id, spent from ${spent} as before
  ) as part group by budget`;

const BY_HAND = `kind not in ('charge', 'provider-cost')`;

export const CHECKS: readonly ProofCheck[] = [
  {
    id: 'balances',
    name: 'every balance is the sum of its transfers',
    light: true,
    seen: () => anyOf('ledger_account'),
    faults: ({ transfers, balances }) => `
      select coalesce(account.id, moved.id) as about, account.posted::text as written, coalesce(moved.amount, 0)::text as expected
      from ledger_account account full join (
        select id, sum(amount) as amount from (
          select leg.id, leg.amount from (
            select debit, credit, sum(amount) as amount from ${transfers} as t group by debit, credit
          ) as pair cross join lateral (values (pair.debit, -pair.amount), (pair.credit, pair.amount)) as leg (id, amount)
          union all select id, posted from ${balances} as before
        ) as leg group by id
      ) as moved using (id)
      where account.posted is distinct from coalesce(moved.amount, 0)`,
  },
  {
    id: 'debits-and-credits',
    name: 'debits equal credits over all accounts',
    light: true,
    seen: () => anyOf('ledger_account'),
    faults: () => `
      select 'all accounts' as about, sum(posted)::text as written, '0' as expected
      from ledger_account having coalesce(sum(posted), 0) <> 0`,
  },
  {
    id: 'positive-amounts',
    name: 'every transfer moves a positive amount between two accounts',
    seen: ({ transfers }) => anyOf(transfers),
    faults: ({ transfers }) => `
      select id as about, amount::text as written, 'more than 0' as expected
      from ${transfers} as t where amount <= 0 or debit = credit`,
  },
  {
    id: 'one-charge-per-request',
    name: 'every closed request has exactly one charge, or cost nothing',
    seen: ({ requests }) => anyOf(requests),
    faults: ({ requests }) => `
      select log.id as about, charge.amount::text as written, log.cost::text as expected
      from ${requests} as log left join ledger_transfer charge on charge.id = log.id and charge.kind = 'charge'
        and charge.debit = 'wallet:' || log.account_id and charge.credit = 'revenue'
      where coalesce(charge.amount, 0) <> log.cost or (log.state = 'running' and log.cost <> 0)`,
  },
  {
    id: 'one-request-per-charge',
    name: 'every charge belongs to a request',
    seen: ({ transfers }) => anyOf(`(select from ${transfers} as t where t.kind = 'charge')`),
    // A charge has the time of its request, which names the one day of the log to look at; else all would be, for every charge.
    faults: ({ transfers }) => `
      select charge.id as about, charge.amount::text as written, 'a request' as expected
      from ${transfers} as charge
      where charge.kind = 'charge'
        and charge.created_at >= coalesce((select kept_from from request_log_horizon), '-infinity')
        and not exists (select from request_log log where log.id = charge.id and log.created_at = charge.created_at)`,
  },
  {
    id: 'refunds-within-charges',
    name: 'no refund exceeds its charge',
    seen: () => anyOf(`(select from ledger_transfer where kind in ${GIVEN_BACK})`),
    faults: () => `
      select refund.request_id as about, sum(refund.amount)::text as written, max(charge.amount)::text as expected
      from ledger_transfer refund join ledger_transfer charge on charge.id = refund.request_id
      where refund.kind in ${GIVEN_BACK} group by refund.request_id having sum(refund.amount) > max(charge.amount)`,
  },
  {
    id: 'spend-counters',
    name: 'every spend counter is the sum of its charges',
    seen: () => anyOf('spend_counter'),
    faults: (from) => `
      select coalesce(counter.id, counted.budget) as about, counter.spent::text as written,
        coalesce(counted.amount, 0)::text as expected
      from spend_counter counter full join (${counted(from)}) as counted on counted.budget = counter.id
      where coalesce(counter.spent, 0) <> coalesce(counted.amount, 0)`,
  },
  {
    id: 'daily-sums',
    name: 'the daily roll-up adds up to the charges of each account',
    seen: () => anyOf('usage_daily'),
    faults: ({ transfers, balances }) => `
      select coalesce(daily.account_id, charged.account_id) as about, daily.cost::text as written,
        coalesce(charged.cost, 0)::text as expected
      from (select account_id, sum(cost) as cost from usage_daily group by account_id) as daily
      full join (
        select account_id, sum(cost) as cost from (
          select account_id, amount as cost from ${transfers} as t where kind = 'charge'
          union all select substr(id, 8), charged from ${balances} as before where id like 'wallet:%'
        ) as part group by account_id
      ) as charged using (account_id)
      where coalesce(daily.cost, 0) <> coalesce(charged.cost, 0)`,
  },
  {
    id: 'credited-orders',
    name: 'every credited order has its one transfer, and no other order has one',
    light: true,
    seen: ({ orders }) => anyOf(orders),
    faults: ({ orders, transfers }) => `
      select payment.id as about, moved.amount::text as written, payment.amount::text as expected
      from ${orders} as payment left join ledger_transfer moved on moved.id = 'topup:' || payment.id
      where payment.state in ('credited', 'refunded')
        and (payment.amount is distinct from moved.amount or payment.account_id is distinct from moved.account_id)
      union all
      select substr(moved.id, 7), moved.amount::text, null
      from ${transfers} as moved left join payment_order payment on payment.id = substr(moved.id, 7)
        and payment.state in ('credited', 'refunded')
      where moved.${BY_HAND} and moved.id like 'topup:%' and payment.id is null`,
  },
  {
    id: 'invoices',
    name: 'every invoice is that of a credited order, and credit notes never exceed it',
    light: true,
    seen: ({ invoices }) => anyOf(invoices),
    faults: ({ invoices }) => `
      select paper.id as about, (paper.amount + paper.vat)::text as written, (payment.amount + payment.vat)::text as expected
      from ${invoices} as paper left join payment_order payment on payment.id = paper.order_id
        and payment.account_id = paper.account_id and payment.state in ('credited', 'refunded')
      where paper.kind = 'invoice' and (paper.amount is distinct from payment.amount or paper.vat is distinct from payment.vat)
      union all
      select payment.id, sum(note.amount + note.vat)::text, max(payment.amount + payment.vat)::text
      from (select distinct coalesce(order_id, part_of_order) as id from ${invoices} as paper where kind = 'credit-note') as changed
        join payment_order payment using (id)
        join invoice note on note.kind = 'credit-note' and (note.order_id = payment.id or note.part_of_order = payment.id)
      group by payment.id having sum(note.amount + note.vat) > max(payment.amount + payment.vat)`,
  },
  {
    id: 'refunded-orders',
    name: 'every refunded order has given its credit back once, and no other order has',
    seen: () => anyOf(`(select from payment_order where state = 'refunded')`),
    faults: () => `
      select coalesce(payment.id, moved.id) as about, moved.amount::text as written, coalesce(payment.amount, 0)::text as expected
      from (
        select id, account_id, coalesce(part.amount, payment_order.amount) as amount
        from payment_order left join (
          select order_id as id, sum(amount) as amount from payment_refund where state <> 'undone' group by order_id
        ) as part using (id)
        where state = 'refunded' or part.amount is not null
      ) as payment
      full join (
        select split_part(id, ':', 2) as id, account_id, sum(case when debit like 'wallet:%' then amount else -amount end) as amount
        from ledger_transfer where kind = 'payback' group by 1, 2
      ) as moved using (id)
      where coalesce(payment.amount, 0) <> coalesce(moved.amount, 0)
        or (payment.account_id is distinct from moved.account_id and moved.amount <> 0)`,
  },
  ...BOOK_CHECKS,
  CLOSED_MONTHS,
];
