/**
 * Statements that decide which replica asks a gateway about an order or its refund, and when. The turn is taken, given
 * back and brought forward here, for all replicas.
 */

import { column, command, notNull, type Queryable, statement } from '../platform/db/index.ts';
import type { Order } from './order.ts';
import { nextCheckSql } from './order-move-rows.ts';
import { ORDER_COLUMNS, orderRow, toOrder } from './order-rows.ts';

const TAKE_TURN = statement(
  orderRow,
  `update payment_order set checking_until = $3, next_check_at = $3, checks = checks + 1
   where id = $1 and (checking_until is null or checking_until <= $2) returning ${ORDER_COLUMNS}`,
);

/** Takes the turn to ask the gateway about one order; undefined while another replica has it. */
export async function takeTurn(db: Queryable, id: string, now: Date, until: Date): Promise<Order | undefined> {
  const row = await TAKE_TURN.first(db, [id, now, until]);
  return row && toOrder(row);
}

const TAKE_TURNS_DUE = statement(
  orderRow,
  `update payment_order set checking_until = $2, next_check_at = $2, checks = checks + 1
   where id in (
     select id from payment_order
     where next_check_at <= $1 and (checking_until is null or checking_until <= $1)
     order by next_check_at limit $3 for update skip locked
   ) returning ${ORDER_COLUMNS}`,
);

/** Takes the turns of all orders that are due. Replicas that run it at the same time get different orders. */
export async function takeTurnsDue(db: Queryable, now: Date, until: Date, max: number): Promise<Order[]> {
  const rows = await TAKE_TURNS_DUE.rows(db, [now, until, max]);
  return rows.map(toOrder);
}

const RELEASE_ORDER = command(`update payment_order set checking_until = null,
     next_check_at = case when state in ('credited', 'refunded') then null else ${nextCheckSql('$2')} end, problem = case when state in ('failed', 'expired') then problem else $3 end
   where id = $1 and refund_state is distinct from 'sending'`);

/**
 * Gives the turn back and sets the next time; a refund that began meanwhile has set its own. An open order keeps the
 * problem of its last check, and none once the gateway answered; an order that has ended keeps the reason why it ended.
 */
export async function releaseOrder(db: Queryable, id: string, at: Date | null, problem?: string): Promise<void> {
  await RELEASE_ORDER.run(db, [id, at, problem ?? null]);
}

const WAKE_ORDERS = statement(
  { external_id: notNull(column.text) },
  `with woken as (
     update payment_order set next_check_at = $3
     where gateway = $1 and external_id = any($2) and state in ('sent', 'returned', 'paid', 'failed', 'expired')
       and coalesce(problem, '') not like 'differs:%' and (next_check_at is null or next_check_at > $3)
   ) select external_id from payment_order where gateway = $1 and external_id = any($2)`,
);

/**
 * Returns which of these payments belong to orders. Orders that may still be paid are checked at once, even where
 * checking had ended.
 */
export async function wakeOrdersOf(
  db: Queryable,
  gateway: string,
  externalIds: string[],
  now: Date,
): Promise<string[]> {
  // A payment that differs from its order is left alone, because staff are looking at it.
  const known = await WAKE_ORDERS.rows(db, [gateway, externalIds, now]);
  return known.map(({ external_id: id }) => id);
}

const WAKE_ORDER = command(`update payment_order set next_check_at = $2
   where id = $1 and (state in ('sent', 'returned', 'paid', 'failed', 'expired') or refund_state = 'sending')
     and (next_check_at is null or next_check_at > $2)`);

/** Makes the reconciler check the order at once, even while a check is running that may have asked too early. */
export async function wakeOrder(db: Queryable, id: string, now: Date): Promise<void> {
  await WAKE_ORDER.run(db, [id, now]);
}
