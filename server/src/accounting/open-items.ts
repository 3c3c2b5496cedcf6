/**
 * What is still open before a month can be closed, as counts and sums: the checklist of the month, the notices to staff and the pages
 * read it here. Each is one statement over what is open, not over all that ever was.
 */
import { HOME_ZONE } from '@dargah/core/home-zone.ts';
import { type Money, money } from '../core/money.ts';
import { refuseCursor } from '../keys/index.ts';
import { AGREED_MATCHES, NOT_SETTLED } from '../payments/index.ts';
import type { Queryable } from '../platform/db/index.ts';
import { type Page, type PageRequest, startOfPage, toPage } from '../platform/db/pages.ts';

export interface OpenSum {
  count: number;
  amount: Money;
}

async function sum(db: Queryable, text: string, values: readonly unknown[] = []): Promise<OpenSum> {
  const [row] = await db.query<{ count: bigint; amount: string }>(text, values);
  return { count: Number(row?.count ?? 0n), amount: money(BigInt(row?.amount ?? 0)) };
}

/** Settlements that were read and not booked; the sum is of those in rial and toman. */
export function unbookedSettlements(db: Queryable): Promise<OpenSum> {
  return sum(
    db,
    `select count(*) as count, coalesce(sum(units * (case unit when 'IRT' then 1000000 when 'IRR' then 100000 else 0 end)), 0)::text as amount
     from settlement where state <> 'booked'`,
  );
}

/** Credit by hand of former times that has no paper yet. The count is of its entries. */
export function undocumentedCredit(db: Queryable): Promise<OpenSum> {
  return sum(
    db,
    `select (select count(*) from (${UNDOCUMENTED}) as entry where not cleared) as count,
       coalesce((select -posted from ledger_account where id = 'undocumented'), 0)::text as amount`,
  );
}

/** Money that came and that no order is known for. The count is of papers that put it there. */
export function unmatchedMoney(db: Queryable): Promise<OpenSum> {
  return sum(
    db,
    `select case when posted = 0 then 0 else 1 end as count, posted::text as amount from ledger_account where id = 'unmatched'`,
  );
}

/** A receipt, or a transfer that staff confirmed, which no statement of the bank has shown. */
const NOT_SEEN = `payment_order.gateway = 'bank-transfer' and payment_order.state in ('credited', 'refunded')
  and not exists (select from settlement_line line
    where line.settles = 'document:topup:' || payment_order.id and line.match in ${AGREED_MATCHES})`;

export function receiptsNotSeen(db: Queryable, before?: Date): Promise<OpenSum> {
  return sum(
    db,
    `select count(*) as count, coalesce(sum(amount + vat), 0)::text as amount from payment_order
     where ${NOT_SEEN} and ($1::timestamptz is null or created_at < $1)`,
    [before ?? null],
  );
}

/** What is counted as cost before a bill comes: answers, what failed, probes, continuations, and what became known later. */
export const COUNTED_COSTS = `('provider-cost', 'waste', 'probe', 'continuation', 'cost-correction')`;

/**
 * Providers that cost something in these days and whose bill for them is not there. Days of Tehran, both included; sealed days are
 * read from their sums, a row for each batch of requests only of those that are open.
 */
export async function providersWithoutBill(
  db: Queryable,
  firstDay: string,
  lastDay: string,
): Promise<{ provider: string; amount: Money }[]> {
  const rows = await db.query<{ provider: string; amount: string }>(
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
    [firstDay, lastDay],
  );
  return rows.map(({ provider, amount }) => ({ provider, amount: money(BigInt(amount)) }));
}

export async function ordersNotSettled(db: Queryable, before: Date): Promise<({ gateway: string } & OpenSum)[]> {
  const rows = await db.query<{ gateway: string; count: bigint; amount: string }>(
    `select gateway, count(*) as count, sum(amount + vat)::text as amount from payment_order
     where ${NOT_SETTLED} and created_at < $1 group by gateway order by 1`,
    [before],
  );
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

type OrderRow = Omit<OpenOrder, 'amount'> & { amount: string };
const ORDER = `id, gateway, account_id as "accountId", reference, (amount + vat)::text as amount, created_at as "createdAt"`;

/** Ours that they do not have: of a gateway, or receipts that no statement has shown. */
export async function listOpenOrders(
  db: Queryable,
  { list, gateway, before }: { list: 'not-settled' | 'not-seen'; gateway?: string | undefined; before: Date },
  page: PageRequest,
): Promise<Page<OpenOrder>> {
  const start = startOfPage(page) ?? refuseCursor();
  const rows = await db.query<OrderRow>(
    `select ${ORDER} from payment_order where ${list === 'not-settled' ? NOT_SETTLED : NOT_SEEN} and created_at < $1
       and ($2::text is null or gateway = $2) and ($3::timestamptz is null or (created_at, id) < ($3, $4))
     order by created_at desc, id desc limit $5`,
    [before, gateway ?? null, start.time, start.id, start.fetch],
  );
  const orders = rows.map((row): OpenOrder => ({ ...row, amount: money(BigInt(row.amount)) }));
  return toPage(orders, start, ({ createdAt, id }) => ({ time: createdAt, id }));
}

/** Credit by hand without a paper: what 0.1.0 booked as cash without an order, and whether a paper names it since. */
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

/** What one of them amounts to; undefined where it is none, or another paper than `document` has cleared it. */
export async function openEntry(tx: Queryable, id: string, document: string): Promise<Money | undefined> {
  const [row] = await tx.query<{ amount: string }>(
    `select amount::text as amount from (${UNDOCUMENTED}) as entry where entry.id = $1
       and not exists (select from document where kind = 'documented' and document.number = $1 and document.id <> $2)`,
    [id, document],
  );
  return row && money(BigInt(row.amount));
}

export interface UndocumentedEntry {
  id: string;
  accountId: string | null;
  amount: Money;
  note: string | null;
  /** Who booked it, where the audit log still knows. */
  actor: string | null;
  actorName: string | null;
  createdAt: Date;
}

export async function listUndocumented(db: Queryable, page: PageRequest): Promise<Page<UndocumentedEntry>> {
  const start = startOfPage(page) ?? refuseCursor();
  const rows = await db.query<Omit<UndocumentedEntry, 'amount'> & { amount: string }>(
    `select entry.id, entry.account_id as "accountId", entry.amount::text as amount, entry.note, entry.created_at as "createdAt",
       made.actor, person.name as "actorName"
     from (${UNDOCUMENTED}) as entry
     left join lateral (select actor from admin_event where admin_event.detail ->> 'transfer' = entry.id and subject = entry.account_id
       and at between entry.created_at - interval '1 minute' and entry.created_at + interval '1 minute' limit 1) as made on true
     left join person on 'staff:' || person.id = made.actor
     where not cleared and ($1::timestamptz is null or (entry.created_at, entry.id) < ($1, $2))
     order by entry.created_at desc, entry.id desc limit $3`,
    [start.time, start.id, start.fetch],
  );
  const entries = rows.map((row): UndocumentedEntry => ({ ...row, amount: money(BigInt(row.amount)) }));
  return toPage(entries, start, ({ createdAt, id }) => ({ time: createdAt, id }));
}
