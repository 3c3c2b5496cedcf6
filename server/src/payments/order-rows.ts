/** What is read and written of `payment_order` and its events; who asks about an order and when is in order-checks.ts. */
import type { JsonObject } from '../core/json.ts';
import { type Money, money } from '../core/money.ts';
import { tellChange } from '../platform/changes.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import { type Page, type PageStart, toPage } from '../platform/db/pages.ts';
import { COLUMNS, type Order, type OrderRow, type RefundState, toOrder } from './order.ts';
import { mayBecome, ORDER_STATES, type OrderState } from './order-states.ts';

export async function insertOrder(db: Database, order: Order, cause: string, tx: Queryable = db): Promise<void> {
  await tx.query(
    `with made as (
       insert into payment_order (id, account_id, gateway, amount, vat, units, unit, state, external_id, reference, created_by,
         language, expires_at, created_at, updated_at, next_check_at, rate)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14, $15, $17) returning id, created_at, state
     )
     insert into payment_event (order_id, at, to_state, cause) select id, created_at, state, $16 from made`,
    [
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
      // An order that stays `created` was never shown to the customer, so its end is waited for; a paid one (a gift code) is
      // credited now.
      order.state === 'created' ? order.expiresAt : order.createdAt,
      cause,
      order.payable.rate === undefined ? null : String(order.payable.rate),
    ],
  );
  await tellOrder(db, order, tx);
}

/** Open pages of the account, and staff's, hear that the order is another than it was. */
export function tellOrder(db: Database, { accountId, id }: Order, tx: Queryable = db): Promise<void> {
  return tellChange(db, tx, accountId, { what: 'orders', id });
}

/**
 * When to ask next. A turn sets `next_check_at` to its own end; an earlier time there means that somebody woke the order while
 * it was being checked, and that time is kept: the running check may have asked a moment too early.
 */
export function nextCheckSql(wanted: string): string {
  return `case when ${wanted}::timestamptz is not null and payment_order.next_check_at < payment_order.checking_until then payment_order.next_check_at else ${wanted}::timestamptz end`;
}

export interface Move {
  to: OrderState;
  cause: string;
  at: Date;
  detail?: JsonObject;
  /** What is learned with the move; an absent field stays as it is. */
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

/** Each refund of an order begins anew under its own number; an order that is credited again has none. */
const REFUND_OF_MOVE = `refund_state = case when $2 = 'refunded' then $13 end,
         refund_number = payment_order.refund_number + case when $2 = 'refunded' then 1 else 0 end,
         refund_began_at = case when $2 = 'refunded' then $9::timestamptz else refund_began_at end,
         refund_from = case when $2 = 'refunded' then $14 end,
         refund_tries = 0, refund_code = null, refund_reference = null`;

/**
 * Moves an order if its present state permits; returns it as it is now, or undefined when it may not. One statement: the row is
 * locked before its state is read, so two moves never start from the same state, and the event is written with the move. A refund
 * that is on its way, or was sent, holds its order where it is.
 */
export async function moveOrder(db: Database, id: string, move: Move, tx: Queryable = db): Promise<Order | undefined> {
  const [row] = await tx.query<OrderRow>(
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
     select ${COLUMNS} from moved`,
    [
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
    ],
    { name: 'payment-move-2' },
  );
  if (!row) return undefined;
  const order = toOrder(row);
  await tellOrder(db, order, tx);
  return order;
}

export interface OrderEvent {
  at: Date;
  from: OrderState | null;
  to: OrderState;
  cause: string;
  detail: JsonObject;
}

export async function selectEvents(db: Queryable, orderId: string): Promise<OrderEvent[]> {
  return db.query<OrderEvent>(
    `select at, from_state as "from", to_state as "to", cause, detail from payment_event where order_id = $1 order by seq`,
    [orderId],
  );
}

export interface OrderEntry {
  id: string;
  kind: string;
  debit: string;
  credit: string;
  amount: Money;
  at: Date;
}

/** Transfers of an order bear its id in theirs: `topup:<order>`, `topup:<order>:vat`, `refund:<order>:1`. */
export async function selectEntries(db: Queryable, orderId: string): Promise<OrderEntry[]> {
  const found = await db.query<Omit<OrderEntry, 'amount'> & { amount: string }>(
    `select id, kind, debit, credit, amount::text as amount, created_at as at from ledger_transfer
     where split_part(id, ':', 2) = $1 and kind not in ('charge', 'provider-cost') order by created_at, id limit 100`,
    [orderId],
  );
  return found.map((row) => ({ ...row, amount: money(BigInt(row.amount)) }));
}

export async function selectOrder(db: Queryable, id: string, lock = false): Promise<Order | undefined> {
  const [row] = await db.query<OrderRow>(
    `select ${COLUMNS} from payment_order where id = $1${lock ? ' for update' : ''}`,
    [id],
  );
  return row && toOrder(row);
}

export async function selectOrderOf(db: Queryable, gateway: string, externalId: string): Promise<Order | undefined> {
  const [row] = await db.query<OrderRow>(
    `select ${COLUMNS} from payment_order where gateway = $1 and external_id = $2`,
    [gateway, externalId],
  );
  return row && toOrder(row);
}

export async function selectOrderByReference(
  db: Queryable,
  gateway: string,
  reference: string,
): Promise<Order | undefined> {
  const [row] = await db.query<OrderRow>(
    `select ${COLUMNS} from payment_order where gateway = $1 and reference = $2 order by created_at limit 1`,
    [gateway, reference],
  );
  return row && toOrder(row);
}

export interface OrderFilter {
  accountId?: string | undefined;
  state?: OrderState | undefined;
  gateway?: string | undefined;
  /** Only what staff must look at, as `stuckBefore` says. */
  stuck?: boolean | undefined;
}

/**
 * What should have ended and did not: refunds that wait for staff, at once; and what has not moved since `moment`, an SQL term:
 * paid and not credited, a gateway that cannot be asked, a payment that differs from its order, refunds in between.
 */
export function stuckBefore(moment: string): string {
  return `(refund_state in ('refused', 'unknown')
    or exists (select from payment_refund part where part.order_id = payment_order.id and part.state in ('refused', 'unknown'))
    or updated_at < ${moment} and (state = 'paid' or refund_state = 'sending'
    or state in ('sent', 'returned') and problem is not null or state = 'failed' and problem like 'differs:%'))`;
}

export async function selectOrders(db: Queryable, filter: OrderFilter, start: PageStart): Promise<Page<Order>> {
  const rows = await db.query<OrderRow>(
    `select ${COLUMNS} from payment_order
     where ($1::text is null or account_id = $1) and ($2::text is null or state = $2) and ($3::text is null or gateway = $3)${filter.stuck ? ` and ${stuckBefore(`now() - interval '15 minutes'`)}` : ''}
       and ($4::timestamptz is null or (created_at, id) < ($4, $5))
     order by created_at desc, id desc limit $6`,
    [filter.accountId ?? null, filter.state ?? null, filter.gateway ?? null, start.time, start.id, start.fetch],
  );
  return toPage(rows.map(toOrder), start, ({ createdAt, id }) => ({ time: createdAt, id }));
}

/** Orders of an account that the customer has begun and not ended. */
export async function countOpenOrders(db: Queryable, accountId: string, since: Date): Promise<number> {
  const [row] = await db.query<{ open: bigint }>(
    `select count(*) as open from payment_order
     where account_id = $1 and state in ('created', 'sent', 'returned') and created_at > $2`,
    [accountId, since],
  );
  return Number(row?.open ?? 0);
}
