/**
 * Credit that goes back: refunds by staff, and chargebacks that a card holder forces. A refund never takes what was spent; a
 * chargeback does, since the money is gone already, and the account can be paused until somebody looked.
 *
 * A refund takes the credit and notes in the order that its money is to be sent, in one transaction; from there send-refund.ts
 * goes on, also after a crash.
 */

import type { AccountService } from '../accounts/index.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { RandomBytes } from '../core/ids.ts';
import { type Money, money, toTomanText } from '../core/money.ts';
import type { Text } from '../core/text.ts';
import type { Books } from '../ledger/index.ts';
import { createChangeRecorder } from '../platform/audit-log.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import type { Log } from '../platform/log.ts';
import type { Dispute, PaymentGateway } from './gateway.ts';
import type { GatewayDirectory } from './gateway-directory.ts';
import type { Order, RefundState } from './order.ts';
import { isDisputed, moveRefund, noteDispute, refundName } from './order-refunds.ts';
import * as rows from './order-rows.ts';
import { paymentReasons } from './reasons.ts';
import type { OrderSettlement } from './settle.ts';

export interface Refunds {
  refund(orderId: string, reason: string, byHand: boolean, actor: string): Promise<Order>;
  /** Staff found out what became of a refund that was refused or is unknown. Money that was not sent is credit again. */
  settle(orderId: string, sent: boolean, note: string, actor: string): Promise<Order>;
  /** A gateway told of a dispute: asks it, and takes the credit back, or gives it back when we won. */
  dispute(gateway: PaymentGateway, disputeId: string): Promise<void>;
}

export interface RefundsOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  log: Log;
  ledger: Pick<Books, 'transfer'>;
  gateways: GatewayDirectory;
  settlement: Pick<OrderSettlement, 'check'>;
  accounts: Pick<AccountService, 'update'>;
  /** What the wallet can give now: its balance less what running requests hold. */
  availableOf(accountId: string): Promise<Money>;
  pauseOnChargeback(): Promise<boolean>;
  /** A card holder took the payment back; told again when the gateway tells it again. */
  onChargeback(order: Order, disputeId: string): Promise<void>;
  onRefunded(tx: Queryable, order: Order): Promise<void>;
}

const FOR_STAFF: readonly RefundState[] = ['refused', 'unknown'];

export function createRefunds(options: RefundsOptions): Refunds {
  const { db, gateways } = options;

  /** Asked before anything moves; the transaction that takes the credit asks the books again. */
  async function requireCovered({ accountId, amount }: Order): Promise<void> {
    const available = await options.availableOf(accountId);
    if (available < amount) throw conflict(paymentReasons.creditSpent(toTomanText(money(amount - available))));
  }

  return {
    async refund(orderId, reason, byHand, actor) {
      const order = await rows.selectOrder(db, orderId);
      if (order?.state !== 'credited') throw conflict(paymentReasons.notCredited);
      const gateway = await gateways.evenIfOff(order.gateway);
      if (gateway?.bringsMoney === false) throw conflict(paymentReasons.noMoneyCame);
      if (!byHand && !gateway?.refund) throw conflict(paymentReasons.onlyByHand);
      await requireCovered(order);
      // The credit goes first: money that was sent back while its credit was being spent would be lost.
      await takeBack(options, order, { reason, actor, state: byHand ? 'sent' : 'sending' });
      if (!byHand) await options.settlement.check(orderId, actor);
      return (await rows.selectOrder(db, orderId)) ?? order;
    },
    async settle(orderId, sent, note, actor) {
      const order = await rows.selectOrder(db, orderId);
      if (!order?.refund || !FOR_STAFF.includes(order.refund.state)) throw conflict(paymentReasons.nothingToSettle);
      await (sent ? markSent : giveBack)(options, order, note, actor);
      return (await rows.selectOrder(db, orderId)) ?? order;
    },
    dispute: (gateway, disputeId) => takeDisputed(options, gateway, disputeId),
  };
}

