/** What is read and written of `transfer_receipt`. */
import { column, command, orNull, type Queryable, statement } from '../platform/db/index.ts';
import type { Order } from './order.ts';

export interface TransferReceipt {
  number: string;
  /** `2026-11-18`. */
  paidOn: string;
  /** An IBAN, or a card with its middle digits hidden. */
  paidFrom: string | null;
  sentAt: Date;
}

const MAX_SENT = 5;

const USED_NUMBER = statement(
  {},
  `select from transfer_receipt other join payment_order on payment_order.id = other.order_id
   where other.account_id = $1 and other.number = $2 and other.order_id <> $3 and payment_order.state not in ('failed', 'expired')
   union all
   select from payment_order where gateway = 'bank-transfer' and reference = $2 and account_id = $1 and id <> $3
   limit 1`,
);

/**
 * True when another order of the account that was not given up uses the number. For other accounts staff notice it,
 * because they use a number once.
 */
export async function isTransferNumberUsed(tx: Queryable, { id, accountId }: Order, number: string): Promise<boolean> {
  const found = await USED_NUMBER.rows(tx, [accountId, number, id]);
  return found.length > 0;
}

const RECEIPTS_OF_ORDERS = statement(
  {
    order_id: column.text,
    number: column.text,
    paid_on: column.text,
    paid_from: orNull(column.text),
    at: column.timestamp,
  },
  `select order_id, number, paid_on::text as paid_on, paid_from, sent_at as at from transfer_receipt
   where order_id = any($1::text[])`,
);

export async function selectReceipts(
  db: Queryable,
  orderIds: readonly string[],
): Promise<ReadonlyMap<string, TransferReceipt>> {
  if (orderIds.length === 0) return new Map();
  const found = await RECEIPTS_OF_ORDERS.rows(db, [orderIds]);
  return new Map(
    found.map(({ order_id: id, number, paid_on: paidOn, paid_from: paidFrom, at: sentAt }) => [
      id,
      { number, paidOn, paidFrom, sentAt },
    ]),
  );
}

export const WRITE_RECEIPT = statement(
  { sent: column.int },
  `insert into transfer_receipt as known (order_id, account_id, number, paid_on, paid_from, sent_by, sent_at)
   values ($1, $2, $3, $4::date, $5, $6, $7)
   on conflict (order_id) do update set number = excluded.number, paid_on = excluded.paid_on, paid_from = excluded.paid_from,
     sent = known.sent + 1, sent_by = excluded.sent_by, sent_at = excluded.sent_at
   where known.sent < ${MAX_SENT} returning sent`,
);

export const NOTE_RECEIPT = command(
  `insert into payment_event (order_id, at, from_state, to_state, cause, detail) values ($1, $2, $3, $3, $4, $5)`,
);

export const PROLONG_ORDER = command(
  'update payment_order set expires_at = greatest(expires_at, $2), updated_at = $3 where id = $1',
);
