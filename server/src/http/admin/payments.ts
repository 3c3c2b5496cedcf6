/** Payments of customers, for staff: orders, refunds, gateways, gift codes, invoices, profit. */

import * as routes from '@dargah/api/admin/payments.ts';
import * as waysToPay from '@dargah/api/admin/ways-to-pay.ts';
import { page } from '@dargah/api/building-blocks.ts';
import type { Bills, CreditByHand, Given, Settlements } from '../../accounting/index.ts';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { money, parseToman, toTomanText } from '../../core/money.ts';
import { reasons } from '../../core/reasons.ts';
import { type Order, percentOfPoints } from '../../payments/index.ts';
import type { PaymentServices } from '../console/payments.ts';
import { httpReasons } from '../reasons.ts';
import type { Register } from '../routes/register.ts';
import { dateInput } from '../time-input.ts';
import {
  eventView,
  gatewaySettingsView,
  giftView,
  invoiceView,
  orderView,
  partView,
  partyView,
} from '../views/payment-views.ts';
import { confirmAct, refundAct } from './by-hand.ts';
import { type CostServices, profitAndCosts } from './profit-and-costs.ts';

export interface AdminPaymentServices extends PaymentServices {
  hand: CreditByHand;
  settlements: Settlements;
  bills: Bills;
  costs: CostServices;
}

export function payments(register: Register, services: AdminPaymentServices): void {
  const { payments: all, hand } = services;
  const { orders, refunds } = all;
  register(routes.listPayments, async ({ query }) => {
    const { account_id: accountId, state, gateway, stuck, ...rest } = query;
    const { items, next } = await orders.list({ accountId, state, gateway, stuck }, rest);
    return page(await Promise.all(items.map((order) => orderView(all, order))), next);
  });
  register(routes.beginPayment, async ({ body, actor, language, origin }) => {
    const { account_id: accountId, gateway } = body;
    const amount = parseToman(body.amount);
    if (amount === undefined) throw invalidRequest('amount', reasons.mustBe('amount', expected.tomanAboveZero));
    await services.accounts.get(accountId);
    const site = services.origin(origin);
    return orderView(all, await orders.begin({ accountId, gateway, amount, createdBy: actor, language, origin: site }));
  });
  register(routes.getPayment, async ({ params }) => {
    const order = await orders.get(params.id);
    return {
      ...(await orderView(all, order)),
      fee: order.fee === null ? null : toTomanText(order.fee),
      parts: (await refunds.partsOf(order.id)).map(partView),
      events: (await orders.events(order.id)).map(eventView),
    };
  });
  register(routes.verifyPayment, async ({ params, actor }) =>
    orderView(all, await orders.verifyAgain(params.id, actor)),
  );
  register(routes.confirmPayment, async ({ params, body, actor }) => {
    const { id: orderId, accountId, amount } = await orders.get(params.id);
    const of = { kind: 'confirmed-transfer' as const, orderId, accountId, bank: body.bank ?? null, note: null };
    requireBooked(await hand.give(confirmAct(of, amount, body.reference), actor));
    return orderView(all, await orders.get(orderId));
  });
  register(routes.refundPayment, async ({ params, body, actor }) => {
    const order = await orders.get(params.id);
    const { id, accountId } = order;
    const { reason, by_hand: byHand = false, bank } = body;
    const amount = body.amount === undefined ? undefined : parseToman(body.amount);
    if (body.amount !== undefined && amount === undefined)
      throw invalidRequest('amount', reasons.mustBe('amount', expected.tomanAboveZero));
    // What a gateway sends goes to whoever paid; what a person sends is counted.
    if (byHand && isRefundCounted(order)) {
      const of = { kind: 'order-refund' as const, orderId: id, accountId, bank: bank ?? null, note: reason };
      requireBooked(await hand.give(refundAct(of, amount ?? money(order.amount - order.takenInParts)), actor));
      return orderView(all, await orders.get(id));
    }
    return orderView(all, await refunds.refund(id, { reason, byHand, amount, bank }, actor));
  });
  register(routes.settleRefund, async ({ params, body, actor }) => {
    const { id } = await orders.get(params.id);
    return orderView(all, await refunds.settle(id, body, actor));
  });
  gatewayRoutes(register, services);
  giftRoutes(register, services);
  invoiceRoutes(register, services);
  profitAndCosts(register, services);
}

/** Play money costs nobody anything; an order that has nothing left is refused by its own rules. */
function isRefundCounted({ gateway, amount, takenInParts, state }: Order): boolean {
  return gateway !== 'sandbox' && state === 'credited' && amount > takenInParts;
}

/** Nobody asked for an approval here; one that waits for this order keeps it as it is. */
function requireBooked({ state }: Given): void {
  if (state === 'waiting') throw new GatewayError('conflict', { reason: httpReasons.approvalWaits });
}

function gatewayRoutes(register: Register, { payments: { gateways }, origin }: PaymentServices): void {
  register(waysToPay.listPaymentGateways, async ({ origin: asCalled }) => {
    const views = await gateways.list();
    return page(views.map((view) => gatewaySettingsView(view, origin(asCalled))));
  });
  register(waysToPay.changePaymentGateway, async ({ params, body, actor, origin: asCalled }) =>
    gatewaySettingsView(await gateways.change(params.id, body, actor), origin(asCalled)),
  );
}

function giftRoutes(register: Register, { payments: { gifts }, hand }: AdminPaymentServices): void {
  register(waysToPay.makeGiftCodes, async ({ body, actor }) => {
    const { count, note, expires_at: expiry } = body;
    const amount = parseToman(body.amount);
    if (amount === undefined) throw invalidRequest('amount', reasons.mustBe('amount', expected.tomanAboveZero));
    const expiresAt = dateInput(expiry, 'expires_at');
    const { batch, codes } = await gifts.make({ count, amount, expiresAt, note }, actor, (tx, made) =>
      hand.count(tx, actor, { id: made.batch, kind: 'gift-codes', accountId: null, amount: made.worth }),
    );
    return { object: 'gift_codes', batch, codes };
  });
  register(waysToPay.listGiftCodes, async ({ query }) => {
    const { items, next } = await gifts.list(query);
    return page(items.map(giftView), next);
  });
  register(waysToPay.revokeGiftCode, async ({ params, actor }) => {
    await gifts.revoke(params.id, actor);
    return { done: true };
  });
}

function invoiceRoutes(register: Register, { payments: { invoices, settings, banks } }: PaymentServices): void {
  const view = async () => {
    const { seller, vatBasisPoints, pauseOnChargeback } = await settings.read();
    return {
      object: 'invoice_settings' as const,
      seller: seller && partyView(seller),
      vat_percent: percentOfPoints(vatBasisPoints),
      pause_on_chargeback: pauseOnChargeback,
      bank_accounts: await banks.list(),
    };
  };
  register(routes.listInvoices, async ({ query }) => {
    const { account_id: accountId, ...rest } = query;
    const { items, next } = await invoices.list({ accountId }, rest);
    return page(items.map(invoiceView), next);
  });
  register(routes.getInvoiceSettings, () => view());
  register(routes.changeInvoiceSettings, async ({ body, actor }) => {
    const { seller, vat_percent: vatPercent, pause_on_chargeback: pauseOnChargeback } = body;
    if (body.bank_accounts) await banks.change(body.bank_accounts, actor);
    await settings.change({ seller, vatPercent, pauseOnChargeback }, actor);
    return view();
  });
}
