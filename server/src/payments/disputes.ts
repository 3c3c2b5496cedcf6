/**
 * Chargebacks: a card holder takes a payment back through the bank. Unlike a refund, a chargeback also takes credit
 * that was spent, since the money is already gone, and the account can be paused until somebody has looked at it. The
 * tax waits in a book of its own until the dispute is decided.
 */

import type { AccountService } from '../accounts/index.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { type Money, money, ZERO } from '../core/money.ts';
import type { Books } from '../ledger/index.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import type { Log } from '../platform/log.ts';
import { bookOfMoney, type Disputed, disputeEntry, disputeWonEntry, tomanOfUnits } from './entries.ts';
import type { Dispute, PaymentGateway } from './gateway.ts';
import type { Order } from './order.ts';
import { DISPUTED_LINES, LOST_BEFORE, noteDispute, TRANSFER_THERE } from './order-refund-rows.ts';
import * as rows from './order-rows.ts';
import type { Papers } from './papers.ts';
import { selectTakenParts } from './refund-part-rows.ts';
import { sumOfPortions } from './refund-split.ts';

export interface DisputesOptions {
  db: Database;
  clock: Clock;
  log: Log;
  ledger: Pick<Books, 'book'>;
  papers: Pick<Papers, 'disputeLost'>;
  accounts: Pick<AccountService, 'update'>;
  pauseOnChargeback(): Promise<boolean>;
  /** Called when a card holder took a payment back, and again whenever the gateway repeats its message. */
  onChargeback(order: Order, disputeId: string): Promise<void>;
}

/** A gateway reported a dispute: asks the gateway about it, then takes the credit back, or returns it when we won. */
export async function takeDisputed(
  options: DisputesOptions,
  gateway: PaymentGateway,
  disputeId: string,
): Promise<void> {
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

/** Takes the disputed credit. When we won it is given back; when it is lost, its tax is no longer owed. */
async function moveCredit(options: DisputesOptions, order: Order, dispute: Dispute): Promise<void> {
  const { db, ledger, clock } = options;
  const disputed = (await takenBefore(db, dispute)) ?? (await takenBack(db, order, dispute));
  const noted = (outcome: string) => async (tx: Queryable) => {
    const present = await rows.selectOrder(tx, order.id, true);
    if (present?.state === 'refunded') throw new RefundedBefore();
    await noteDispute(tx, present ?? order, { id: dispute.id, outcome }, new Date(clock.now()));
  };
  await ledger.book(disputeEntry(order, disputed), noted('taken'));
  if (dispute.outcome === 'won') {
    // The part of its fee that the gateway returned: what it took before, less what it takes now.
    const back = money(disputed.fee - tomanOfUnits(order, dispute.fee));
    await ledger.book(disputeWonEntry(order, { ...disputed, fee: back }), noted('won'));
  }
  if (dispute.outcome === 'lost') await endLost(options, order, disputed);
}

/** Runs once per dispute: the order's row is locked, and its events show whether it has run. */
async function endLost({ db, clock, papers }: DisputesOptions, order: Order, disputed: Disputed): Promise<void> {
  await db.transaction(async (tx) => {
    const present = (await rows.selectOrder(tx, order.id, true)) ?? order;
    const ended = await LOST_BEFORE.first(tx, [order.id, disputed.id]);
    if (ended) return;
    await noteDispute(tx, present, { id: disputed.id, outcome: 'lost' }, new Date(clock.now()));
    const { amount, vat } = disputed.vat > 0n ? disputed : shareOf(order, disputed);
    const held = await TRANSFER_THERE.first(tx, [`chargeback-vat:${disputed.id}`]);
    // For a dispute that 0.1.0 booked, no tax waits in a book: the gateway has taken it.
    await papers.disputeLost(tx, present, { amount, vat, units: 0n }, held ? 'disputes' : bookOfMoney(order));
  });
}

/** The tax on the amount that 0.1.0 took back. */
function shareOf({ amount, vat }: Order, disputed: Disputed): Pick<Disputed, 'amount' | 'vat'> {
  return { amount: disputed.amount, vat: money((vat * disputed.amount) / amount) };
}

/** Thrown when a refund has already taken the credit of a disputed order, so that it is not taken twice. */
class RefundedBefore extends Error {}

/**
 * Notes a dispute of a refunded order. It takes nothing, because the refund has taken the credit; while the card holder has the
 * money, the refund must not be undone. False when the order is not refunded.
 */
async function noteRefunded({ db, clock }: DisputesOptions, order: Order, dispute: Dispute): Promise<boolean> {
  return db.transaction(async (tx) => {
    const present = await rows.selectOrder(tx, order.id, true);
    if (present?.state !== 'refunded') return false;
    const outcome = dispute.outcome === 'won' ? 'won' : 'refunded-before';
    await noteDispute(tx, present, { id: dispute.id, outcome }, new Date(clock.now()));
    return true;
  });
}

async function pauseAccount({ accounts, log }: DisputesOptions, accountId: string): Promise<void> {
  try {
    await accounts.update(accountId, { rules: { paused: true } }, 'chargeback');
  } catch (error) {
    // An account of the configuration file is paused there.
    if (!(error instanceof GatewayError)) throw error;
    log.error({ account: accountId }, 'an account with a chargeback could not be paused; pause it by hand');
  }
}

/** What this dispute has taken so far. Its amount may change at the gateway, but what is returned is what was taken. */
async function takenBefore(db: Queryable, { id }: Dispute): Promise<Disputed | undefined> {
  const lines = await DISPUTED_LINES.rows(db, [
    ['chargeback', 'chargeback-vat', 'chargeback-fee'].map((name) => `${name}:${id}`),
  ]);
  const of = (name: string) => money(BigInt(lines.find((line) => line.id === `${name}:${id}`)?.amount ?? 0));
  const amount = of('chargeback');
  return amount > 0n ? { id, amount, vat: of('chargeback-vat'), fee: of('chargeback-fee') } : undefined;
}

/** The disputed share of what has not gone back yet: never more than that, and all of it where the units differ. */
async function takenBack(db: Queryable, order: Order, dispute: Dispute): Promise<Disputed> {
  const gone = sumOfPortions(await selectTakenParts(db, order.id));
  const { units, unit } = dispute.payable;
  const isWhole = unit !== order.payable.unit || units >= order.payable.units;
  const share = (value: Money, back: Money) => {
    const asked = isWhole ? value : (value * units) / order.payable.units;
    const left = money(value - back);
    if (asked > left) return left;
    return money(asked);
  };
  const fee = unit === order.payable.unit ? tomanOfUnits(order, dispute.fee) : ZERO;
  return { id: dispute.id, amount: share(order.amount, gone.amount), vat: share(order.vat, gone.vat), fee };
}
