/** The statements on bills of providers, and on costs that are unknown. */
import type { Money } from '../core/money.ts';

import { money } from '../core/money.ts';
import { column, command, orNull, type Queryable, type RowOf, statement } from '../platform/db/index.ts';
import { COUNTED_COSTS } from './open-item-rows.ts';

export interface ProviderBill {
  id: string;
  provider: string;
  number: string;
  datedOn: string;
  firstDay: string;
  lastDay: string;
  unit: string;
  units: string;
  amount: Money;
  /** What the books had counted as cost for these days. */
  accrued: Money;
  state: 'open' | 'paid';
  paymentId: string | null;
  paidBy: string | null;
  paidAt: Date | null;
  note: string | null;
  createdBy: string;
  createdAt: Date;
}

export type NewBill = Pick<
  ProviderBill,
  'provider' | 'number' | 'datedOn' | 'firstDay' | 'lastDay' | 'unit' | 'units' | 'amount' | 'note'
>;

const COLUMNS = `id, provider, number, to_char(dated_on, 'YYYY-MM-DD') as "datedOn", to_char(first_day, 'YYYY-MM-DD') as "firstDay",
  to_char(last_day, 'YYYY-MM-DD') as "lastDay", unit, trim_scale(units)::text as units, amount::text as amount,
  accrued::text as accrued, state, payment_id as "paymentId", paid_by as "paidBy", paid_at as "paidAt", note,
  created_by as "createdBy", created_at as "createdAt"`;

const billRow = {
  id: column.text,
  provider: column.text,
  number: column.text,
  datedOn: column.text,
  firstDay: column.text,
  lastDay: column.text,
  unit: column.text,
  units: column.text,
  amount: column.text,
  accrued: column.text,
  state: column.textOf<ProviderBill['state']>(),
  paymentId: orNull(column.text),
  paidBy: orNull(column.text),
  paidAt: orNull(column.timestamp),
  note: orNull(column.text),
  createdBy: column.text,
  createdAt: column.timestamp,
};
type Row = RowOf<typeof billRow>;

export const toBill = (row: Row): ProviderBill => ({
  ...row,
  amount: money(BigInt(row.amount)),
  accrued: money(BigInt(row.accrued)),
});

/** Costs as they were counted, read by the index over kinds; days are those of Tehran. */
const ACCRUED = `
select coalesce(sum(case when credit = 'provider:' || $1 then amount else -amount end), 0)::text as amount from ledger_transfer
where kind in ${COUNTED_COSTS} and 'provider:' || $1 in (debit, credit)
  and created_at >= ($2::date)::timestamp at time zone $4 and created_at < ($3::date + 1)::timestamp at time zone $4`;

const INSERT_BILL =
  command(`insert into provider_bill (id, provider, number, dated_on, first_day, last_day, unit, units, amount, accrued, state, note, created_by, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'open', $11, $12, $13)`);

export async function insertBill(
  tx: Queryable,
  bill: NewBill & Pick<ProviderBill, 'id' | 'accrued' | 'createdBy' | 'createdAt'>,
): Promise<void> {
  await INSERT_BILL.run(tx, [
    bill.id,
    bill.provider,
    bill.number,
    bill.datedOn,
    bill.firstDay,
    bill.lastDay,
    bill.unit,
    bill.units,
    String(bill.amount),
    String(bill.accrued),
    bill.note,
    bill.createdBy,
    bill.createdAt,
  ]);
}

export const ACCRUED_COSTS = statement({ amount: column.text }, ACCRUED);

export const LOCK_BILL = command('select from provider_bill where id = $1 for update');

export const MARK_BILL_PAID = command(
  `update provider_bill set state = 'paid', payment_id = $2, paid_by = $3, paid_at = $4 where id = $1`,
);

export const BILLS = statement(
  billRow,
  `select ${COLUMNS} from provider_bill
   where ($1::text is null or provider = $1) and ($2::text is null or state = $2)
     and ($3::timestamptz is null or (created_at, id) < ($3, $4))
   order by created_at desc, id desc limit $5`,
);

export const BOOK_THAT_PAID = statement(
  { credit: column.text },
  'select credit from ledger_transfer where document_id = $1 limit 1',
);

export const ROUTES = statement(
  { model: column.text, provider: column.text, upstream: column.text, hasCost: column.boolean },
  `select model_id as model, provider_id as provider, upstream_model as upstream, cost is not null as "hasCost" from route
   order by upstream_model`,
);

export const BILLS_OFF = statement(
  {
    id: column.text,
    provider: column.text,
    number: column.text,
    firstDay: column.text,
    lastDay: column.text,
    amount: column.text,
    accrued: column.text,
  },
  `select id, provider, number, to_char(first_day, 'YYYY-MM-DD') as "firstDay", to_char(last_day, 'YYYY-MM-DD') as "lastDay",
     amount::text as amount, accrued::text as accrued
   from provider_bill where created_at > $1 and abs(amount - accrued) * 20 > abs(accrued)
   order by abs(amount - accrued) desc, id limit $2`,
);

const BILL = statement(billRow, `select ${COLUMNS} from provider_bill where id = $1`);
const BILL_NUMBERED = statement(billRow, `select ${COLUMNS} from provider_bill where provider = $1 and number = $2`);

export async function findBill(tx: Queryable, id: string): Promise<ProviderBill | undefined> {
  const row = await BILL.first(tx, [id]);
  return row && toBill(row);
}

export async function findBillNumbered(
  tx: Queryable,
  provider: string,
  number: string,
): Promise<ProviderBill | undefined> {
  const row = await BILL_NUMBERED.first(tx, [provider, number]);
  return row && toBill(row);
}
