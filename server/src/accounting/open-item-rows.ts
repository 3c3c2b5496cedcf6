/** What is still open, as counts and sums. Each is one statement that reads only what is open, never the whole past. */

import { HOME_ZONE } from '@dargah/core/home-zone.ts';
import { AGREED_MATCHES, IN_OFFICIAL_SERIES, IN_RECEIPT_SERIES, NOT_SETTLED, stuckBefore } from '../payments/index.ts';
import { column, orNull, statement } from '../platform/db/index.ts';

/** A receipt, or a transfer that staff confirmed, that no bank statement has shown. */
const NOT_SEEN = `payment_order.gateway = 'bank-transfer' and payment_order.state in ('credited', 'refunded')
  and not exists (select from settlement_line line
    where line.settles = 'document:topup:' || payment_order.id and line.match in ${AGREED_MATCHES})`;

/**
 * Entries that count as cost before a bill comes: answers, failures, probes, continuations, and costs that became known
 * later.
 */
export const COUNTED_COSTS = `('provider-cost', 'waste', 'probe', 'continuation', 'cost-correction')`;

const ORDER = `id, gateway, account_id as "accountId", reference, (amount + vat)::text as amount, created_at as "createdAt"`;

/**
 * Credit by hand without a document: what 0.1.0 booked as cash without an order, and whether a document names it since.
 */
const UNDOCUMENTED = `
  select entry.id, entry.account_id, entry.amount * (case when entry.credit like 'wallet:%' then 1 else -1 end) as amount, entry.note,
    entry.created_at, exists (select from document where kind = 'documented' and document.number = entry.id) as cleared
  from ledger_transfer entry
  where entry.kind not in ('charge', 'provider-cost') and entry.kind <> 'cutover' and 'cash' in (entry.debit, entry.credit)
    and entry.kind not in ('chargeback', 'payback') and entry.id not like 'topup:%'
  union all
  select entry.id, entry.account_id, entry.amount, entry.note, entry.created_at,
    exists (select from document where kind = 'documented' and document.number = entry.id)
  from ledger_transfer entry
  where entry.kind not in ('charge', 'provider-cost') and entry.debit = 'undocumented' and entry.kind <> 'cutover'`;

export const PROVIDERS_WITHOUT_BILL = statement(
  { provider: column.text, amount: column.text },
  `with part as (
     select credit, amount from ledger_day
     where day between $1::date and $2::date and kind in ${COUNTED_COSTS} and credit like 'provider:%'
     union all
     select credit, amount from ledger_transfer
     where kind in ${COUNTED_COSTS} and credit like 'provider:%'
       and created_at >= greatest($1::date, coalesce((select sealed_to + 1 from ledger_clock), $1::date))::timestamp at time zone '${HOME_ZONE}'
       and created_at < ($2::date + 1)::timestamp at time zone '${HOME_ZONE}'
   ), cost as (select substr(credit, 10) as provider, sum(amount) as amount from part group by credit)
   select provider, amount::text as amount from cost
   where not exists (select from provider_bill bill where bill.provider = cost.provider
       and bill.first_day <= $2::date and bill.last_day >= $1::date)
     and not exists (select from document where kind = 'bill' and party = cost.provider
       and dated_on between $1::date and $2::date + 31)
   order by cost.amount desc`,
);

export const ORDERS_NOT_SETTLED = statement(
  { gateway: column.text, count: column.bigint, amount: column.text },
  `select gateway, count(*) as count, sum(amount + vat)::text as amount from payment_order
   where ${NOT_SETTLED} and created_at < $1 group by gateway order by 1`,
);

export const OPEN_ENTRY = statement(
  { amount: column.text },
  `select amount::text as amount from (${UNDOCUMENTED}) as entry where entry.id = $1
   and not exists (select from document where kind = 'documented' and document.number = $1 and document.id <> $2)`,
);

export const UNDOCUMENTED_ENTRIES = statement(
  {
    id: column.text,
    accountId: orNull(column.text),
    amount: column.text,
    note: orNull(column.text),
    createdAt: column.timestamp,
    actor: orNull(column.text),
    actorName: orNull(column.text),
  },
  `select entry.id, entry.account_id as "accountId", entry.amount::text as amount, entry.note, entry.created_at as "createdAt",
     made.actor, person.name as "actorName"
   from (${UNDOCUMENTED}) as entry
   left join lateral (select actor from admin_event where admin_event.detail ->> 'transfer' = entry.id and subject = entry.account_id
     and at between entry.created_at - interval '1 minute' and entry.created_at + interval '1 minute' limit 1) as made on true
   left join person on 'staff:' || person.id = made.actor
   where not cleared and ($1::timestamptz is null or (entry.created_at, entry.id) < ($1, $2))
   order by entry.created_at desc, entry.id desc limit $3`,
);

const END_OF_MONTH = `($1::date + 1)::timestamp at time zone $2`;

const ISSUED_IN = `issued_at >= $1::date::timestamp at time zone $3 and issued_at < ($2::date + 1)::timestamp at time zone $3`;

