/** Statements on `payment_refund`: partial refunds of orders, calls that were begun, and what became of the money. */

import { money } from '../core/money.ts';
import { column, command, orNull, type Queryable, type RowOf, statement } from '../platform/db/index.ts';
import type { Payable } from './amounts.ts';
import type { Order, RefundState } from './order.ts';
import type { RefundMove } from './order-refund-rows.ts';
import type { Portion } from './refund-split.ts';

/** `undone`: the money was not sent, and the credit was given back. */
type PartState = RefundState | 'undone';

export interface RefundPart extends Portion {
  orderId: string;
  number: number;
  payable: Payable;
  /** The book that the money leaves. */
  source: string;
  state: PartState;
  tries: number;
  code: string | null;
  reference: string | null;
  reason: string;
  beganAt: Date;
}

const partRow = {
  order_id: column.text,
  number: column.int,
  amount: column.text,
  vat: column.text,
  units: column.text,
  unit: column.text,
  source: column.text,
  state: column.textOf<PartState>(),
  tries: column.int,
  code: orNull(column.text),
  reference: orNull(column.text),
  reason: column.text,
  began_at: column.timestamp,
};
type PartRow = RowOf<typeof partRow>;

const COLUMNS = `order_id, number, amount::text as amount, vat::text as vat, units::text as units, unit, source, state, tries, code,
  reference, reason, began_at`;

function toPart(row: PartRow): RefundPart {
  return {
    orderId: row.order_id,
    number: row.number,
    amount: money(BigInt(row.amount)),
    vat: money(BigInt(row.vat)),
    units: BigInt(row.units),
    payable: { units: BigInt(row.units), unit: row.unit },
    source: row.source,
    state: row.state,
    tries: row.tries,
    code: row.code,
    reference: row.reference,
    reason: row.reason,
    beganAt: row.began_at,
  };
}

const PARTS_OF_ORDER = statement(partRow, `select ${COLUMNS} from payment_refund where order_id = $1 order by number`);

/** In the order in which they began. */
export async function selectParts(db: Queryable, orderId: string): Promise<RefundPart[]> {
  const rows = await PARTS_OF_ORDER.rows(db, [orderId]);
  return rows.map(toPart);
}

/** The parts whose credit has been taken. */
export async function selectTakenParts(db: Queryable, orderId: string): Promise<RefundPart[]> {
  return (await selectParts(db, orderId)).filter(({ state }) => state !== 'undone');
}

interface NewPart extends Portion {
  number: number;
  source: string;
  state: RefundState;
  reason: string;
}

const INSERT_PART = statement(
  { number: column.int },
  `with numbered as (
     update payment_order set refund_number = $2, updated_at = $11 where id = $1 and refund_number = $2 - 1 returning id, state
   ), event as (
     insert into payment_event (order_id, at, from_state, to_state, cause, detail)
     select id, $11, state, state, $10, jsonb_build_object('refund', $8::text, 'part', $2::int, 'amount', $3::text, 'reason', $9::text)
     from numbered
   )
   insert into payment_refund (order_id, number, amount, vat, units, unit, source, state, reason, created_by, began_at, updated_at,
     next_check_at)
   select id, $2, $3::numeric, $4, $5, $6, $7, $8, $9, $10, $11, $11, case when $8 = 'sending' then $11::timestamptz end
   from numbered returning number`,
);

/**
 * The caller has locked the order's row; `insertPart` requires that its number is unchanged. Returns false when another
 * refund was faster.
 */
export async function insertPart(
  tx: Queryable,
  order: Order,
  part: NewPart,
  actor: string,
  at: Date,
): Promise<boolean> {
  const made = await INSERT_PART.first(tx, [
    order.id,
    part.number,
    String(part.amount),
    String(part.vat),
    String(part.units),
    order.payable.unit,
    part.source,
    part.state,
    part.reason,
    actor,
    at,
  ]);
  return made !== undefined;
}

const TAKE_PART_TURN = statement(
  partRow,
  `update payment_refund set checking_until = $4, next_check_at = $4
   where order_id = $1 and number = $2 and state = 'sending' and (checking_until is null or checking_until <= $3)
   returning ${COLUMNS}`,
);

/**
 * Takes the turn to ask the gateway about one part; undefined while another replica has it, or when nothing is left to
 * ask.
 */
export async function takePartTurn(
  db: Queryable,
  orderId: string,
  number: number,
  now: Date,
  until: Date,
): Promise<RefundPart | undefined> {
  const row = await TAKE_PART_TURN.first(db, [orderId, number, now, until]);
  return row && toPart(row);
}

const TAKE_PART_TURNS_DUE = statement(
  partRow,
  `update payment_refund set checking_until = $2, next_check_at = $2
   where (order_id, number) in (
     select order_id, number from payment_refund
     where next_check_at <= $1 and state = 'sending' and (checking_until is null or checking_until <= $1)
     order by next_check_at limit $3 for update skip locked
   ) returning ${COLUMNS}`,
);

export async function takePartTurnsDue(db: Queryable, now: Date, until: Date, most: number): Promise<RefundPart[]> {
  const rows = await TAKE_PART_TURNS_DUE.rows(db, [now, until, most]);
  return rows.map(toPart);
}

const BEGIN_PART_TRY = statement(
  partRow,
  `update payment_refund set tries = tries + 1
   where order_id = $1 and number = $2 and state = 'sending' and tries = $3 returning ${COLUMNS}`,
);

/** The counterpart of `beginWholeTry` for a part. */
export async function beginPartTry(db: Queryable, part: RefundPart): Promise<RefundPart | undefined> {
  const row = await BEGIN_PART_TRY.first(db, [part.orderId, part.number, part.tries]);
  return row && toPart(row);
}

export interface PartMove extends Omit<RefundMove, 'to'> {
  to: PartState;
}

const MOVE_PART = statement(
  partRow,
  `with moved as (
     update payment_refund set state = $3, code = $4, reference = coalesce($5, reference), updated_at = $6, next_check_at = null,
       checking_until = null
     where order_id = $1 and number = $2 and state = any($7::text[]) returning *
   ), event as (
     insert into payment_event (order_id, at, from_state, to_state, cause, detail)
     select order_id, $6, $9, $9, $8,
       jsonb_build_object('refund', state, 'part', number, 'amount', amount::text, 'code', code, 'reference', reference)
     from moved
   )
   select ${COLUMNS} from moved`,
);

/** The counterpart of `writeWholeRefund` for a part. */
export async function writePart(
  tx: Queryable,
  order: Order,
  part: RefundPart,
  move: PartMove,
): Promise<RefundPart | undefined> {
  const row = await MOVE_PART.first(tx, [
    part.orderId,
    part.number,
    move.to,
    move.code ?? null,
    move.reference ?? null,
    move.at,
    move.from,
    move.cause,
    order.state,
  ]);
  return row && toPart(row);
}

const POSTPONE_PART =
  command(`update payment_refund set next_check_at = $3, checking_until = null, code = $4, reference = coalesce($5, reference)
     where order_id = $1 and number = $2 and state = 'sending'`);

export async function postponePart(
  db: Queryable,
  { orderId, number }: RefundPart,
  at: Date,
  told: { code: string; reference: string | undefined },
): Promise<void> {
  await POSTPONE_PART.run(db, [orderId, number, at, told.code, told.reference ?? null]);
}
