/**
 * Statements that read `payment_order`, its events and its lines in the books. Those that move an order are in
 * order-move-rows.ts.
 */

import type { JsonObject } from '../core/json.ts';
import { type Money, money } from '../core/money.ts';
import {
  column,
  columnsOf,
  command,
  orNull,
  type Queryable,
  type RowOf,
  readAs,
  statement,
} from '../platform/db/index.ts';
import { type Page, type PageStart, toPage } from '../platform/db/pages.ts';
import type { Payable } from './amounts.ts';
import type { Order, OrderRefund, RefundState } from './order.ts';
import type { OrderState } from './order-states.ts';

export const orderRow = {
  id: column.text,
  account_id: column.text,
  gateway: column.text,
  amount: readAs('amount::text', column.text),
  vat: readAs('vat::text', column.text),
  units: readAs('units::text', column.text),
  unit: column.text,
  rate: readAs('rate::text', orNull(column.text)),
  state: column.textOf<OrderState>(),
  external_id: orNull(column.text),
  redirect_url: orNull(column.text),
  reference: orNull(column.text),
  card: orNull(column.text),
  problem: orNull(column.text),
  created_by: column.text,
  language: column.text,
  checks: column.int,
  expires_at: column.timestamp,
  created_at: column.timestamp,
  updated_at: column.timestamp,
  refund_number: column.int,
  refund_state: orNull(column.textOf<RefundState>()),
  refund_tries: column.int,
  refund_code: orNull(column.text),
  refund_reference: orNull(column.text),
  refund_began_at: orNull(column.timestamp),
  bank: orNull(column.text),
  fee: readAs('fee::text', orNull(column.text)),
  refund_from: orNull(column.text),
  taken_in_parts: readAs(
    `(select coalesce(sum(part.amount), 0)::text from payment_refund part where part.order_id = id and part.state <> 'undone')`,
    column.text,
  ),
  part_waits: readAs(
    `exists (select from payment_refund part where part.order_id = id and part.state in ('refused', 'unknown'))`,
    column.boolean,
  ),
};

export type OrderRow = RowOf<typeof orderRow>;

export const ORDER_COLUMNS = columnsOf(orderRow);

export function toOrder(row: OrderRow): Order {
  return {
    id: row.id,
    accountId: row.account_id,
    gateway: row.gateway,
    amount: money(BigInt(row.amount)),
    vat: money(BigInt(row.vat)),
    payable: payableOf(row),
    state: row.state,
    externalId: row.external_id,
    redirectUrl: row.redirect_url,
    reference: row.reference,
    card: row.card,
    problem: row.problem,
    createdBy: row.created_by,
    language: row.language === 'en' ? 'en' : 'fa',
    checks: row.checks,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    refunds: row.refund_number,
    refund: refundOf(row),
    bank: row.bank,
    fee: row.fee === null ? null : money(BigInt(row.fee)),
    refundFrom: row.refund_from,
    takenInParts: money(BigInt(row.taken_in_parts)),
    partWaits: row.part_waits,
  };
}

function payableOf({ units, unit, rate }: OrderRow): Payable {
  return { units: BigInt(units), unit, ...(rate === null ? {} : { rate: money(BigInt(rate)) }) };
}

function refundOf(row: OrderRow): OrderRefund | null {
  const { refund_state: state, refund_began_at: beganAt, refund_tries: tries, refund_code: code } = row;
  if (state === null || beganAt === null) return null;
  return { state, tries, code, reference: row.refund_reference, beganAt };
}

const orderEventRow = {
  at: column.timestamp,
  from: orNull(column.textOf<OrderState>()),
  to: column.textOf<OrderState>(),
  cause: column.text,
  detail: column.jsonOf<JsonObject>(),
};
export type OrderEvent = RowOf<typeof orderEventRow>;

const EVENTS_OF_ORDER = statement(
  orderEventRow,
  `select at, from_state as "from", to_state as "to", cause, detail from payment_event where order_id = $1 order by seq`,
);

export async function selectEvents(db: Queryable, orderId: string): Promise<OrderEvent[]> {
  return EVENTS_OF_ORDER.rows(db, [orderId]);
}

export interface OrderEntry {
  id: string;
  kind: string;
  debit: string;
  credit: string;
  amount: Money;
  at: Date;
}

const ENTRIES_OF_ORDER = statement(
  {
    id: column.text,
    kind: column.text,
    debit: column.text,
    credit: column.text,
    amount: column.text,
    at: column.timestamp,
  },
  `select id, kind, debit, credit, amount::text as amount, created_at as at from ledger_transfer
   where split_part(id, ':', 2) = $1 and kind not in ('charge', 'provider-cost') order by created_at, id limit 100`,
);

