/**
 * A refund that is not finished, of a whole order or of a part. A whole one is in the order's row, where 0.1.0 has it
 * too; a part is in `payment_refund`. The code that sends it treats both alike.
 */

import type { Database, Queryable } from '../platform/db/index.ts';
import type { Payable } from './amounts.ts';
import { bookOfMoney } from './entries.ts';
import type { Order, RefundState } from './order.ts';
import { moveOrder, movePart, moveWholeRefund } from './order-moves.ts';
import * as whole from './order-refund-rows.ts';
import { selectOrder } from './order-rows.ts';
import * as parts from './refund-part-rows.ts';
import { type Portion, sumOfPortions } from './refund-split.ts';

export interface OpenRefund {
  order: Order;
  part: parts.RefundPart | null;
}

export function nameOf({ order, part }: OpenRefund): string {
  return whole.refundName(order, part?.number ?? order.refunds);
}

/** The book that its money leaves. */
export function sourceOf({ order, part }: OpenRefund): string {
  return part?.source ?? order.refundFrom ?? bookOfMoney(order);
}

export function portionOf({ order, part }: OpenRefund): Portion {
  return part ?? { amount: order.amount, vat: order.vat, units: order.payable.units };
}

export function payableOf({ order, part }: OpenRefund): Payable {
  return part?.payable ?? order.payable;
}

export function progressOf({ order, part }: OpenRefund): { tries: number; beganAt: Date } {
  if (part) return part;
  return { tries: order.refund?.tries ?? 0, beganAt: order.refund?.beganAt ?? order.updatedAt };
}

export async function beginTry(db: Queryable, { order, part }: OpenRefund): Promise<OpenRefund | undefined> {
  if (!part) {
    const begun = await whole.beginWholeTry(db, order);
    return begun && { order: begun, part: null };
  }
  const begun = await parts.beginPartTry(db, part);
  return begun && { order, part: begun };
}

/** Records what became of the money. When the last part was sent, the order is refunded. */
export async function moveRefund(
  db: Database,
  { order, part }: OpenRefund,
  move: whole.RefundMove,
  tx: Queryable,
): Promise<OpenRefund | undefined> {
  if (!part) {
    const moved = await moveWholeRefund(db, order, move, tx);
    return moved && { order: moved, part: null };
  }
  const moved = await movePart(db, order, part, move, tx);
  if (moved?.state === 'sent') await endOrder(db, order, moved, move, tx);
  return moved && { order, part: moved };
}

/**
 * Ends an order whose whole sum was refunded. Its row is locked first, so that of two last parts the later one sees the
 * other.
 */
export async function endOrder(
  db: Database,
  order: Order,
  last: Pick<parts.RefundPart, 'source'>,
  { cause, at }: { cause: string; at: Date },
  tx: Queryable,
): Promise<void> {
  await selectOrder(tx, order.id, true);
  const sent = (await parts.selectParts(tx, order.id)).filter(({ state }) => state === 'sent');
  if (sumOfPortions(sent).amount !== order.amount) return;
  const refund: RefundState = 'sent';
  const move = { to: 'refunded' as const, cause, at, nextCheckAt: null, refund, refundFrom: last.source };
  await moveOrder(db, order.id, { ...move, detail: { refund: 'whole' } }, tx);
}

export async function postponeRefund(
  db: Queryable,
  { order, part }: OpenRefund,
  at: Date,
  told: { code: string; reference: string | undefined },
): Promise<void> {
  await (part ? parts.postponePart(db, part, at, told) : whole.postponeWholeRefund(db, order, at, told));
}
