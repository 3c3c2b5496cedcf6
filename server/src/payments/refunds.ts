/**
 * Credit that goes back: refunds by staff, and chargebacks that a card holder forces. A refund never takes what was paymentReasons.creditSpent; a
 * chargeback does, since the money is gone already, and the account can be paused until somebody looked.
 */

import type { AccountService } from '../accounts/index.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { RandomBytes } from '../core/ids.ts';
import { type Money, money, toTomanText } from '../core/money.ts';
import type { Books } from '../ledger/index.ts';
import { createChangeRecorder } from '../platform/admin-trail.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import type { Log } from '../platform/log.ts';
import { GatewayRefused, GatewayUnreachable, type PaymentGateway } from './gateway.ts';
import type { GatewayDirectory } from './gateway-directory.ts';
import type { Order } from './order-rows.ts';
import * as rows from './order-rows.ts';
import { paymentReasons } from './reasons.ts';

export interface Refunds {
  refund(orderId: string, reason: string, byHand: boolean, actor: string): Promise<Order>;
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
  accounts: Pick<AccountService, 'update'>;
  /** What the wallet can give now: its balance less what running requests hold. */
  availableOf(accountId: string): Promise<Money>;
  pauseOnChargeback(): Promise<boolean>;
  onRefunded(tx: Queryable, order: Order): Promise<void>;
}

export function createRefunds(options: RefundsOptions): Refunds {
  const { db, clock, ledger, gateways, log } = options;
  const recorded = createChangeRecorder(options, 'wallet');

  async function takeBack(order: Order, cause: string, reason: string): Promise<void> {
    const { id, accountId, amount } = order;
    await ledger.transfer(
      { id: `refund:${id}`, kind: 'payback', accountId, amount: money(-amount), note: reason },
      async (tx) => {
        const at = new Date(clock.now());
        const moved = await rows.moveOrder(tx, id, {
          to: 'refunded',
          cause,
          at,
          nextCheckAt: null,
          detail: { reason },
        });
        if (!moved) throw new GatewayError('conflict', { reason: paymentReasons.notCredited });
        await options.onRefunded(tx, moved);
        await recorded(tx, cause, 'payment.refund', accountId, { order: id, amount: toTomanText(amount), reason });
      },
    );
  }

  /** Asked before the money moves at the gateway; the transaction below asks the books again. */
  async function requireCovered({ accountId, amount }: Order): Promise<void> {
    const available = await options.availableOf(accountId);
    if (available < amount)
      throw new GatewayError('conflict', {
        reason: paymentReasons.creditSpent(toTomanText(money(amount - available))),
      });
  }

  async function senderOf({ gateway }: Order): Promise<Sender> {
    const found = await gateways.evenIfOff(gateway);
    if (!found?.refund) throw new GatewayError('conflict', { reason: paymentReasons.onlyByHand });
    return found.refund;
  }

  return {
    async refund(orderId, reason, byHand, actor) {
      const order = await rows.selectOrder(db, orderId);
      if (order?.state !== 'credited') throw new GatewayError('conflict', { reason: paymentReasons.notCredited });
      await requireCovered(order);
      // The credit goes first: money that was sent back while its credit was being paymentReasons.creditSpent would be lost.
      const sender = byHand ? undefined : await senderOf(order);
      await takeBack(order, actor, reason);
      if (sender) await sendBack(order, sender, log);
      return (await rows.selectOrder(db, orderId)) ?? order;
    },
    async dispute(gateway, disputeId) {
      const dispute = await gateway.dispute?.(disputeId);
      const order = dispute && (await rows.selectOrderByReference(db, gateway.id, dispute.reference));
      if (!dispute || !order) {
        log.warn({ gateway: gateway.id }, 'a dispute names no payment of ours');
        return;
      }
      const { accountId } = order;
      if (dispute.outcome === 'inquiry' || order.state === 'refunded') {
        const { id, state } = order;
        log.warn(
          { order: id, account: accountId, state },
          'a dispute takes nothing: a question only, or refunded before',
        );
        return;
      }
      const amount = takenBack(order, dispute.payable.units);
      const note = `${gateway.id} dispute ${dispute.id}`;
      await ledger.transfer({
        id: `chargeback:${dispute.id}`,
        kind: 'chargeback',
        accountId,
        amount: money(-amount),
        note,
      });
      if (dispute.outcome === 'won') {
        const id = `chargeback-won:${dispute.id}`;
        await ledger.transfer({ id, kind: 'chargeback', accountId, amount, note });
        return;
      }
      log.error({ order: order.id, account: accountId }, 'a card holder took a payment back');
      if (await options.pauseOnChargeback()) await pauseAccount(options, accountId);
    },
  };
}

type Sender = NonNullable<PaymentGateway['refund']>;

async function sendBack({ id: orderId, externalId, reference, payable }: Order, send: Sender, log: Log): Promise<void> {
  try {
    const names = { externalId: externalId ?? '', reference: reference ?? '', refundId: `refund:${orderId}` };
    await send({ orderId, payable, ...names });
  } catch (error) {
    if (!(error instanceof GatewayRefused || error instanceof GatewayUnreachable)) throw error;
    log.error({ order: orderId, code: error.code }, 'a refund was booked but its money not sent; send it by hand');
    throw new GatewayError('upstream_error', { reason: paymentReasons.refundNotSent(error.code), cause: error });
  }
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

/** The disputed share of the order; never more than the order itself. */
function takenBack({ amount, payable }: Order, units: bigint): Money {
  return units >= payable.units ? amount : money((amount * units) / payable.units);
}
