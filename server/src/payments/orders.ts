/** Orders as customers and staff see them: begin one, return from the gateway, look at it. */

import { MINUTE_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { type Money, money, toTomanText, ZERO } from '../core/money.ts';
import { reasons } from '../core/reasons.ts';
import { noSuch, refuseCursor } from '../keys/index.ts';
import { type Database, isUniqueViolation, lockUntilCommit, type Queryable } from '../platform/db/index.ts';
import { type Page, type PageRequest, startOfPage } from '../platform/db/pages.ts';
import type { Log } from '../platform/log.ts';
import { isWholeToman, taxOn } from './amounts.ts';
import { type Begun, type PaymentGateway, PaymentRefused, PaymentUnreachable } from './gateway.ts';
import type { GatewayDirectory } from './gateway-directory.ts';
import type { Order } from './order.ts';
import { insertOrder, moveOrder } from './order-moves.ts';
import * as rows from './order-rows.ts';
import { KEEP_MESSAGE, KNOWN_MESSAGE, type OrderEvent, type OrderFilter } from './order-rows.ts';
import { paymentReasons } from './reasons.ts';
import type { OrderSettlement } from './settle.ts';
import { plainNumber } from './written-number.ts';

export interface NewOrder {
  accountId: string;
  gateway: string;
  /** What the wallet is to receive; tax comes on top. */
  amount: Money;
  createdBy: string;
  language: 'fa' | 'en';
  /** `https://…` of this service as the customer sees it. */
  origin: string;
  mobile?: string | undefined;
}

/** Called in the transaction of the act; it refuses the act by throwing. */
export type Alongside = (tx: Queryable) => Promise<void>;

export interface Orders {
  begin(order: NewOrder): Promise<Order>;
  /** Called when a browser returned from a gateway. Undefined when the return names no order of that gateway. */
  returned(gateway: string, fields: ReadonlyMap<string, string>): Promise<Order | undefined>;
  /** False when the gateway accepts no messages here, or the message is not from it. */
  webhook(gateway: string, body: Buffer, headers: Record<string, string | undefined>): Promise<boolean>;
  get(id: string, accountId?: string): Promise<Order>;
  events(id: string): Promise<OrderEvent[]>;
  /** Its lines in the books, oldest first. */
  entries(id: string): Promise<rows.OrderEntry[]>;
  list(filter: OrderFilter, page: PageRequest): Promise<Page<Order>>;
  /** Asks the gateway again at once. */
  verifyAgain(id: string, actor: string): Promise<Order>;
  /** Confirms that staff saw the money of a bank transfer on our account. */
  confirmTransfer(id: string, reference: string, actor: string, bank?: string, alongside?: Alongside): Promise<Order>;
}

export interface OrdersOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  log: Log;
  gateways: GatewayDirectory;
  settlement: OrderSettlement;
  /** Tax on a top-up in hundredths of a per cent; with 0 there is none. */
  vatBasisPoints(): Promise<number>;
  /** The operator's bank account with this id, or the first one without an id. Throws when it does not exist. */
  bankOf(id: string | undefined): Promise<string>;
  onDispute(gateway: PaymentGateway, disputeId: string): Promise<void>;
}

/** Whoever begins more orders than this without paying is a script. */
const MAX_OPEN = 30;
const OPEN_MS = 60 * MINUTE_MS;

export function createOrders(options: OrdersOptions): Orders {
  const { db, clock, gateways, settlement, log } = options;

  const get = async (id: string, accountId?: string) => {
    const order = await rows.selectOrder(db, id);
    if (!order || (accountId !== undefined && order.accountId !== accountId)) return noSuch('order', id);
    return order;
  };

  return {
    get,
    events: (id) => rows.selectEvents(db, id),
    entries: (id) => rows.selectEntries(db, id),
    async list(filter, page) {
      return rows.selectOrders(db, filter, startOfPage(page) ?? refuseCursor());
    },
    begin: (input) => begin(options, input),
    async returned(gatewayId, fields) {
      const gateway = await gateways.evenIfOff(gatewayId);
      const externalId = gateway?.readReturn(fields);
      const order = externalId === undefined ? undefined : await rows.selectOrderOf(db, gatewayId, externalId);
      if (!order) {
        log.warn({ gateway: gatewayId }, 'a return from a gateway names no order of it');
        return undefined;
      }
      const at = new Date(clock.now());
      const move = { to: 'returned' as const, cause: 'return', at, nextCheckAt: at };
      if (order.state === 'sent') await moveOrder(db, order.id, move);
      await settlement.check(order.id, 'return');
      return get(order.id);
    },
    async webhook(gatewayId, body, headers) {
      const gateway = await gateways.evenIfOff(gatewayId);
      const news = gateway?.readWebhook?.(body, headers);
      if (!gateway || !news) {
        log.warn({ gateway: gatewayId }, 'a message without a valid signature was refused');
        return false;
      }
      const message = [gatewayId, news.eventId];
      const known = await KNOWN_MESSAGE.first(db, message);
      if (known) {
        // Answered with success, otherwise the gateway would repeat it for days. It was handled when it first came.
        log.warn({ gateway: gatewayId, event: news.eventId }, 'a message that was taken before is not acted on again');
        return true;
      }
      if (news.about === 'dispute') await options.onDispute(gateway, news.disputeId);
      if (news.about === 'payment') {
        const order = await rows.selectOrderOf(db, gatewayId, news.externalId);
        if (order) await settlement.check(order.id, 'webhook');
      }
      await KEEP_MESSAGE.run(db, [...message, new Date(clock.now())]);
      return true;
    },
    async verifyAgain(id, actor) {
      const order = await get(id);
      await settlement.check(order.id, actor);
      return get(id);
    },
    async confirmTransfer(id, reference, actor, bank, alongside) {
      const order = await get(id);
      if (order.gateway !== 'bank-transfer')
        throw new GatewayError('conflict', { reason: paymentReasons.onlyTransfers });
      const number = plainNumber(reference);
      if (number === null) throw invalidRequest('reference', reasons.required('reference'));
      const confirmation = { reference: number, bank: await options.bankOf(bank) };
      const moved = await settlement.confirm(order, actor, confirmation, alongside).catch((error: unknown) => {
        // The same transfer number was used for another order; spelling does not matter. Any other unique violation is
        // a different error.
        if (isUniqueViolation(error, 'payment_order_of_transfer'))
          throw new GatewayError('conflict', { reason: paymentReasons.transferUsed });
        throw error;
      });
      if (!moved) throw new GatewayError('conflict', { reason: paymentReasons.alreadyEnded(order.state) });
      return get(id);
    },
  };
}

