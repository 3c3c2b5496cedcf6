/** Payments of customers, for staff: orders, refunds, gateways, gift codes, invoices, profit. */

import * as invoicing from '@dargah/api/admin/invoicing.ts';
import * as routes from '@dargah/api/admin/payments.ts';
import * as waysToPay from '@dargah/api/admin/ways-to-pay.ts';
import { page } from '@dargah/api/building-blocks.ts';
import type { QueryOf } from '@dargah/api/describe-route.ts';
import { latinDigits } from '@dargah/core/persian-text.ts';
import type { Bills, CreditByHand, DocumentFiles, Given, Settlements } from '../../accounting/index.ts';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { money, parseToman, toTomanText } from '../../core/money.ts';
import { reasons } from '../../core/reasons.ts';
import { type Order, type Payments, percentOfPoints } from '../../payments/index.ts';
import type { PaymentServices } from '../console/payments.ts';
import { httpReasons } from '../reasons.ts';
import type { Register } from '../routes/register.ts';
import { dateInput, timeInput } from '../time-input.ts';
import {
  eventView,
  gatewaySettingsView,
  giftView,
  invoiceView,
  orderView,
  orderViews,
  partView,
  partyView,
} from '../views/payment-views.ts';
import { confirmAct, refundAct } from './by-hand.ts';
import { type CostServices, profitAndCosts } from './profit-and-costs.ts';
import { type ListOfStaff, listPage, namesOf, tomanInput, totalOf } from './staff-list.ts';
import { transferChecks } from './transfer-check.ts';

export interface AdminPaymentServices extends PaymentServices {
  hand: CreditByHand;
  files: DocumentFiles;
  settlements: Settlements;
  bills: Bills;
  costs: CostServices;
}

export function payments(register: Register, services: AdminPaymentServices): ListOfStaff<typeof routes.listPayments> {
  const { payments: all, hand } = services;
  const { orders, refunds } = all;
  const list = orderList(all);
  register(routes.listPayments, ({ query, who }) => list.read(query, { ...who, use: 'list' }));
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
    const entries = await orders.entries(order.id);
    return {
      ...(await orderView(all, order)),
      external_id: order.externalId,
      account_name: (await services.accounts.get(order.accountId)).name,
      fee: order.fee === null ? null : toTomanText(order.fee),
      parts: (await refunds.partsOf(order.id)).map(partView),
      events: (await orders.events(order.id)).map(eventView),
      entries: entries.map(({ amount, at, ...entry }) => ({
        ...entry,
        amount: toTomanText(amount),
        created_at: at.toISOString(),
      })),
      invoices: (await all.invoices.ofOrder(order.id)).map(invoiceView),
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
  register(routes.rejectPayment, async ({ params, body, actor }) =>
    orderView(all, await all.transferReceipts.reject(params.id, body.reason.trim(), actor)),
  );
  register(routes.refundPayment, async ({ params, body, actor }) => {
    const order = await orders.get(params.id);
    const { id, accountId } = order;
    const { reason, by_hand: byHand = false, bank } = body;
    const amount = body.amount === undefined ? undefined : parseToman(body.amount);
    if (body.amount !== undefined && amount === undefined)
      throw invalidRequest('amount', reasons.mustBe('amount', expected.tomanAboveZero));
    // A refund through a gateway goes to the payer; one that a person sends counts against their limits.
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
  transferChecks(register, all);
  gatewayRoutes(register, services);
  giftRoutes(register, services);
  invoiceRoutes(register, services);
  profitAndCosts(register, services);
  return list;
}

function orderList(all: Payments): ListOfStaff<typeof routes.listPayments> {
  return {
    id: 'orders',
    route: routes.listPayments,
    async read(query, { use }) {
      const filter = orderFilter(query);
      const { after, limit = 50, sort = 'newest' } = query;
      const found = await all.orderList.page(filter, { after: after ?? null, limit, sort, use });
      const total = use === 'job' ? null : await totalOf(after, (max) => all.orderList.count(filter, max));
      const accounts = found.rows.map(({ accountId }) => accountId);
      const names = use === 'job' ? {} : await namesOf(all.db, accounts);
      return listPage(await orderViews(all, found.rows), found, { total, names });
    },
    at: (row) => row.created_at,
    columns: {
      id: (row) => row.id,
      created_at: (row) => row.created_at,
      account_id: (row) => row.account_id,
      gateway: (row) => row.gateway,
      state: (row) => row.state,
      amount_toman: (row) => row.amount,
      vat_toman: (row) => row.vat,
      payable_toman: (row) => row.payable,
      refunded_toman: (row) => row.refunded,
      refund: (row) => row.refund?.state ?? null,
      reference: (row) => row.reference,
      card: (row) => row.card,
      problem: (row) => row.problem,
      bank: (row) => row.bank,
      invoice_id: (row) => row.invoice_id,
      created_by: (row) => row.created_by,
      updated_at: (row) => row.updated_at,
    },
  };
}

function orderFilter(query: QueryOf<typeof routes.listPayments>) {
  const { account_id: accountId, state, gateway, stuck, refunded, not_settled: notSettled, q } = query;
  const { receipt_waits: receiptWaits } = query;
  const times = { from: timeInput(query.from, 'from'), to: timeInput(query.to, 'to') };
  const sums = { sumFrom: tomanInput(query.sum_from, 'sum_from'), sumTo: tomanInput(query.sum_to, 'sum_to') };
  const words = q === undefined || q.trim() === '' ? undefined : latinDigits(q.trim());
  return { accountId, state, gateway, stuck, refunded, notSettled, receiptWaits, words, ...times, ...sums };
}

/** Play money has no value; an order with nothing left is refused by its own rules. */
function isRefundCounted({ gateway, amount, takenInParts, state }: Order): boolean {
  return gateway !== 'sandbox' && state === 'credited' && amount > takenInParts;
}

/** No approval was asked for here; a pending one for this order stays as it is. */
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
  register(invoicing.listInvoices, async ({ query }) => {
    const { account_id: accountId, ...rest } = query;
    const { items, next } = await invoices.list({ accountId }, rest);
    return page(items.map(invoiceView), next);
  });
  register(invoicing.getInvoiceSettings, () => view());
  register(invoicing.changeInvoiceSettings, async ({ body, actor }) => {
    const { seller, vat_percent: vatPercent, pause_on_chargeback: pauseOnChargeback } = body;
    if (body.bank_accounts) await banks.change(body.bank_accounts, actor);
    await settings.change({ seller, vatPercent, pauseOnChargeback }, actor);
    return view();
  });
}
