/**
 * Brings an order to its end: asks its gateway, writes down what was learned, credits what was paid, and sends back what was
 * refunded. Any number of processes may do this at once and any of them may die in the middle; each step is one transaction that
 * starts from the state it finds.
 */
import type { Books } from '../ledger/index.ts';
import type { Queryable } from '../platform/db/index.ts';
import { nextCheck, whileUnreachable } from './check-times.ts';
import type { PaymentGateway, PaymentVerdict } from './gateway.ts';
import type { Order } from './order.ts';
import * as checks from './order-checks.ts';
import * as rows from './order-rows.ts';
import { mayStillBePaid, type OrderState } from './order-states.ts';
import { type SendRefundOptions, sendRefund } from './send-refund.ts';

export interface SettleOptions extends SendRefundOptions {
  ledger: Pick<Books, 'transfer'>;
  /** Also gateways that are switched off by now: what was paid there is still owed. */
  gatewayOf(id: string): Promise<PaymentGateway | undefined>;
  /** Written in the transaction that credits: the invoice. */
  onCredited(tx: Queryable, order: Order): Promise<void>;
}

/** Longer than a gateway may take to answer. */
const LEASE_MS = 60_000;

export class OrderSettlement {
  readonly #options: SettleOptions;

  constructor(options: SettleOptions) {
    this.#options = options;
  }

  /** Asks about one order now, unless somebody does already; then it is asked about again right after. */
  async check(id: string, cause: string): Promise<void> {
    const { db } = this.#options;
    const now = this.#now();
    const order = await checks.takeTurn(db, id, now, this.#leaseEnd());
    if (order) await this.#settle(order, cause);
    else await checks.wakeOrder(db, id, now);
  }

  /** Asks about everything that is due; returns how many. */
  async checkDue(max: number): Promise<number> {
    const orders = await checks.takeTurnsDue(this.#options.db, this.#now(), this.#leaseEnd(), max);
    for (const order of orders) {
      await this.#settle(order, 'reconciler').catch((error: unknown) => {
        this.#options.log.error(
          { order: order.id, err: error },
          'an order could not be settled; it is asked about again',
        );
      });
    }
    return orders.length;
  }

  /** Staff saw the money of a bank transfer. */
  async confirm(order: Order, cause: string, reference: string): Promise<Order | undefined> {
    const paid = await this.#move(order, { to: 'paid', cause, reference });
    if (paid) await this.#credit(paid, cause);
    return paid;
  }

  /** Credits a paid order. The transfer, the order's state and the invoice are one transaction. */
  async #credit(order: Order, cause: string): Promise<void> {
    const { db, ledger, onCredited } = this.#options;
    const gateway = await this.#options.gatewayOf(order.gateway);
    const kind = gateway?.bringsMoney === false ? 'adjustment' : 'top-up';
    const { id, accountId, amount } = order;
    await ledger.transfer({ id: `topup:${id}`, kind, accountId, amount, note: noteOf(order) }, async (tx) => {
      const move = { to: 'credited' as const, cause, at: this.#now(), nextCheckAt: null };
      const credited = await rows.moveOrder(db, id, move, tx);
      if (!credited) throw new Error(`order ${id} is not in a state to be credited`);
      await onCredited(tx, credited);
    });
  }

  async #settle(order: Order, cause: string): Promise<void> {
    if (order.state === 'paid') return this.#credit(order, cause);
    if (order.refund?.state === 'sending') return sendRefund(this.#options, order, cause);
    if (!mayStillBePaid(order.state)) return checks.releaseOrder(this.#options.db, order.id, null);
    const verdict = await this.#ask(order);
    if (verdict.kind === 'paid') {
      const { reference, card } = verdict;
      const paid = await this.#move(order, { to: 'paid', cause, reference, card });
      // Undefined: another process was faster, and credits it.
      return paid ? this.#credit(paid, cause) : this.#release(order);
    }
    await this.#applyUnpaid(order, verdict, cause);
  }

  async #ask(order: Order): Promise<PaymentVerdict> {
    const { externalId, id: orderId, payable } = order;
    if (externalId === null) return { kind: 'unpaid', code: 'never-sent', final: true };
    const gateway = await this.#options.gatewayOf(order.gateway);
    if (!gateway) return { kind: 'unreachable', code: 'not-configured' };
    return gateway.verify({ orderId, externalId, payable });
  }

  async #applyUnpaid(order: Order, verdict: Exclude<PaymentVerdict, { kind: 'paid' }>, cause: string): Promise<void> {
    const { log, clock } = this.#options;
    if (verdict.kind === 'unreachable') {
      const wait = whileUnreachable(order.checks, this.#age(order));
      log.warn(
        { order: order.id, gateway: order.gateway, code: verdict.code },
        'a gateway could not tell of a payment',
      );
      return this.#release(order, wait, `unreachable:${verdict.code}`);
    }
    if (verdict.kind === 'mismatch') {
      log.error({ order: order.id, gateway: order.gateway }, 'a payment differs from its order; nothing is credited');
      return this.#end(order, 'failed', cause, `differs:${verdict.code}`);
    }
    const expired = clock.now() >= order.expiresAt.getTime();
    if (verdict.kind === 'unpaid' && (verdict.final || order.state === 'returned'))
      return this.#end(order, 'failed', cause, `unpaid:${verdict.code}`);
    if (expired) return this.#end(order, 'expired', cause, 'expired');
    return this.#release(order);
  }

  async #end(order: Order, to: OrderState, cause: string, problem: string): Promise<void> {
    const moved = await this.#move(order, { to, cause, problem });
    if (!moved) await this.#release(order);
  }

  #move(order: Order, move: Omit<rows.Move, 'at' | 'nextCheckAt'>): Promise<Order | undefined> {
    // A paid order is credited at once; when this process dies before that, its turn ends and the reconciler does it.
    const wait = move.to === 'paid' ? 0 : nextCheck(move.to, this.#age(order));
    return rows.moveOrder(this.#options.db, order.id, { ...move, at: this.#now(), nextCheckAt: this.#in(wait) });
  }

  /** Nothing was learned that changes it, but for whether its gateway can tell. */
  async #release(order: Order, wait = nextCheck(order.state, this.#age(order)), problem?: string): Promise<void> {
    const { db } = this.#options;
    await checks.releaseOrder(db, order.id, this.#in(wait), problem);
    if (order.problem !== (problem ?? null)) await rows.tellOrder(db, order);
  }

  #age({ createdAt }: Order): number {
    return this.#options.clock.now() - createdAt.getTime();
  }

  #now(): Date {
    return new Date(this.#options.clock.now());
  }

  #in(ms: number | null): Date | null {
    return ms === null ? null : new Date(this.#options.clock.now() + ms);
  }

  #leaseEnd(): Date {
    return new Date(this.#options.clock.now() + LEASE_MS);
  }
}

function noteOf({ gateway, reference }: Order): string {
  return reference === null || reference === '' ? gateway : `${gateway} ${reference}`;
}
