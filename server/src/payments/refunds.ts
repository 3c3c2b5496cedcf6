/**
 * Refunds by staff, of a whole order or of a part. A refund never takes credit that was spent or given away. In one
 * transaction it takes the credit and records in the order that the money must be sent; send-refund.ts continues from
 * there, also after a crash.
 */

import type { Text } from '@dargah/core/text.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { expected } from '../core/expected.ts';
import type { RandomBytes } from '../core/ids.ts';
import { type Money, money, toTomanText } from '../core/money.ts';
import { reasons } from '../core/reasons.ts';
import { type Books, chartInUse, giftLeft } from '../ledger/index.ts';
import { createChangeRecorder } from '../platform/audit-log.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import { isWholeToman } from './amounts.ts';
import { type DisputesOptions, takeDisputed } from './disputes.ts';
import { bookOfMoney, isPlayed, refundEntry, undoneEntry } from './entries.ts';
import type { PaymentGateway } from './gateway.ts';
import type { GatewayDirectory } from './gateway-directory.ts';
import { endOrder, moveRefund, nameOf, type OpenRefund, portionOf, sourceOf } from './open-refund.ts';
import type { Order, RefundState } from './order.ts';
import { moveOrder, movePart } from './order-moves.ts';
import { isDisputed, refundName } from './order-refund-rows.ts';
import * as rows from './order-rows.ts';
import type { Papers } from './papers.ts';
import { paymentReasons } from './reasons.ts';
import * as parts from './refund-part-rows.ts';
import { nextPortion, sumOfPortions } from './refund-split.ts';
import type { OrderSettlement } from './settle.ts';

export interface RefundInput {
  reason: string;
  byHand: boolean;
  /** The credit to take back; without it, everything that is left. Its tax is refunded too. */
  amount?: Money | undefined;
  /** For a refund sent by hand: the id of the bank account that the money left. */
  bank?: string | undefined;
}

export type BesideRefund = (tx: Queryable, taken: { transfer: string; amount: Money }) => Promise<void>;

export interface Refunds {
  /**
   * `alongside` runs in the transaction that takes the credit, with the amount that is taken, and may refuse the
   * refund.
   */
  refund(orderId: string, input: RefundInput, actor: string, alongside?: BesideRefund): Promise<Order>;
  /**
   * Records what staff found out about a refund that was refused or is unknown. Money that was not sent becomes credit
   * again.
   */
  settle(orderId: string, found: RefundFinding, actor: string): Promise<Order>;
  /** The partial refunds of an order, in their order. */
  partsOf(orderId: string): Promise<parts.RefundPart[]>;
  /**
   * Called when a gateway reports a dispute: asks the gateway about it, then takes the credit back, or returns it when
   * we won.
   */
  dispute(gateway: PaymentGateway, disputeId: string): Promise<void>;
}

export interface RefundFinding {
  sent: boolean;
  note: string;
  /** The number of a part; without it the refund that waits. */
  number?: number | undefined;
}

export interface RefundsOptions extends DisputesOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  ledger: Pick<Books, 'book'>;
  gateways: GatewayDirectory;
  settlement: Pick<OrderSettlement, 'check' | 'checkPart'>;
  papers: Papers;
  bankOf(id: string | undefined): Promise<string>;
  /** What can be taken from the wallet now: its balance less what running requests hold. */
  availableOf(accountId: string): Promise<Money>;
}

const FOR_STAFF: readonly RefundState[] = ['refused', 'unknown'];

