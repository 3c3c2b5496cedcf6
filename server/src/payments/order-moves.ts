/** Makes and moves orders: writes the rows and notifies open pages. */
import { tellChange } from '../platform/changes.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import type { Order } from './order.ts';
import { type Move, writeMove, writeOrder } from './order-move-rows.ts';
import { type RefundMove, writeWholeRefund } from './order-refund-rows.ts';
import { type PartMove, type RefundPart, writePart } from './refund-part-rows.ts';

/** Tells open pages of the account, and those of staff, that the order has changed. */
export function tellOrder(db: Database, { accountId, id }: Order, tx: Queryable = db): Promise<void> {
  return tellChange(db, tx, accountId, { what: 'orders', id });
}

export async function insertOrder(db: Database, order: Order, cause: string, tx: Queryable = db): Promise<void> {
  await writeOrder(tx, order, cause);
  await tellOrder(db, order, tx);
}

/** `writeMove`, followed by the notification. */
export async function moveOrder(db: Database, id: string, move: Move, tx: Queryable = db): Promise<Order | undefined> {
  const order = await writeMove(tx, id, move);
  if (order) await tellOrder(db, order, tx);
  return order;
}

/** `writeWholeRefund`, followed by the notification. */
export async function moveWholeRefund(
  db: Database,
  order: Order,
  move: RefundMove,
  tx: Queryable,
): Promise<Order | undefined> {
  const moved = await writeWholeRefund(tx, order, move);
  if (moved) await tellOrder(db, order, tx);
  return moved;
}

/** `writePart`, followed by the notification. */
export async function movePart(
  db: Database,
  order: Order,
  part: RefundPart,
  move: PartMove,
  tx: Queryable,
): Promise<RefundPart | undefined> {
  const moved = await writePart(tx, order, part, move);
  if (moved) await tellOrder(db, order, tx);
  return moved;
}
