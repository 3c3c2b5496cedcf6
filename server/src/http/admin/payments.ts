/** Payments of customers, for staff: orders, refunds, gateways, gift codes, invoices, profit. */

import { invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { type Money, money, parseToman, toTomanText, ZERO } from '../../core/money.ts';
import { reasons } from '../../core/reasons.ts';
import { DAY_MS } from '../../core/time-spans.ts';
import { type ProfitRow, percentOfPoints, profitBy } from '../../payments/index.ts';
import type { PaymentServices } from '../console/payments.ts';
import { page } from '../openapi/building-blocks.ts';
import type { Register } from '../routes/register.ts';
import {
  eventView,
  gatewaySettingsView,
  giftView,
  invoiceView,
  orderView,
  partyView,
} from '../schemas/payment-views.ts';
import { dateInput } from '../time-input.ts';
import * as routes from './routes/payments.ts';
import * as waysToPay from './routes/ways-to-pay.ts';

export function payments(register: Register, services: PaymentServices): void {
  const { payments: all } = services;
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
    return { ...(await orderView(all, order)), events: (await orders.events(order.id)).map(eventView) };
  });
  register(routes.verifyPayment, async ({ params, actor }) =>
    orderView(all, await orders.verifyAgain(params.id, actor)),
  );
  register(routes.confirmPayment, async ({ params, body, actor }) =>
    orderView(all, await orders.confirmTransfer(params.id, body.reference, actor)),
  );
  register(routes.refundPayment, async ({ params, body, actor }) => {
    const { id } = await orders.get(params.id);
    return orderView(all, await refunds.refund(id, body.reason, body.by_hand === true, actor));
  });
  register(routes.settleRefund, async ({ params, body, actor }) => {
    const { id } = await orders.get(params.id);
    return orderView(all, await refunds.settle(id, body.sent, body.note, actor));
  });
  gatewayRoutes(register, services);
  giftRoutes(register, services);
  invoiceRoutes(register, services);
  register(routes.getProfit, async ({ query }) => {
    const to = dateInput(query.to, 'to') ?? new Date(all.clock.now());
    const from = dateInput(query.from, 'from') ?? new Date(to.getTime() - 30 * DAY_MS);
    const rows = await profitBy(all.db, query.by, from, to);
    const data = rows.map(profitView);
    const total = profitView(
      rows.reduce(added, { value: 'total', requests: 0, revenue: ZERO, providerCost: ZERO, unknownCost: 0 }),
    );
    return { object: 'profit', by: query.by, from: from.toISOString(), to: to.toISOString(), data, total };
  });
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

function giftRoutes(register: Register, { payments: { gifts } }: PaymentServices): void {
  register(waysToPay.makeGiftCodes, async ({ body, actor }) => {
    const { count, note, expires_at: expiry } = body;
    const amount = parseToman(body.amount);
    if (amount === undefined) throw invalidRequest('amount', reasons.mustBe('amount', expected.tomanAboveZero));
    const expiresAt = dateInput(expiry, 'expires_at');
    const { batch, codes } = await gifts.make({ count, amount, expiresAt, note }, actor);
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

function invoiceRoutes(register: Register, { payments: { invoices, settings } }: PaymentServices): void {
  const view = ({ seller, vatBasisPoints, pauseOnChargeback }: Awaited<ReturnType<typeof settings.read>>) => ({
    object: 'invoice_settings',
    seller: seller && partyView(seller),
    vat_percent: percentOfPoints(vatBasisPoints),
    pause_on_chargeback: pauseOnChargeback,
  });
  register(routes.listInvoices, async ({ query }) => {
    const { account_id: accountId, ...rest } = query;
    const { items, next } = await invoices.list({ accountId }, rest);
    return page(items.map(invoiceView), next);
  });
  register(routes.getInvoiceSettings, async () => view(await settings.read()));
  register(routes.changeInvoiceSettings, async ({ body, actor }) => {
    const { seller, vat_percent: vatPercent, pause_on_chargeback: pauseOnChargeback } = body;
    return view(await settings.change({ seller, vatPercent, pauseOnChargeback }, actor));
  });
}

function profitView({ value, requests, revenue, providerCost, unknownCost }: ProfitRow) {
  const amounts: Record<string, Money> = {
    revenue,
    provider_cost: providerCost,
    profit: money(revenue - providerCost),
  };
  const texts = Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, toTomanText(amount)]));
  return { value, requests, ...texts, unknown_cost: unknownCost };
}

function added(total: ProfitRow, row: ProfitRow): ProfitRow {
  return {
    value: total.value,
    requests: total.requests + row.requests,
    revenue: money(total.revenue + row.revenue),
    providerCost: money(total.providerCost + row.providerCost),
    unknownCost: total.unknownCost + row.unknownCost,
  };
}
