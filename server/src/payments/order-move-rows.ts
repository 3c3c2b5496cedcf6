/** Statements on `payment_order` that make or move an order, with the event of it. */
import type { JsonObject } from '../core/json.ts';
import type { Money } from '../core/money.ts';
import { command, type Queryable, statement } from '../platform/db/index.ts';
import type { Order, RefundState } from './order.ts';
import { ORDER_COLUMNS, orderRow, toOrder } from './order-rows.ts';
import { mayBecome, ORDER_STATES, type OrderState } from './order-states.ts';

const INSERT_ORDER = command(`with made as (
     insert into payment_order (id, account_id, gateway, amount, vat, units, unit, state, external_id, reference, created_by,
       language, expires_at, created_at, updated_at, next_check_at, rate)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14, $15, $17) returning id, created_at, state
   )
   insert into payment_event (order_id, at, to_state, cause) select id, created_at, state, $16 from made`);

export async function writeOrder(tx: Queryable, order: Order, cause: string): Promise<void> {
  await INSERT_ORDER.run(tx, [
    order.id,
    order.accountId,
    order.gateway,
    String(order.amount),
    String(order.vat),
    String(order.payable.units),
    order.payable.unit,
    order.state,
    order.externalId,
    order.reference,
    order.createdBy,
    order.language,
    order.expiresAt,
    order.createdAt,
    // An order that stays `created` was never shown to the customer, so it is checked when it expires; a paid one (a
    // gift code) is credited now.
    order.state === 'created' ? order.expiresAt : order.createdAt,
    cause,
    order.payable.rate === undefined ? null : String(order.payable.rate),
  ]);
}

/**
 * When to check next. A turn sets `next_check_at` to its own end. An earlier time there means that somebody woke the
 * order while it was being checked; that time is kept, because the running check may have asked a moment too early.
 */
export function nextCheckSql(wanted: string): string {
  return `case when ${wanted}::timestamptz is not null and payment_order.next_check_at < payment_order.checking_until then payment_order.next_check_at else ${wanted}::timestamptz end`;
}

export interface Move {
  to: OrderState;
  cause: string;
  at: Date;
  detail?: JsonObject;
  /** What became known with the move; an absent field stays as it is. */
  externalId?: string;
  redirectUrl?: string | null;
  reference?: string;
  card?: string | undefined;
  problem?: string | null;
  nextCheckAt: Date | null;
  /** For moves to `refunded`: the state of the money at that moment, and the book that it leaves. */
  refund?: RefundState;
  refundFrom?: string;
  bank?: string | undefined;
  fee?: Money | undefined;
}

/** Each refund of an order starts again under its own number; an order that is credited again has none. */
const REFUND_OF_MOVE = `refund_state = case when $2 = 'refunded' then $13 end,
         refund_number = payment_order.refund_number + case when $2 = 'refunded' then 1 else 0 end,
         refund_began_at = case when $2 = 'refunded' then $9::timestamptz else refund_began_at end,
         refund_from = case when $2 = 'refunded' then $14 end,
         refund_tries = 0, refund_code = null, refund_reference = null`;

const MOVE_ORDER = statement(
  orderRow,
  `with present as (
       select id, state, refund_state from payment_order where id = $1 for update
     ), moved as (
       update payment_order set state = $2, external_id = coalesce($3, external_id), redirect_url = coalesce($4, redirect_url),
         reference = coalesce($5, reference), card = coalesce($6, card), bank = coalesce($15, bank), fee = coalesce($16::numeric, fee), problem = $7, next_check_at = ${nextCheckSql('$8')}, updated_at = $9,
         checking_until = case when $2 = 'paid' then checking_until end, ${REFUND_OF_MOVE}
       from present where payment_order.id = present.id and present.state = any($10::text[])
         and (present.refund_state is null or present.refund_state in ('refused', 'unknown'))
       returning payment_order.*, present.state as from_state
     ), event as (
       insert into payment_event (order_id, at, from_state, to_state, cause, detail)
       select id, $9, from_state, $2, $11, $12 from moved
     )
     select ${ORDER_COLUMNS} from moved`,
  { name: 'payment-move-2' },
);

/**
 * Moves an order if its present state permits; returns the moved order, or undefined when it may not move. One
 * statement: the row is locked before its state is read, so two moves never start from the same state, and the event is
 * written with the move. A refund that is running, or was sent, keeps its order from moving.
 */
export async function writeMove(tx: Queryable, id: string, move: Move): Promise<Order | undefined> {
  const row = await MOVE_ORDER.first(tx, [
    id,
    move.to,
    move.externalId ?? null,
    move.redirectUrl ?? null,
    move.reference ?? null,
    move.card ?? null,
    move.problem ?? null,
    move.nextCheckAt,
    move.at,
    ORDER_STATES.filter((state) => mayBecome(state, move.to)),
    move.cause,
    move.detail ?? {},
    move.refund ?? null,
    move.refundFrom ?? null,
    move.bank ?? null,
    move.fee === undefined ? null : String(move.fee),
  ]);
  return row && toOrder(row);
}
