/**
 * What customers say about a bank transfer that they made, and the decision of staff that it did not arrive. A receipt
 * credits nothing: the order stays where it is until staff have seen the money. It is accepted only while its order
 * waits, and one number pays for one order.
 */

import { HOME_OFFSET_MS } from '@dargah/core/home-zone.ts';
import { DAY_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { expected } from '../core/expected.ts';
import { reasons } from '../core/reasons.ts';
import { noSuch } from '../keys/index.ts';
import { type Database, lockUntilCommit, type Queryable } from '../platform/db/index.ts';
import { isIban } from './bank-accounts.ts';
import type { Order } from './order.ts';
import { moveOrder, tellOrder } from './order-moves.ts';
import * as rows from './order-rows.ts';
import { paymentReasons } from './reasons.ts';
import type { TransferReceipt } from './transfer-receipt-rows.ts';
import {
  isTransferNumberUsed,
  NOTE_RECEIPT,
  PROLONG_ORDER,
  selectReceipts,
  WRITE_RECEIPT,
} from './transfer-receipt-rows.ts';
import { plainNumber } from './written-number.ts';

export interface GivenReceipt {
  number: string;
  paidOn: string;
  paidFrom: string | null;
}

export interface TransferReceipts {
  /** Sending the same again changes nothing; another receipt corrects it, a few times, while the order waits. */
  send(orderId: string, accountId: string, given: GivenReceipt, actor: string): Promise<Order>;
  ofOrders(orderIds: readonly string[]): Promise<ReadonlyMap<string, TransferReceipt>>;
  /** Rejects a transfer that staff did not find; the customer reads the reason. */
  reject(orderId: string, reason: string, actor: string): Promise<Order>;
}

const GATEWAY = 'bank-transfer';
export const REJECTED = 'rejected:';
/** People may pay before they make the order, but a payment older than this belongs to something else. */
const OLDEST_DAYS = 90;
/** An order does not expire for this long while staff look at it. */
const REVIEW_MS = 30 * DAY_MS;

interface TransferReceiptsOptions {
  db: Database;
  clock: Clock;
  /** Called inside the transaction that stores a receipt or a correction of it. */
  onReceipt(tx: Queryable, order: Order, receipt: GivenReceipt): Promise<void>;
}

export function createTransferReceipts({ db, clock, onReceipt }: TransferReceiptsOptions): TransferReceipts {
  return {
    async send(orderId, accountId, given, actor) {
      const receipt = checked(given, clock.now());
      return db.transaction(async (tx) => {
        // Receipts of an account wait for each other, so that two orders cannot both find a number unused.
        await lockUntilCommit(tx, `transfer receipts of ${accountId}`);
        const order = await waiting(tx, orderId, accountId);
        const known = (await selectReceipts(tx, [orderId])).get(orderId);
        if (known && isSame(known, receipt)) return order;
        if (await isTransferNumberUsed(tx, order, receipt.number))
          throw new GatewayError('conflict', { param: 'number', reason: paymentReasons.transferUsed });
        await write(tx, order, receipt, actor, new Date(clock.now()));
        await tellOrder(db, order, tx);
        await onReceipt(tx, order, receipt);
        return (await rows.selectOrder(tx, orderId)) ?? order;
      });
    },
    ofOrders: (orderIds) => selectReceipts(db, orderIds),
    async reject(orderId, reason, actor) {
      const order = (await rows.selectOrder(db, orderId)) ?? noSuch('order', orderId);
      if (order.gateway !== GATEWAY)
        throw new GatewayError('conflict', { reason: paymentReasons.onlyTransfersRejected });
      const at = new Date(clock.now());
      const move = { to: 'failed' as const, cause: actor, at, problem: `${REJECTED}${reason}`, nextCheckAt: null };
      const moved = await moveOrder(db, orderId, move);
      if (!moved) throw new GatewayError('conflict', { reason: paymentReasons.alreadyEnded(order.state) });
      return moved;
    },
  };
}

/** The order, locked so that it is not confirmed, rejected or ended in between. */
async function waiting(tx: Queryable, orderId: string, accountId: string): Promise<Order> {
  const order = await rows.selectOrder(tx, orderId, true);
  if (!order || order.accountId !== accountId) return noSuch('order', orderId);
  if (order.gateway !== GATEWAY) throw new GatewayError('conflict', { reason: paymentReasons.noReceiptTaken });
  if (order.state !== 'sent') throw new GatewayError('conflict', { reason: paymentReasons.alreadyEnded(order.state) });
  return order;
}

async function write(tx: Queryable, order: Order, receipt: GivenReceipt, actor: string, at: Date): Promise<void> {
  const written = await WRITE_RECEIPT.rows(tx, [
    order.id,
    order.accountId,
    receipt.number,
    receipt.paidOn,
    receipt.paidFrom,
    actor,
    at,
  ]);
  if (written.length === 0) throw new GatewayError('conflict', { reason: paymentReasons.receiptTooOften });
  await NOTE_RECEIPT.run(tx, [
    order.id,
    at,
    order.state,
    `receipt:${actor}`,
    { number: receipt.number, paid_on: receipt.paidOn },
  ]);
  await PROLONG_ORDER.run(tx, [order.id, new Date(at.getTime() + REVIEW_MS), at]);
}

function isSame(known: TransferReceipt, sent: GivenReceipt): boolean {
  return known.number === sent.number && known.paidOn === sent.paidOn && known.paidFrom === sent.paidFrom;
}

function checked({ number, paidOn, paidFrom }: GivenReceipt, nowMs: number): GivenReceipt {
  const plain = plainNumber(number);
  if (plain === null) throw invalidRequest('number', reasons.required('number'));
  if (!/^[\p{L}\p{N}/_.]{4,40}$/u.test(plain)) throw invalidRequest('number', paymentReasons.wrongTransferNumber);
  const today = new Date(nowMs + HOME_OFFSET_MS).toISOString().slice(0, 10);
  const oldest = new Date(nowMs - OLDEST_DAYS * DAY_MS).toISOString().slice(0, 10);
  if (!isDay(paidOn) || paidOn > today || paidOn < oldest)
    throw invalidRequest('paid_on', reasons.mustBe('paid_on', expected.between(oldest, today)));
  return { number: plain, paidOn, paidFrom: payerOf(paidFrom) };
}

function isDay(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

/** For a card only the digits that a bank's statement shows are kept. */
function payerOf(written: string | null): string | null {
  const plain = plainNumber(written)?.toUpperCase() ?? null;
  if (plain === null || isIban(plain)) return plain;
  if (/^\d{16}$/.test(plain) && isCard(plain)) return `${plain.slice(0, 6)}******${plain.slice(12)}`;
  throw invalidRequest('paid_from', paymentReasons.wrongPayer);
}

/** The Luhn check: every second digit is doubled, and the sum of all digits ends in zero. */
function isCard(digits: string): boolean {
  let sum = 0;
  for (const [at, digit] of [...digits].entries()) {
    const value = Number(digit) * (at % 2 === 0 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}
