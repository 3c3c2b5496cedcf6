/** Statements on an order's refund: calls that were begun, and what became of the money. */

import { column, command, type Queryable, statement } from '../platform/db/index.ts';
import type { Order, RefundState } from './order.ts';
import { ORDER_COLUMNS, orderRow, toOrder } from './order-rows.ts';

/** The name of one refund, for the gateway and in the ledger's ids. */
export function refundName({ id }: Order, number: number): string {
  return `${id}:${number}`;
}

const BEGIN_WHOLE_TRY = statement(
  orderRow,
  `update payment_order set refund_tries = refund_tries + 1
   where id = $1 and refund_state = 'sending' and refund_number = $2 and refund_tries = $3 returning ${ORDER_COLUMNS}`,
);

/**
 * Records that a call to the gateway begins, before it is made: whoever continues after a crash then knows that it may
 * have arrived. Returns undefined when another replica has begun one since the order was read, or has settled it.
 */
export async function beginWholeTry(db: Queryable, { id, refunds, refund }: Order): Promise<Order | undefined> {
  const row = await BEGIN_WHOLE_TRY.first(db, [id, refunds, refund?.tries ?? 0]);
  return row && toOrder(row);
}

export interface RefundMove {
  from: readonly RefundState[];
  to: RefundState;
  cause: string;
  at: Date;
  code?: string | undefined;
  reference?: string | undefined;
}

const MOVE_WHOLE_REFUND = statement(
  orderRow,
  `with moved as (
     update payment_order set refund_state = $3, refund_code = $4, refund_reference = coalesce($5, refund_reference), updated_at = $6,
       next_check_at = null, checking_until = null
     where id = $1 and refund_number = $2 and refund_state = any($7::text[]) returning *
   ), event as (
     insert into payment_event (order_id, at, from_state, to_state, cause, detail)
     select id, $6, state, state, $8, jsonb_build_object('refund', refund_state, 'code', refund_code, 'reference', refund_reference)
     from moved
   )
   select ${ORDER_COLUMNS} from moved`,
);

/**
 * Records what became of the money; undefined when the refund is in another state by now, or is no longer the same.
 * Nothing asks the gateway after it.
 */
export async function writeWholeRefund(tx: Queryable, order: Order, move: RefundMove): Promise<Order | undefined> {
  const row = await MOVE_WHOLE_REFUND.first(tx, [
    order.id,
    order.refunds,
    move.to,
    move.code ?? null,
    move.reference ?? null,
    move.at,
    move.from,
    move.cause,
  ]);
  return row && toOrder(row);
}

const POSTPONE_WHOLE_REFUND =
  command(`update payment_order set next_check_at = $3, checking_until = null, refund_code = $4, refund_reference = coalesce($5, refund_reference)
     where id = $1 and refund_number = $2 and refund_state = 'sending'`);

/** Records what the gateway said so far, without deciding, and when to ask it again. */
export async function postponeWholeRefund(
  db: Queryable,
  { id, refunds }: Order,
  at: Date,
  told: { code: string; reference: string | undefined },
): Promise<void> {
  await POSTPONE_WHOLE_REFUND.run(db, [id, refunds, at, told.code, told.reference ?? null]);
}

const LOST_DISPUTES = statement(
  {},
  `select from (
     select distinct on (detail ->> 'dispute') detail ->> 'outcome' as outcome from payment_event
     where order_id = $1 and detail ->> 'dispute' is not null order by detail ->> 'dispute', seq desc
   ) as last where outcome <> 'won'`,
);

/**
 * True when a card holder took this payment back and we have not won it: its money is gone, and cannot be refunded as
 * well.
 */
export async function isDisputed(db: Queryable, orderId: string): Promise<boolean> {
  const lost = await LOST_DISPUTES.rows(db, [orderId]);
  return lost.length > 0;
}

const NOTE_DISPUTE = command(`insert into payment_event (order_id, at, from_state, to_state, cause, detail)
   select $1, $2, $3, $3, 'dispute', $4::jsonb
   where $6 is distinct from (
     select detail ->> 'outcome' from payment_event where order_id = $1 and detail ->> 'dispute' = $5 order by seq desc limit 1)`);

/**
 * Records only an outcome that differs from the last one, because gateways repeat their messages about a dispute. The
 * order's row is locked.
 */
export async function noteDispute(
  tx: Queryable,
  { id, state }: Order,
  dispute: { id: string; outcome: string },
  at: Date,
): Promise<void> {
  await NOTE_DISPUTE.run(tx, [
    id,
    at,
    state,
    { dispute: dispute.id, outcome: dispute.outcome },
    dispute.id,
    dispute.outcome,
  ]);
}

export const LOST_BEFORE = statement(
  {},
  `select from payment_event where order_id = $1 and detail ->> 'dispute' = $2 and detail ->> 'outcome' = 'lost'`,
);

export const TRANSFER_THERE = statement({}, 'select from ledger_transfer where id = $1');

export const DISPUTED_LINES = statement(
  { id: column.text, amount: column.text },
  'select id, amount::text as amount from ledger_transfer where id = any($1)',
);
