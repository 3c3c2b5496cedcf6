/**
 * Money that arrived in a bank account of ours and for which staff have the receipt. It is an order by bank transfer
 * that is made, confirmed and credited in one transaction, with its invoice and tax. The receipt's number is used once:
 * entering it again changes nothing.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { type Money, money, ZERO } from '../core/money.ts';
import { reasons } from '../core/reasons.ts';
import { type Database, isUniqueViolation } from '../platform/db/index.ts';
import { inToman, isWholeToman, taxOn } from './amounts.ts';
import type { EntryPaper } from './entries.ts';
import type { Order } from './order.ts';
import { insertOrder, moveOrder } from './order-moves.ts';
import * as rows from './order-rows.ts';
import type { Alongside } from './orders.ts';
import { paymentReasons } from './reasons.ts';
import type { OrderSettlement } from './settle.ts';
import { plainNumber } from './written-number.ts';

interface Receipt {
  accountId: string;
  /** What the wallet gets; the tax was paid on top of it. */
  amount: Money;
  /** The bank's number of the transfer. */
  number: string;
  /** The account of ours that received it; absent: the first. */
  bank?: string | undefined;
}

export interface Receipts {
  /** `alongside` is called only for a new receipt, inside its transaction, with the order. */
  take(
    receipt: Receipt,
    paper: EntryPaper,
    alongside: (tx: Parameters<Alongside>[0], order: Order) => Promise<void>,
  ): Promise<{ order: Order; isNew: boolean }>;
}

interface ReceiptsOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  settlement: Pick<OrderSettlement, 'creditIn'>;
  vatBasisPoints(): Promise<number>;
  bankOf(id: string | undefined): Promise<string>;
}

const GATEWAY = 'bank-transfer';

export function createReceipts(options: ReceiptsOptions): Receipts {
  const { db, clock, settlement } = options;
  return {
    async take(receipt, paper, alongside) {
      const reference = plainNumber(receipt.number);
      if (reference === null) throw invalidRequest('number', reasons.required('number'));
      if (receipt.amount <= 0n || !isWholeToman(receipt.amount))
        throw invalidRequest('amount', paymentReasons.wholeTomanOnly);
      const known = () => rows.selectOrderByReference(db, GATEWAY, reference);
      const before = await known();
      if (before) return { order: requireSame(before, receipt), isNew: false };
      const bank = await options.bankOf(receipt.bank);
      const order = draft(options, receipt, taxOn(receipt.amount, await options.vatBasisPoints()), paper.createdBy);
      try {
        const credited = await db.transaction(async (tx) => {
          await insertOrder(db, order, `receipt:${paper.createdBy}`, tx);
          const move = { to: 'paid' as const, cause: paper.createdBy, at: new Date(clock.now()), nextCheckAt: null };
          const paid = await moveOrder(db, order.id, { ...move, reference, bank }, tx);
          if (!paid) throw new Error(`order ${order.id} is not in a state to be paid`);
          const done = await settlement.creditIn(tx, paid, paper);
          await alongside(tx, done);
          return done;
        });
        return { order: credited, isNew: true };
      } catch (error) {
        // Somebody entered the same receipt at the same moment.
        const other = isUniqueViolation(error) ? await known() : undefined;
        if (!other) throw error;
        return { order: requireSame(other, receipt), isNew: false };
      }
    },
  };
}

function requireSame(order: Order, { accountId, amount, bank }: Receipt): Order {
  const isDone = order.state === 'credited' || order.state === 'refunded';
  const isSame =
    order.accountId === accountId && order.amount === amount && (bank === undefined || order.bank === bank);
  if (!isDone || !isSame) throw new GatewayError('conflict', { param: 'number', reason: paymentReasons.transferUsed });
  return order;
}

function draft({ clock, randomBytes }: ReceiptsOptions, receipt: Receipt, vat: Money, createdBy: string): Order {
  const now = new Date(clock.now());
  const { accountId, amount } = receipt;
  return {
    id: makeId('ord', now.getTime(), randomBytes),
    accountId,
    gateway: GATEWAY,
    amount,
    vat,
    payable: inToman(money(amount + vat)),
    state: 'created',
    externalId: null,
    redirectUrl: null,
    reference: null,
    card: null,
    problem: null,
    createdBy,
    language: 'fa',
    checks: 0,
    expiresAt: now,
    createdAt: now,
    updatedAt: now,
    refunds: 0,
    refund: null,
    bank: null,
    fee: null,
    refundFrom: null,
    takenInParts: ZERO,
    partWaits: false,
  };
}