export const SEALED_AND_PROVED = statement(
  { sealed: column.bigint, proved: orNull(column.boolean) },
  `select (select count(*) from ledger_seal where day between $1::date and $2::date and not broken) as sealed,
   (select proved_to >= $2::date and proved_at >= $3 and failing = '[]'::jsonb from proof_state) as proved`,
);

export const FIRST_SEALED_DAY = statement(
  { day: orNull(column.text) },
  'select min(day)::text as day from ledger_seal',
);

const countedRow = { count: column.bigint, amount: column.text };
const countedOf = (sql: string) => statement(countedRow, sql);

/** Settlements that were read and not booked; the sum counts those in rial and toman. */
export const UNBOOKED_SETTLEMENTS =
  countedOf(`select count(*) as count, coalesce(sum(units * (case unit when 'IRT' then 1000000 when 'IRR' then 100000 else 0 end)), 0)::text as amount
   from settlement where state <> 'booked'`);

/** Old credit by hand that has no document yet. The count is of its entries. */
export const UNDOCUMENTED_CREDIT =
  countedOf(`select (select count(*) from (${UNDOCUMENTED}) as entry where not cleared) as count,
     coalesce((select -posted from ledger_account where id = 'undocumented'), 0)::text as amount`);

/** Money that came in and for which no order is known. */
export const UNMATCHED_MONEY = statement(
  { count: column.int, amount: column.text },
  `select case when posted = 0 then 0 else 1 end as count, posted::text as amount from ledger_account where id = 'unmatched'`,
);

/** $1: made before this time, or null. */
export const RECEIPTS_NOT_SEEN =
  countedOf(`select count(*) as count, coalesce(sum(amount + vat), 0)::text as amount from payment_order
   where ${NOT_SEEN} and ($1::timestamptz is null or created_at < $1)`);

const openOrders = (where: string) =>
  statement(
    {
      id: column.text,
      gateway: column.text,
      accountId: column.text,
      reference: orNull(column.text),
      amount: column.text,
      createdAt: column.timestamp,
    },
    `select ${ORDER} from payment_order where ${where} and created_at < $1
       and ($2::text is null or gateway = $2) and ($3::timestamptz is null or (created_at, id) < ($3, $4))
     order by created_at desc, id desc limit $5`,
  );
export const OPEN_ORDERS_OF = { 'not-settled': openOrders(NOT_SETTLED), 'not-seen': openOrders(NOT_SEEN) } as const;

/** The balances of some books at the end of the month, where they are not zero. $1 last day. */
const standingAt = (where: string) =>
  countedOf(`select count(*) as count, coalesce(sum(abs(kept.posted)), 0)::text as amount
   from ledger_account account cross join lateral (
     select posted from ledger_balance b where b.id = account.id and b.day <= $1::date order by b.day desc limit 1
   ) as kept where ${where} and kept.posted <> 0`);
export const STANDING = {
  undocumented: standingAt(`account.id = 'undocumented'`),
  unmatched: standingAt(`account.id = 'unmatched'`),
  disputes: standingAt(`account.id = 'disputes'`),
  gateways: standingAt(`account.id like 'gateway:%'`),
} as const;

/** $1 last day, $2 zone, $3 not moved since. */
export const STUCK_OF_MONTH =
  countedOf(`select count(*) as count, coalesce(sum(amount), 0)::text as amount from payment_order
   where created_at < ${END_OF_MONTH} and ${stuckBefore('$3::timestamptz')}`);

/** $1 last day, $2 zone. */
export const OPEN_REFUNDS = countedOf(`select count(*) as count, coalesce(sum(amount), 0)::text as amount from (
     select amount from payment_refund where state = 'sending' and began_at < ${END_OF_MONTH}
     union all select amount from payment_order where refund_state = 'sending' and updated_at < ${END_OF_MONTH}
   ) as open_refund`);

export const APPROVALS_WAITING = countedOf(
  `select count(*) as count, coalesce(sum(abs(amount)), 0)::text as amount from approval where state = 'waiting' and expires_at > $1`,
);

export const SELLER_MISSING = statement(
  { count: column.bigint, amount: orNull(column.text) },
  `select (not exists (select from setting where key = 'invoice_seller'))::int::bigint as count, null as amount`,
);

/** $1, $2 days. */
export const COSTS_UNKNOWN =
  countedOf(`select coalesce(sum(cost_unknown_requests), 0)::bigint as count, coalesce(sum(revenue_unknown_cost), 0)::text as amount
   from money_day where day between $1::date and $2::date and cost_unknown_requests > 0`);

/** $1, $2 days, $3 zone. */
export const RECEIPTS_WITHOUT_INVOICE =
  countedOf(`select count(*) as count, coalesce(sum(amount + vat), 0)::text as amount from invoice
   where ${IN_RECEIPT_SERIES} and kind = 'invoice' and ${ISSUED_IN}`);

/** $1, $2 days, $3 zone. */
export const INVOICES_NOT_SENT =
  countedOf(`select count(*) as count, coalesce(sum(amount + vat), 0)::text as amount from invoice
   where ${IN_OFFICIAL_SERIES} and ${ISSUED_IN} and (select tax_send_days > 0 from books_rule)
     and not exists (select from invoice_tax tax where tax.invoice_id = invoice.id and tax.state in ('sent', 'accepted'))`);
