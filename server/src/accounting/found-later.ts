/**
 * Money that a bank statement brought without an order, and whose receipt is entered afterwards. The receipt would
 * count it at the bank a second time, so the entry of money without an order is reversed, and the line of the statement
 * is matched with the receipt.
 */

import { GatewayError } from '../core/errors.ts';
import { type Money, money } from '../core/money.ts';
import type { Books } from '../ledger/index.ts';
import type { Queryable } from '../platform/db/index.ts';
import { foundLater } from './events.ts';
import { GIVE_LINE_TO_ORDER, HELD_BY_LINE, HELD_FOR_ORDER, UNMATCHED_LOCKED } from './settlement-line-rows.ts';
import { settlementReasons } from './settlement-reasons.ts';

interface OpenPaper {
  id: string;
  bank: string;
  amount: Money;
}

type Ledger = Pick<Books, 'bookIn'>;

/**
 * Called in the transaction that accepts a receipt or confirms a transfer. Only the bank's own number together with the
 * whole sum is certain enough.
 */
export async function takeFoundMoney(ledger: Ledger, tx: Queryable, orderId: string, actor: string): Promise<void> {
  const paper = await HELD_FOR_ORDER.first(tx, [orderId]);
  if (paper) await turnRound(ledger, tx, { ...paper, amount: money(BigInt(paper.amount)) }, orderId, actor);
}

/** A person states that this line of a booked statement, which was money without an order, is that receipt. */
export async function decideFoundLine(
  ledger: Ledger,
  tx: Queryable,
  line: { settlement: string; number: number; bank: string },
  settles: string,
  actor: string,
): Promise<void> {
  const found = await HELD_BY_LINE.first(tx, [line.settlement, line.number, settles, line.bank]);
  if (!found) throw new GatewayError('conflict', { param: 'settles', reason: settlementReasons.notYours });
  const paper = { id: found.id, bank: line.bank, amount: money(BigInt(found.amount)) };
  await turnRound(ledger, tx, paper, found.order_id, actor);
}

async function turnRound(ledger: Ledger, tx: Queryable, paper: OpenPaper, orderId: string, actor: string) {
  const { id, bank, amount } = paper;
  const book = await UNMATCHED_LOCKED.first(tx);
  // The money has already left that book: somebody gave it to an account, and the receipt would give it a second time.
  if (
    BigInt(book?.posted ?? 0) < amount ||
    !(await ledger.bookIn(tx, foundLater(id, { bank, amount, createdBy: actor })))
  )
    throw new GatewayError('conflict', { param: 'number', reason: settlementReasons.foundBefore });
  await GIVE_LINE_TO_ORDER.run(tx, [id, orderId]);
}
