/**
 * Brings an order to its end: asks its gateway, records what was learned, credits what was paid, and sends back what
 * was refunded. Any number of processes may do this at once and any of them may die in the middle; each step is one
 * transaction that starts from the state it finds.
 */

import type { Books } from '../ledger/index.ts';
import type { Queryable } from '../platform/db/index.ts';
import { nextCheck, whileUnreachable } from './check-times.ts';
import { type EntryPaper, tomanOfUnits, topUpEntry } from './entries.ts';
import type { PaymentGateway, PaymentVerdict } from './gateway.ts';
import type { Order } from './order.ts';
import * as checks from './order-check-rows.ts';
import type { Move } from './order-move-rows.ts';
import { moveOrder, tellOrder } from './order-moves.ts';
import * as rows from './order-rows.ts';
import { mayStillBePaid, type OrderState } from './order-states.ts';
import * as parts from './refund-part-rows.ts';
import { type SendRefundOptions, sendRefund } from './send-refund.ts';

export interface SettleOptions extends SendRefundOptions {
  ledger: Pick<Books, 'book' | 'bookIn'>;
  /** Also finds gateways that are switched off by now, because what was paid there must still be credited. */
  gatewayOf(id: string): Promise<PaymentGateway | undefined>;
  /** Called in the transaction that credits; it issues the invoice. */
  onCredited(tx: Queryable, order: Order): Promise<void>;
}

/** Longer than a gateway may take to answer. */
const LEASE_MS = 60_000;

export class OrderSettlement {
  readonly #options: SettleOptions;

  constructor(options: SettleOptions) {
    this.#options = options;
  }

  /** Checks one order now, unless another process is checking it; then it is checked once more right after. */
  async check(id: string, cause: string): Promise<void> {
    const { db } = this.#options;
    const now = this.#now();
    const order = await checks.takeTurn(db, id, now, this.#leaseEnd());
    if (order) await this.#settle(order, cause);
    else await checks.wakeOrder(db, id, now);
  }

  /** Checks everything that is due; returns how many orders that were. */
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
    return orders.length + (await this.#sendPartsDue(max));
  }

  /** Sends one partial refund now, unless another process is sending it. */
  async checkPart(orderId: string, number: number, cause: string): Promise<void> {
    const { db } = this.#options;
    const part = await parts.takePartTurn(db, orderId, number, this.#now(), this.#leaseEnd());
    const order = part && (await rows.selectOrder(db, orderId));
    if (part && order) await sendRefund(this.#options, { order, part }, cause);
  }

  async #sendPartsDue(max: number): Promise<number> {
    const { db, log } = this.#options;
    const due = await parts.takePartTurnsDue(db, this.#now(), this.#leaseEnd(), max);
    for (const part of due) {
      const order = await rows.selectOrder(db, part.orderId);
      if (!order) continue;
      await sendRefund(this.#options, { order, part }, 'reconciler').catch((error: unknown) => {
        log.error({ order: order.id, err: error }, 'a part of an order could not be sent back; it is tried again');
      });
    }
    return due.length;
  }

  /** Records that staff saw the money of a bank transfer. `alongside` runs with the move to paid, and may refuse it. */
  async confirm(
    order: Order,
    cause: string,
    told: { reference: string; bank: string },
    alongside?: (tx: Queryable) => Promise<void>,
  ): Promise<Order | undefined> {
    const paid = await this.#options.db.transaction(async (tx) => {
      const moved = await this.#move(order, { to: 'paid', cause, ...told }, tx);
      if (moved) await alongside?.(tx);
      return moved;
    });
    if (paid) await this.#credit(paid, cause);
    return paid;
  }

  /** Credits a paid order in the caller's transaction: the entry, the order's state and the invoice. */
  async creditIn(tx: Queryable, order: Order, paper: EntryPaper): Promise<Order> {
    const entry = topUpEntry(order, paper);
    if (!(await this.#options.ledger.bookIn(tx, entry))) throw new Error(`order ${order.id} was credited before`);
    return this.#credited(tx, order, paper.createdBy);
  }

  /** Credits a paid order. The entry, the order's state and the invoice are one transaction. */
  async #credit(order: Order, cause: string): Promise<void> {
    await this.#options.ledger.book(topUpEntry(order, { createdBy: cause }), async (tx) => {
      await this.#credited(tx, order, cause);
    });
  }

  async #credited(tx: Queryable, { id }: Order, cause: string): Promise<Order> {
    const { db, onCredited } = this.#options;
    const credited = await moveOrder(db, id, { to: 'credited', cause, at: this.#now(), nextCheckAt: null }, tx);
    if (!credited) throw new Error(`order ${id} is not in a state to be credited`);
    await onCredited(tx, credited);
    return credited;
  }

  async #settle(order: Order, cause: string): Promise<void> {
    if (order.state === 'paid') return this.#credit(order, cause);
    if (order.refund?.state === 'sending') return sendRefund(this.#options, { order, part: null }, cause);
    if (!mayStillBePaid(order.state)) return checks.releaseOrder(this.#options.db, order.id, null);
    const verdict = await this.#ask(order);
    if (verdict.kind === 'paid') {
      const { reference, card } = verdict;
      const fee = verdict.fee === undefined ? undefined : tomanOfUnits(order, verdict.fee);
      const paid = await this.#move(order, { to: 'paid', cause, reference, card, fee });
      // Undefined means that another process was faster, and credits it.
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

  #move(
    order: Order,
    move: Omit<Move, 'at' | 'nextCheckAt'>,
    tx: Queryable = this.#options.db,
  ): Promise<Order | undefined> {
    // A paid order is credited at once; if this process dies before that, its turn ends and the reconciler credits it.
    const wait = move.to === 'paid' ? 0 : nextCheck(move.to, this.#age(order));
    const times = { at: this.#now(), nextCheckAt: this.#in(wait) };
    return moveOrder(this.#options.db, order.id, { ...move, ...times }, tx);
  }

  /** Nothing about the order has changed; only whether its gateway can answer may have. */
  async #release(order: Order, wait = nextCheck(order.state, this.#age(order)), problem?: string): Promise<void> {
    const { db } = this.#options;
    await checks.releaseOrder(db, order.id, this.#in(wait), problem);
    if (order.problem !== (problem ?? null)) await tellOrder(db, order);
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