async function takeBack(
  options: RefundsOptions,
  order: Order,
  { reason, actor, state }: { reason: string; actor: string; state: RefundState },
): Promise<void> {
  const { db, ledger, clock } = options;
  const { id, accountId, amount } = order;
  const name = `refund:${refundName(order, order.refunds + 1)}`;
  let mine = false;
  const entry = { id: name, kind: 'payback' as const, accountId, amount: money(-amount), note: reason };
  await ledger.transfer(entry, async (tx) => {
    mine = true;
    const at = new Date(clock.now());
    const move = { to: 'refunded' as const, cause: actor, at, refund: state, detail: { reason } };
    const moved = await rows.moveOrder(db, id, { ...move, nextCheckAt: state === 'sending' ? at : null }, tx);
    if (!moved) throw conflict(paymentReasons.notCredited);
    // Checked while the order's row is locked: a dispute that arrives now waits for the lock and finds the order refunded.
    if (await isDisputed(tx, id)) throw conflict(paymentReasons.disputed);
    if (state === 'sent') await options.onRefunded(tx, moved);
    const detail = { order: id, transfer: name, amount: toTomanText(amount), reason, by_hand: state === 'sent' };
    await createChangeRecorder(options, 'wallet')(tx, actor, 'payment.refund', accountId, detail);
  });
  // Another refund was made at the same moment.
  if (!mine) throw conflict(paymentReasons.notCredited);
}

async function markSent(options: RefundsOptions, order: Order, note: string, actor: string): Promise<void> {
  const { db } = options;
  const at = new Date(options.clock.now());
  await db.transaction(async (tx) => {
    const move = { from: FOR_STAFF, to: 'sent' as const, cause: actor, at, reference: note };
    const moved = await moveRefund(db, order, move, tx);
    if (!moved) throw conflict(paymentReasons.nothingToSettle);
    await options.onRefunded(tx, moved);
    await recordSettled(options, tx, { order, sent: true, note, actor });
  });
}

async function giveBack(options: RefundsOptions, order: Order, note: string, actor: string): Promise<void> {
  const { id, accountId, amount } = order;
  const name = `refund-undone:${refundName(order, order.refunds)}`;
  let mine = false;
  await options.ledger.transfer({ id: name, kind: 'payback', accountId, amount, note }, async (tx) => {
    mine = true;
    const at = new Date(options.clock.now());
    const detail = { refund: 'undone', note };
    const move = { to: 'credited' as const, cause: actor, at, nextCheckAt: null, detail };
    const moved = await rows.moveOrder(options.db, id, move, tx);
    if (!moved) throw conflict(paymentReasons.nothingToSettle);
    // Checked while the row is locked, as above: otherwise the card holder could have both the money and the credit.
    if (await isDisputed(tx, id)) throw conflict(paymentReasons.creditDisputed);
    await recordSettled(options, tx, { order, sent: false, note, actor, transfer: name });
  });
  if (!mine) throw conflict(paymentReasons.nothingToSettle);
}

async function recordSettled(
  options: RefundsOptions,
  tx: Queryable,
  settled: { order: Order; sent: boolean; note: string; actor: string; transfer?: string },
): Promise<void> {
  const { order, sent, note, actor, transfer } = settled;
  const moved = transfer === undefined ? {} : { transfer };
  const detail = { order: order.id, ...moved, amount: toTomanText(order.amount), sent, note };
  await createChangeRecorder(options, 'wallet')(tx, actor, 'payment.refund_settle', order.accountId, detail);
}