async function begin(options: OrdersOptions, input: NewOrder): Promise<Order> {
  const { db, clock, gateways, log } = options;
  const gateway = await gateways.find(input.gateway, input.origin);
  if (!gateway?.offered) throw invalidRequest('gateway', paymentReasons.gatewayUnavailable(input.gateway));
  const order = await draft(options, input, gateway);
  await db.transaction(async (tx) => {
    // Orders of an account wait for each other: of many that begin at once, each counts the ones before it.
    await lockUntilCommit(tx, `open orders of ${order.accountId}`);
    const open = await rows.countOpenOrders(tx, order.accountId, new Date(clock.now() - OPEN_MS));
    if (open >= MAX_OPEN) throw new GatewayError('rate_limited', { retryAfterMs: 10 * MINUTE_MS });
    await insertOrder(db, order, `begin:${input.createdBy}`, tx);
  });
  try {
    const begun = await gateway.begin({
      orderId: order.id,
      payable: order.payable,
      returnUrl: `${input.origin}/pay/${gateway.id}/return`,
      resultUrl: `${input.origin}/pay/orders/${order.id}`,
      description: descriptionOf(order),
      language: order.language,
      ...(input.mobile === undefined ? {} : { mobile: input.mobile }),
    });
    return await sent(options, order, begun);
  } catch (error) {
    if (!(error instanceof PaymentRefused || error instanceof PaymentUnreachable)) throw error;
    log.warn({ order: order.id, gateway: gateway.id, code: error.code }, 'a gateway did not begin a payment');
    const at = new Date(clock.now());
    const move = { to: 'failed' as const, cause: 'begin', at, problem: `begin:${error.code}`, nextCheckAt: null };
    await moveOrder(db, order.id, move);
    throw new GatewayError('upstream_error', { reason: paymentReasons.notBegun(error.code), cause: error });
  }
}

async function draft(options: OrdersOptions, input: NewOrder, gateway: PaymentGateway): Promise<Order> {
  const { clock } = options;
  const { amount, accountId, createdBy, language } = input;
  checkAmount(amount, gateway);
  const vat = taxOn(amount, await options.vatBasisPoints());
  const nowMs = clock.now();
  return {
    id: makeId('ord', nowMs, options.randomBytes),
    accountId,
    gateway: gateway.id,
    amount,
    vat,
    payable: gateway.payable(money(amount + vat)),
    state: 'created',
    externalId: null,
    redirectUrl: null,
    reference: null,
    card: null,
    problem: null,
    createdBy,
    language,
    checks: 0,
    expiresAt: new Date(nowMs + gateway.timeoutMs),
    createdAt: new Date(nowMs),
    updatedAt: new Date(nowMs),
    refunds: 0,
    refund: null,
    bank: null,
    fee: null,
    refundFrom: null,
    takenInParts: ZERO,
    partWaits: false,
  };
}

async function sent({ db, clock }: OrdersOptions, order: Order, begun: Begun): Promise<Order> {
  const at = new Date(clock.now());
  const nextCheckAt = new Date(clock.now() + 2 * MINUTE_MS);
  const { externalId, redirectUrl } = begun;
  const moved = await moveOrder(db, order.id, {
    to: 'sent',
    cause: 'begin',
    at,
    externalId,
    redirectUrl,
    nextCheckAt,
  }).catch((error: unknown) => {
    // Two orders would share one payment, so the second is refused.
    if (isUniqueViolation(error)) throw new PaymentRefused(order.gateway, 'repeated-id');
    throw error;
  });
  return moved ?? order;
}

function checkAmount(amount: Money, { minimum, maximum }: PaymentGateway): void {
  if (!isWholeToman(amount) || amount < minimum || amount > maximum) {
    const bounds = (locale: string) => [minimum, maximum].map((one) => BigInt(toTomanText(one)).toLocaleString(locale));
    throw invalidRequest('amount', paymentReasons.amountOutOfBounds(bounds('fa-IR'), bounds('en-US')));
  }
}

function descriptionOf({ language, id }: Order): string {
  return language === 'en' ? `Wallet top-up ${id}` : `شارژ کیف پول ${id}`;
}
