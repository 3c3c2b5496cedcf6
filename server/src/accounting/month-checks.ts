/**
 * What an accountant looks at before a month is closed: a list of small checkers, each one question to the database. What is red
 * forbids to close; what is amber needs a sentence. A new part brings its checker here: one entry in MONTH_CHECKS, and its words
 * for people in the console (web: books/kind-texts.ts).
 */
import { HOME_ZONE } from '@dargah/core/home-zone.ts';
import { HOUR_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import { type Money, money } from '../core/money.ts';
import { dayAfter, startOfDay } from '../ledger/index.ts';
import { IN_OFFICIAL_SERIES, IN_RECEIPT_SERIES, stuckBefore } from '../payments/index.ts';
import type { Queryable } from '../platform/db/index.ts';
import { type BooksSpan, daysIn } from './months.ts';
import { providersWithoutBill, receiptsNotSeen, unbookedSettlements } from './open-items.ts';

export interface MonthFinding {
  /** How many there are; 0 is good. */
  count: number;
  /** Null where there is no sum to it. */
  amount: Money | null;
}

export interface MonthCheck {
  id: string;
  level: 'red' | 'amber';
  /** Where in the console it is put right. */
  link: string;
  look(tx: Queryable, month: BooksSpan, nowMs: number): Promise<MonthFinding>;
}

export interface MonthCheckResult extends MonthFinding {
  id: string;
  level: 'red' | 'amber';
  link: string;
}

interface Counted {
  count: bigint;
  amount: string | null;
}

async function ask(tx: Queryable, text: string, values: readonly unknown[]): Promise<MonthFinding> {
  const [row] = await tx.query<Counted>(text, values);
  const amount = row?.amount ?? null;
  return { count: Number(row?.count ?? 0), amount: amount === null ? null : money(BigInt(amount)) };
}

/** What stood in some books at the end of the month, as far as it is not zero. */
const standing =
  (where: string) =>
  (tx: Queryable, { lastDay }: BooksSpan) =>
    ask(
      tx,
      `select count(*) as count, coalesce(sum(abs(kept.posted)), 0)::text as amount
     from ledger_account account cross join lateral (
       select posted from ledger_balance b where b.id = account.id and b.day <= $1::date order by b.day desc limit 1
     ) as kept where ${where} and kept.posted <> 0`,
      [lastDay],
    );

const STUCK_MS = 15 * MINUTE_MS;
const END_OF_MONTH = `($1::date + 1)::timestamp at time zone $2`;
const ISSUED_IN = `issued_at >= $1::date::timestamp at time zone $3 and issued_at < ($2::date + 1)::timestamp at time zone $3`;

/** A proof that ended longer ago says too little. */
const FRESH_MS = 26 * HOUR_MS;

/** Days without a seal or with a broken one; a proof that found something, or none of late. */
async function unprovenDays(tx: Queryable, month: BooksSpan, nowMs: number): Promise<MonthFinding> {
  const [row] = await tx.query<{ sealed: bigint; proved: boolean }>(
    `select (select count(*) from ledger_seal where day between $1::date and $2::date and not broken) as sealed,
       (select proved_to >= $2::date and proved_at >= $3 and failing = '[]'::jsonb from proof_state) as proved`,
    [month.firstDay, month.lastDay, new Date(nowMs - FRESH_MS)],
  );
  const missing = daysIn(month) - Number(row?.sealed ?? 0) - (await daysBeforeBooks(tx, month));
  return { count: missing > 0 ? missing : row?.proved === true ? 0 : 1, amount: null };
}

/** Days of the first month on which there were no books yet: they have no seal and need none. */
async function daysBeforeBooks(tx: Queryable, { firstDay, lastDay }: BooksSpan): Promise<number> {
  const [row] = await tx.query<{ day: string | null }>('select min(day)::text as day from ledger_seal');
  const first = row?.day ?? null;
  if (first === null || first <= firstDay || first > lastDay) return 0;
  return daysIn({ firstDay, lastDay: first }) - 1;
}

export const MONTH_CHECKS: readonly MonthCheck[] = [
  { id: 'days-not-proven', level: 'red', link: '/operator/ledger/proofs', look: unprovenDays },
  {
    id: 'stuck-orders',
    level: 'red',
    link: '/operator/payments?stuck=true',
    look: (tx, { lastDay }, nowMs) =>
      ask(
        tx,
        `select count(*) as count, coalesce(sum(amount), 0)::text as amount from payment_order
         where created_at < ${END_OF_MONTH} and ${stuckBefore('$3::timestamptz')}`,
        [lastDay, HOME_ZONE, new Date(nowMs - STUCK_MS)],
      ),
  },
  {
    id: 'open-refunds',
    level: 'red',
    link: '/operator/payments?stuck=true',
    look: (tx, { lastDay }) =>
      ask(
        tx,
        `select count(*) as count, coalesce(sum(amount), 0)::text as amount from (
           select amount from payment_refund where state = 'sending' and began_at < ${END_OF_MONTH}
           union all select amount from payment_order where refund_state = 'sending' and updated_at < ${END_OF_MONTH}
         ) as open_refund`,
        [lastDay, HOME_ZONE],
      ),
  },
  {
    id: 'approvals-waiting',
    level: 'red',
    link: '/operator/by-hand',
    look: (tx, _month, nowMs) =>
      ask(
        tx,
        `select count(*) as count, coalesce(sum(abs(amount)), 0)::text as amount from approval where state = 'waiting' and expires_at > $1`,
        [new Date(nowMs)],
      ),
  },
  {
    id: 'seller-missing',
    level: 'red',
    link: '/operator/payments',
    look: (tx) =>
      ask(
        tx,
        `select (not exists (select from setting where key = 'invoice_seller'))::int::bigint as count, null as amount`,
        [],
      ),
  },
  {
    id: 'undocumented',
    level: 'amber',
    link: '/operator/books/documents?tab=undocumented',
    look: standing(`account.id = 'undocumented'`),
  },
  {
    id: 'unmatched',
    level: 'amber',
    link: '/operator/books/documents',
    look: standing(`account.id = 'unmatched'`),
  },
  {
    id: 'disputes',
    level: 'amber',
    link: '/operator/ledger/transfers?kind=chargeback',
    look: standing(`account.id = 'disputes'`),
  },
  {
    id: 'not-settled',
    level: 'amber',
    link: '/operator/books/settlement?tab=ours',
    look: standing(`account.id like 'gateway:%'`),
  },
  { id: 'settlements-open', level: 'amber', link: '/operator/books/settlement', look: unbookedSettlements },
  {
    id: 'receipts-not-seen',
    level: 'amber',
    link: '/operator/books/settlement?tab=receipts',
    look: (tx, { lastDay }) => receiptsNotSeen(tx, new Date(startOfDay(dayAfter(lastDay)))),
  },
  {
    id: 'providers-without-bill',
    level: 'amber',
    link: '/operator/books/bills',
    async look(tx, { firstDay, lastDay }) {
      const unbilled = await providersWithoutBill(tx, firstDay, lastDay);
      return { count: unbilled.length, amount: money(unbilled.reduce((sum, { amount }) => sum + amount, 0n)) };
    },
  },
  {
    id: 'cost-unknown',
    level: 'amber',
    link: '/operator/models?cost=unknown',
    look: (tx, { firstDay, lastDay }) =>
      ask(
        tx,
        `select coalesce(sum(cost_unknown_requests), 0)::bigint as count, coalesce(sum(revenue_unknown_cost), 0)::text as amount
         from money_day where day between $1::date and $2::date and cost_unknown_requests > 0`,
        [firstDay, lastDay],
      ),
  },
  {
    id: 'receipts-without-invoice',
    level: 'amber',
    link: '/operator/books/invoices?series=receipt',
    look: (tx, { firstDay, lastDay }) =>
      ask(
        tx,
        `select count(*) as count, coalesce(sum(amount + vat), 0)::text as amount from invoice
         where ${IN_RECEIPT_SERIES} and kind = 'invoice' and ${ISSUED_IN}`,
        [firstDay, lastDay, HOME_ZONE],
      ),
  },
  {
    id: 'invoices-not-sent',
    level: 'amber',
    link: '/operator/books/invoices?tax_state=to-send',
    look: (tx, { firstDay, lastDay }) =>
      ask(
        tx,
        `select count(*) as count, coalesce(sum(amount + vat), 0)::text as amount from invoice
         where ${IN_OFFICIAL_SERIES} and ${ISSUED_IN} and (select tax_send_days > 0 from books_rule)
           and not exists (select from invoice_tax tax where tax.invoice_id = invoice.id and tax.state in ('sent', 'accepted'))`,
        [firstDay, lastDay, HOME_ZONE],
      ),
  },
];

export async function lookAtMonth(
  tx: Queryable,
  month: BooksSpan,
  nowMs: number,
  checks: readonly MonthCheck[] = MONTH_CHECKS,
): Promise<MonthCheckResult[]> {
  const results: MonthCheckResult[] = [];
  for (const { id, level, link, look } of checks) results.push({ id, level, link, ...(await look(tx, month, nowMs)) });
  return results;
}