export function createRefunds(options: RefundsOptions): Refunds {
  const { db, gateways } = options;

  /** Checked before anything moves; the transaction that takes the credit checks the books again. */
  async function requireCovered({ accountId }: Order, amount: Money): Promise<void> {
    const refundable = (await options.availableOf(accountId)) - (await giftLeft(db, accountId));
    if (refundable < amount) throw conflict(paymentReasons.creditSpent(toTomanText(money(amount - refundable))));
  }

  return {
    partsOf: (orderId) => parts.selectParts(db, orderId),
    async refund(orderId, input, actor, alongside) {
      const order = await rows.selectOrder(db, orderId);
      if (order?.state !== 'credited') throw conflict(paymentReasons.notCredited);
      const gateway = await gateways.evenIfOff(order.gateway);
      if (gateway?.bringsMoney === false) throw conflict(paymentReasons.noMoneyCame);
      if (!input.byHand && !gateway?.refund) throw conflict(paymentReasons.onlyByHand);
      const before = sumOfPortions(await parts.selectTakenParts(db, orderId));
      const left = money(order.amount - before.amount);
      const amount = input.amount ?? left;
      if (amount <= 0n || amount > left || !isWholeToman(amount))
        throw invalidRequest('amount', reasons.mustBe('amount', expected.between('1', toTomanText(left))));
      await requireCovered(order, amount);
      const source = input.byHand && !isPlayed(order) ? `bank:${await options.bankOf(input.bank)}` : bookOfMoney(order);
      const state = input.byHand ? ('sent' as const) : ('sending' as const);
      const taking = { ...input, amount, actor, source, state, alongside };
      // The credit is taken first, because money that was refunded while its credit was being spent would be lost.
      if (amount === order.amount) {
        await takeBack(options, order, taking);
        if (!input.byHand) await options.settlement.check(orderId, actor);
      } else {
        const number = await takePart(options, order, taking);
        if (!input.byHand) await options.settlement.checkPart(orderId, number, actor);
      }
      return (await rows.selectOrder(db, orderId)) ?? order;
    },
    async settle(orderId, found, actor) {
      const refund = await openFor(db, orderId, found.number);
      if (!refund) throw conflict(paymentReasons.nothingToSettle);
      await (found.sent ? markSent : giveBack)(options, refund, found.note, actor);
      return (await rows.selectOrder(db, orderId)) ?? refund.order;
    },
    dispute: (gateway, disputeId) => takeDisputed(options, gateway, disputeId),
  };
}

/** The refund of this order that waits for staff. */
async function openFor(db: Queryable, orderId: string, number: number | undefined): Promise<OpenRefund | undefined> {
  const order = await rows.selectOrder(db, orderId);
  if (!order) return undefined;
  if (number === undefined && order.refund && FOR_STAFF.includes(order.refund.state)) return { order, part: null };
  const waiting = (await parts.selectParts(db, orderId)).filter(
    (part) => part.state !== 'undone' && FOR_STAFF.includes(part.state),
  );
  const part = number === undefined ? waiting[0] : waiting.find((one) => one.number === number);
  return part && { order, part };
}

interface Taking {
  reason: string;
  actor: string;
  amount: Money;
  /** The book that the money leaves. */
  source: string;
  state: RefundState;
  alongside: BesideRefund | undefined;
}

async function takeBack(options: RefundsOptions, order: Order, taking: Taking): Promise<void> {
  const { db, ledger, clock } = options;
  const { reason, actor, source, state } = taking;
  const name = refundName(order, order.refunds + 1);
  const entry = refundEntry(order, { name, amount: order.amount, source, createdBy: actor, note: reason });
  const mine = await ledger.book(entry, async (tx) => {
    const at = new Date(clock.now());
    const move = { to: 'refunded' as const, cause: actor, at, refund: state, refundFrom: source, detail: { reason } };
    const moved = await moveOrder(db, order.id, { ...move, nextCheckAt: state === 'sending' ? at : null }, tx);
    // A partial refund that began at the same moment has taken some of it.
    if (!moved || (await parts.selectTakenParts(tx, order.id)).length > 0) throw conflict(paymentReasons.notCredited);
    // Checked while the order's row is locked: a dispute that arrives now waits for the lock and finds the order refunded.
    if (await isDisputed(tx, order.id)) throw conflict(paymentReasons.disputed);
    if (state === 'sent') await options.papers.refunded(tx, { order: moved, part: null }, actor);
    await recordTaken(options, tx, order, { ...taking, transfer: entry.id });
  });
  // Another refund was made at the same moment.
  if (!mine) throw conflict(paymentReasons.notCredited);
}

