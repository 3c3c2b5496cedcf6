/** Orders and invoices as answers. */
import type { Json } from '../../core/json.ts';
import { money, toTomanText } from '../../core/money.ts';
import {
  type GatewayView,
  type GiftCode,
  type Invoice,
  invoiceNumber,
  invoiceTotal,
  jalaliDate,
  type LegalIdentity,
  type Order,
  type OrderEvent,
  type OrderRefund,
  type Payments,
  percentOfPoints,
  rialOf,
} from '../../payments/index.ts';

export async function orderView({ invoices, gateways }: Payments, order: Order) {
  const open = ['created', 'sent', 'returned', 'paid'].includes(order.state);
  const gateway = order.gateway === 'bank-transfer' && open ? await gateways.evenIfOff(order.gateway) : undefined;
  return {
    object: 'order',
    id: order.id,
    account_id: order.accountId,
    gateway: order.gateway,
    amount: toTomanText(order.amount),
    vat: toTomanText(order.vat),
    payable: toTomanText(money(order.amount + order.vat)),
    charged: { units: String(order.payable.units), unit: order.payable.unit },
    state: order.state,
    open,
    problem: order.problem,
    redirect_url: order.state === 'sent' || order.state === 'returned' ? order.redirectUrl : null,
    instructions: gateway?.instructions ?? null,
    reference: order.reference,
    card: order.card,
    invoice_id: order.state === 'credited' || order.state === 'refunded' ? await invoices.idOfOrder(order.id) : null,
    refund: order.refund && refundView(order.refund),
    created_by: order.createdBy,
    created_at: order.createdAt.toISOString(),
    updated_at: order.updatedAt.toISOString(),
    expires_at: order.expiresAt.toISOString(),
  };
}

function refundView({ state, code, reference, beganAt }: OrderRefund) {
  return { state, code, reference, began_at: beganAt.toISOString() };
}

export function eventView({ at, from, to, cause, detail }: OrderEvent) {
  return { at: at.toISOString(), from, to, cause, detail: detail as Json };
}

export function partyView(party: LegalIdentity) {
  return {
    kind: party.kind,
    name: party.name,
    national_id: party.nationalId,
    economic_code: party.economicCode,
    registration_number: party.registrationNumber,
    postal_code: party.postalCode,
    address: party.address,
    phone: party.phone,
  };
}

export function invoiceView(invoice: Invoice) {
  const total = invoiceTotal(invoice);
  return {
    object: 'invoice',
    id: invoice.id,
    number: invoiceNumber(invoice),
    kind: invoice.kind,
    account_id: invoice.accountId,
    order_id: invoice.orderId,
    corrects: invoice.corrects,
    issued_at: invoice.issuedAt.toISOString(),
    jalali_date: jalaliDate(invoice.issuedAt).text,
    seller: partyView(invoice.seller),
    buyer: partyView(invoice.buyer),
    lines: invoice.lines.map(({ text, quantity, amount }) => ({ text, quantity, amount: toTomanText(amount) })),
    amount: toTomanText(invoice.amount),
    vat: toTomanText(invoice.vat),
    vat_percent: percentOfPoints(invoice.vatBasisPoints),
    total: toTomanText(total),
    total_rial: String(rialOf(total)),
    page_url: `/invoices/${invoice.id}`,
    pdf_url: `/invoices/${invoice.id}/pdf`,
  };
}

export function giftView(gift: GiftCode) {
  return {
    object: 'gift_code',
    id: gift.id,
    batch: gift.batch,
    last4: gift.last4,
    amount: toTomanText(gift.amount),
    note: gift.note,
    state: gift.state,
    order_id: gift.orderId,
    expires_at: gift.expiresAt?.toISOString() ?? null,
    created_at: gift.createdAt.toISOString(),
  };
}

/** `callbackUrl` is shown only for a gateway that has one. */
export function gatewaySettingsView(view: GatewayView, origin: string) {
  const complete = view.secrets.every(({ set }) => set);
  const path = view.id === 'stripe' ? `/pay/${view.id}/webhook` : `/pay/${view.id}/return`;
  const { id, name, enabled, available, secrets, options } = view;
  const callbackUrl = complete && secrets.length > 0 ? `${origin}${path}` : null;
  return { object: 'gateway_settings', id, name, enabled, available, secrets, options, callback_url: callbackUrl };
}