async function takeDisputed(options: RefundsOptions, gateway: PaymentGateway, disputeId: string): Promise<void> {
  const { db, log } = options;
  const dispute = await gateway.dispute?.(disputeId);
  const order = dispute && (await rows.selectOrderByReference(db, gateway.id, dispute.reference));
  if (!dispute || !order) {
    log.warn({ gateway: gateway.id }, 'a dispute names no payment of ours');
    return;
  }
  const facts = { order: order.id, account: order.accountId };
  if (dispute.outcome === 'inquiry') {
    log.warn(facts, 'a dispute takes nothing: it is a question only');
    return;
  }
  if (!(await noteRefunded(options, order, dispute)))
    await moveCredit(options, order, dispute).catch(async (error: unknown) => {
      // A refund began in between. If it is undone at once, the gateway's repeated message will find the order again.
      if (!(error instanceof RefundedBefore) || !(await noteRefunded(options, order, dispute))) throw error;
    });
  if (dispute.outcome === 'won') return;
  log.error(facts, 'a card holder took a payment back');
  await options.onChargeback(order, dispute.id);
  if (await options.pauseOnChargeback()) await pauseAccount(options, order.accountId);
}

/** Takes the disputed credit, and gives it back when we won. */
async function moveCredit({ db, ledger, clock }: RefundsOptions, order: Order, dispute: Dispute): Promise<void> {
  const amount = (await takenBefore(db, dispute)) ?? takenBack(order, dispute);
  const note = `${order.gateway} dispute ${dispute.id}`;
  const entry = { kind: 'chargeback' as const, accountId: order.accountId, note };
  const noted = (outcome: string) => async (tx: Queryable) => {
    const present = await rows.selectOrder(tx, order.id, true);
    if (present?.state === 'refunded') throw new RefundedBefore();
    await noteDispute(tx, present ?? order, { id: dispute.id, outcome }, new Date(clock.now()));
  };
  await ledger.transfer({ id: `chargeback:${dispute.id}`, amount: money(-amount), ...entry }, noted('taken'));
  if (dispute.outcome === 'won')
    await ledger.transfer({ id: `chargeback-won:${dispute.id}`, amount, ...entry }, noted('won'));
}

/** Thrown when a refund has already taken the credit of a disputed order, so that it is not taken twice. */
class RefundedBefore extends Error {}

/**
 * Notes a dispute of a refunded order. It takes nothing, because the refund has taken the credit; while the card holder has the
 * money, the refund must not be undone. False when the order is not refunded.
 */
async function noteRefunded({ db, clock }: RefundsOptions, order: Order, dispute: Dispute): Promise<boolean> {
  return db.transaction(async (tx) => {
    const present = await rows.selectOrder(tx, order.id, true);
    if (present?.state !== 'refunded') return false;
    const outcome = dispute.outcome === 'won' ? 'won' : 'refunded-before';
    await noteDispute(tx, present, { id: dispute.id, outcome }, new Date(clock.now()));
    return true;
  });
}

function conflict(reason: Text): GatewayError {
  return new GatewayError('conflict', { reason });
}

async function pauseAccount({ accounts, log }: RefundsOptions, accountId: string): Promise<void> {
  try {
    await accounts.update(accountId, { rules: { paused: true } }, 'chargeback');
  } catch (error) {
    // An account of the configuration file is paused there.
    if (!(error instanceof GatewayError)) throw error;
    log.error({ account: accountId }, 'an account with a chargeback could not be paused; pause it by hand');
  }
}

/** What this dispute has taken before. Its amount may change at the gateway, but what is given back is what was taken. */
async function takenBefore(db: Queryable, { id }: Dispute): Promise<Money | undefined> {
  const [row] = await db.query<{ amount: string }>('select amount::text as amount from ledger_transfer where id = $1', [
    `chargeback:${id}`,
  ]);
  return row && money(BigInt(row.amount));
}

/** The disputed share of the order; never more than the order itself, and all of it where the units differ. */
function takenBack({ amount, payable }: Order, { payable: { units, unit } }: Dispute): Money {
  if (unit !== payable.unit || units >= payable.units) return amount;
  return money((amount * units) / payable.units);
}