/** Takes the credit of a part; returns its number. */
async function takePart(options: RefundsOptions, order: Order, taking: Taking): Promise<number> {
  const { ledger, clock } = options;
  const { reason, actor, source, state, amount } = taking;
  const number = order.refunds + 1;
  const name = refundName(order, number);
  const entry = refundEntry(order, { name, amount, source, createdBy: actor, note: reason });
  const mine = await ledger.book(entry, async (tx) => {
    if (!(await chartInUse(tx))) throw conflict(paymentReasons.olderVersionRuns);
    const at = new Date(clock.now());
    const present = await rows.selectOrder(tx, order.id, true);
    if (present?.state !== 'credited') throw conflict(paymentReasons.notCredited);
    if (await isDisputed(tx, order.id)) throw conflict(paymentReasons.disputed);
    // Computed under the lock, because the share of this part follows from all parts before it.
    const portion = nextPortion(order, sumOfPortions(await parts.selectTakenParts(tx, order.id)), amount);
    if (portion.units === 0n) throw conflict(paymentReasons.partTooSmall);
    const part = { ...portion, number, source, state, reason };
    if (!(await parts.insertPart(tx, present, part, actor, at))) throw conflict(paymentReasons.notCredited);
    if (state === 'sent') await sentByHand(options, tx, { order: present, number, actor, at });
    await recordTaken(options, tx, order, { ...taking, transfer: entry.id });
  });
  if (!mine) throw conflict(paymentReasons.notCredited);
  return number;
}

async function sentByHand(
  options: RefundsOptions,
  tx: Queryable,
  { order, number, actor, at }: { order: Order; number: number; actor: string; at: Date },
): Promise<void> {
  const part = (await parts.selectParts(tx, order.id)).find((one) => one.number === number);
  if (!part) return;
  await options.papers.refunded(tx, { order, part }, actor);
  await endOrder(options.db, order, part, { cause: actor, at }, tx);
}

async function recordTaken(
  options: RefundsOptions,
  tx: Queryable,
  { id, accountId }: Order,
  { transfer, amount, reason, state, actor, alongside }: Taking & { transfer: string },
): Promise<void> {
  const detail = { order: id, transfer, amount: toTomanText(amount), reason, by_hand: state === 'sent' };
  await createChangeRecorder(options, 'wallet')(tx, actor, 'payment.refund', accountId, detail);
  await alongside?.(tx, { transfer, amount });
}

async function markSent(options: RefundsOptions, refund: OpenRefund, note: string, actor: string): Promise<void> {
  const { db } = options;
  const at = new Date(options.clock.now());
  await db.transaction(async (tx) => {
    const move = { from: FOR_STAFF, to: 'sent' as const, cause: actor, at, reference: note };
    const moved = await moveRefund(db, refund, move, tx);
    if (!moved) throw conflict(paymentReasons.nothingToSettle);
    await options.papers.refunded(tx, moved, actor);
    await recordSettled(options, tx, { refund, sent: true, note, actor });
  });
}

async function giveBack(options: RefundsOptions, refund: OpenRefund, note: string, actor: string): Promise<void> {
  const { order, part } = refund;
  const { amount } = portionOf(refund);
  const going = { name: nameOf(refund), amount, source: sourceOf(refund), createdBy: actor, note };
  const entry = undoneEntry(order, going);
  const mine = await options.ledger.book(entry, async (tx) => {
    const at = new Date(options.clock.now());
    const moved = part
      ? await movePart(options.db, order, part, { from: FOR_STAFF, to: 'undone', cause: actor, at }, tx)
      : await moveOrder(
          options.db,
          order.id,
          { to: 'credited', cause: actor, at, nextCheckAt: null, detail: { refund: 'undone', note } },
          tx,
        );
    if (!moved) throw conflict(paymentReasons.nothingToSettle);
    // Checked while the row is locked, as above: otherwise the card holder could have both the money and the credit.
    await rows.selectOrder(tx, order.id, true);
    if (await isDisputed(tx, order.id)) throw conflict(paymentReasons.creditDisputed);
    await recordSettled(options, tx, { refund, sent: false, note, actor, transfer: entry.id });
  });
  if (!mine) throw conflict(paymentReasons.nothingToSettle);
}

async function recordSettled(
  options: RefundsOptions,
  tx: Queryable,
  settled: { refund: OpenRefund; sent: boolean; note: string; actor: string; transfer?: string },
): Promise<void> {
  const { refund, sent, note, actor, transfer } = settled;
  const { order } = refund;
  const moved = transfer === undefined ? {} : { transfer };
  const detail = { order: order.id, ...moved, amount: toTomanText(portionOf(refund).amount), sent, note };
  await createChangeRecorder(options, 'wallet')(tx, actor, 'payment.refund_settle', order.accountId, detail);
}

function conflict(reason: Text): GatewayError {
  return new GatewayError('conflict', { reason });
}