/** The ids of an order's transfers contain the order's id: `topup:<order>`, `topup:<order>:vat`, `refund:<order>:1`. */
export async function selectEntries(db: Queryable, orderId: string): Promise<OrderEntry[]> {
  const found = await ENTRIES_OF_ORDER.rows(db, [orderId]);
  return found.map((row) => ({ ...row, amount: money(BigInt(row.amount)) }));
}

const ORDER = statement(orderRow, `select ${ORDER_COLUMNS} from payment_order where id = $1`);
const LOCKED_ORDER = statement(orderRow, `${ORDER.text} for update`);

export async function selectOrder(db: Queryable, id: string, lock = false): Promise<Order | undefined> {
  const row = await (lock ? LOCKED_ORDER : ORDER).first(db, [id]);
  return row && toOrder(row);
}

const ORDER_OF_PAYMENT = statement(
  orderRow,
  `select ${ORDER_COLUMNS} from payment_order where gateway = $1 and external_id = $2`,
);

export async function selectOrderOf(db: Queryable, gateway: string, externalId: string): Promise<Order | undefined> {
  const row = await ORDER_OF_PAYMENT.first(db, [gateway, externalId]);
  return row && toOrder(row);
}

const ORDER_OF_REFERENCE = statement(
  orderRow,
  `select ${ORDER_COLUMNS} from payment_order where gateway = $1 and reference = $2 order by created_at limit 1`,
);

export async function selectOrderByReference(
  db: Queryable,
  gateway: string,
  reference: string,
): Promise<Order | undefined> {
  const row = await ORDER_OF_REFERENCE.first(db, [gateway, reference]);
  return row && toOrder(row);
}

export interface OrderFilter {
  accountId?: string | undefined;
  state?: OrderState | undefined;
  gateway?: string | undefined;
  /** Only orders that staff must look at, as `stuckBefore` defines them. */
  stuck?: boolean | undefined;
}

/**
 * Orders that should have ended and did not. Refunds that wait for staff count at once. These count when they have not
 * moved since `moment`, an SQL term: paid and not credited, a gateway that cannot be asked, a payment that differs from
 * its order, refunds in between.
 */
export function stuckBefore(moment: string): string {
  return `(refund_state in ('refused', 'unknown')
    or exists (select from payment_refund part where part.order_id = payment_order.id and part.state in ('refused', 'unknown'))
    or updated_at < ${moment} and (state = 'paid' or refund_state = 'sending'
    or state in ('sent', 'returned') and problem is not null or state = 'failed' and problem like 'differs:%'))`;
}

const ordersWhere = (condition: string) => `select ${ORDER_COLUMNS} from payment_order
   where ($1::text is null or account_id = $1) and ($2::text is null or state = $2) and ($3::text is null or gateway = $3)${condition}
     and ($4::timestamptz is null or (created_at, id) < ($4, $5))
   order by created_at desc, id desc limit $6`;
const ORDERS = statement(orderRow, ordersWhere(''));
const STUCK_ORDERS = statement(orderRow, ordersWhere(` and ${stuckBefore(`now() - interval '15 minutes'`)}`));

export async function selectOrders(db: Queryable, filter: OrderFilter, start: PageStart): Promise<Page<Order>> {
  const values = [
    filter.accountId ?? null,
    filter.state ?? null,
    filter.gateway ?? null,
    start.time,
    start.id,
    start.fetch,
  ];
  const rows = await (filter.stuck ? STUCK_ORDERS : ORDERS).rows(db, values);
  return toPage(rows.map(toOrder), start, ({ createdAt, id }) => ({ time: createdAt, id }));
}

const OPEN_ORDERS = statement(
  { open: column.bigint },
  `select count(*) as open from payment_order
   where account_id = $1 and state in ('created', 'sent', 'returned') and created_at > $2`,
);

/** Orders of an account that the customer has begun and not finished. */
export async function countOpenOrders(db: Queryable, accountId: string, since: Date): Promise<number> {
  const row = await OPEN_ORDERS.first(db, [accountId, since]);
  return Number(row?.open ?? 0);
}

export const KNOWN_MESSAGE = statement({}, 'select from payment_webhook where gateway = $1 and event_id = $2');

export const KEEP_MESSAGE = command(
  'insert into payment_webhook (gateway, event_id, received_at) values ($1, $2, $3) on conflict do nothing',
);

const MAX_FOUND = 100;
export const ORDERS_NAMED = statement(
  { id: column.text },
  `select id from payment_order where id = $1
   union (select id from payment_order where external_id like $2 order by external_id using ~<~ limit ${MAX_FOUND})
   union (select id from payment_order where reference like $2 order by reference using ~<~ limit ${MAX_FOUND})`,
);
