/** The customer's side of paying: ways to pay, orders, gift codes, invoices. */

import { page } from '@dargah/api/building-blocks.ts';
import * as routes from '@dargah/api/console/payments.ts';
import { HOME_OFFSET_MS } from '@dargah/core/home-zone.ts';
import type { AccountService } from '../../accounts/index.ts';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { type Money, money, parseToman, toTomanText } from '../../core/money.ts';
import { reasons } from '../../core/reasons.ts';
import { isWholeToman, type Order, type Payments, percentOfPoints, taxOn } from '../../payments/index.ts';
import type { People } from '../../people/index.ts';
import { giftCodeGuesses } from '../guessing.ts';
import type { Register } from '../routes/register.ts';
import { timeInput } from '../time-input.ts';
import { eventView, invoiceView, orderView, orderViews, partyView } from '../views/payment-views.ts';
import { withoutStaff } from '../views/without-staff.ts';

export interface PaymentServices {
  payments: Payments;
  accounts: Pick<AccountService, 'get'>;
  /** `https://…` of this service as its customers see it. */
  origin(asCalled: string): string;
}

export function ownPayments(
  register: Register,
  { payments, origin }: PaymentServices,
  attempts: People['attempts'],
): void {
  const { orders, gateways, gifts, settings, transferReceipts } = payments;

  register(routes.listOwnGateways, async () => {
    const { vatBasisPoints } = await settings.read();
    const offered = (await gateways.available()).filter((gateway) => gateway.offered);
    const data = offered.map((gateway) => ({
      object: 'gateway' as const,
      id: gateway.id,
      name: gateway.name,
      minimum: toTomanText(gateway.minimum),
      maximum: toTomanText(gateway.maximum),
      currency: gateway.payable(gateway.minimum).unit,
      instructions: gateway.instructions ?? null,
      flow: gateway.id === 'bank-transfer' ? ('transfer' as const) : ('gateway' as const),
      sandbox: gateway.id === 'sandbox',
    }));
    return { object: 'gateways', vat_percent: percentOfPoints(vatBasisPoints), data };
  });
  register(routes.quoteTopUp, async ({ query }) => {
    const gateway = await gateways.find(query.gateway);
    if (!gateway?.offered) throw invalidRequest('gateway', reasons.mustBe('gateway', expected.offeredGateway));
    const amount = amountOf(query.amount);
    if (!isWholeToman(amount)) throw invalidRequest('amount', reasons.mustBe('amount', expected.tomanAboveZero));
    const vat = taxOn(amount, (await settings.read()).vatBasisPoints);
    const { units, unit } = gateway.payable(money(amount + vat));
    const charged = { units: String(units), unit };
    const payable = toTomanText(money(amount + vat));
    return { object: 'quote', amount: toTomanText(amount), vat: toTomanText(vat), payable, charged };
  });
  register(routes.beginTopUp, async ({ body, who, language, origin: asCalled }) => {
    const order = await orders.begin({
      accountId: who.accountId,
      gateway: body.gateway,
      amount: amountOf(body.amount),
      createdBy: who.actor,
      language,
      origin: origin(asCalled),
    });
    return orderView(payments, order);
  });
  register(routes.listOwnOrders, async ({ query, who }) => {
    const { items, next } = await orders.list({ accountId: who.accountId }, query);
    const views = await orderViews(payments, items);
    return page(
      views.map((view) => ({ ...view, created_by: withoutStaff(view.created_by) })),
      next,
    );
  });
  register(routes.getOwnOrder, async ({ params, who }) => {
    const order = await orders.get(params.id, who.accountId);
    const events = (await orders.events(order.id)).map(eventView);
    const unnamed = events.map((event) => ({ ...event, cause: withoutStaff(event.cause) }));
    return { ...(await ownOrder(payments, order)), events: unnamed };
  });
  register(routes.checkOwnOrder, async ({ params, who }) => {
    const { id } = await orders.get(params.id, who.accountId);
    payments.questionLimit.count(id);
    return ownOrder(payments, await orders.verifyAgain(id, who.actor));
  });
  register(routes.sendTransferReceipt, async ({ params, body, who }) => {
    const receipt = { number: body.number, paidOn: dayInput(body.paid_on), paidFrom: body.paid_from ?? null };
    return ownOrder(payments, await transferReceipts.send(params.id, who.accountId, receipt, who.actor));
  });
  register(routes.redeemGiftCode, async ({ body, who, call }) => {
    let refusal: GatewayError | undefined;
    let order: Order | undefined;
    await attempts.guess(giftCodeGuesses(who.accountId, call.ip), async () => {
      order = await gifts.redeem(body.code, who.accountId, who.actor).catch((error: unknown) => {
        if (!(error instanceof GatewayError) || error.code !== 'not_found') throw error;
        refusal = error;
        return undefined;
      });
      return order !== undefined;
    });
    if (!order) throw refusal ?? new GatewayError('not_found');
    return orderView(payments, order);
  });
  ownInvoices(register, payments);
}

function ownInvoices(register: Register, { invoices }: Payments): void {
  register(routes.listOwnInvoices, async ({ query, who }) => {
    const { items, next } = await invoices.list({ accountId: who.accountId }, query);
    return page(items.map(invoiceView), next);
  });
  register(routes.getOwnInvoice, async ({ params, who }) => invoiceView(await invoices.get(params.id, who.accountId)));
  register(routes.getLegalIdentity, async ({ who }) => {
    const identity = await invoices.identity(who.accountId);
    return { object: 'legal_identity', identity: identity && partyView(identity) };
  });
  register(routes.setLegalIdentity, async ({ body, who }) => {
    const identity = await invoices.setIdentity(who.accountId, body);
    return { object: 'legal_identity', identity: partyView(identity) };
  });
}

/** The order as its customer sees it. */
async function ownOrder(payments: Payments, order: Order) {
  const view = await orderView(payments, order);
  return { ...view, created_by: withoutStaff(view.created_by) };
}

/** The day in the zone of the service, whichever calendar it was written in. */
function dayInput(text: string): string {
  return new Date(timeInput(text, 'paid_on') + HOME_OFFSET_MS).toISOString().slice(0, 10);
}

function amountOf(input: string | number): Money {
  const amount = parseToman(input);
  if (amount === undefined || amount <= 0n)
    throw invalidRequest('amount', reasons.mustBe('amount', expected.tomanAboveZero));
  return amount;
}
