/** Orders and invoices as answers. */

import type {
  GiftCodeSchema,
  InvoiceSchema,
  OrderEventSchema,
  OrderSchema,
  PartySchema,
  RefundPartSchema,
} from '@dargah/api/schemas/payment-schemas.ts';
import type { Static } from 'typebox';
import type { Json } from '../../core/json.ts';
import { money, toTomanText } from '../../core/money.ts';
import {
  bankOfIban,
  type GatewayView,
  type GiftCode,
  type Invoice,
  invoiceNumber,
  invoiceTotal,
  isOfficial,
  jalaliDate,
  type LegalIdentity,
  type Order,
  type OrderEvent,
  type OrderRefund,
  orderStepOf,
  type Payments,
  percentOfPoints,
  type RefundPart,
  rialOf,
  type TransferReceipt,
} from '../../payments/index.ts';

type OrderView = Static<typeof OrderSchema>;

export async function orderView(payments: Payments, order: Order): Promise<OrderView> {
  const [view] = await orderViews(payments, [order]);
  if (!view) throw new Error('an order without a view');
  return view;
}

/** Shows a whole page with one query for invoices, one for receipts and one for bank transfers. */
export async function orderViews(payments: Payments, orders: readonly Order[]): Promise<OrderView[]> {
  const { invoices, gateways, transferReceipts } = payments;
  const paid = orders.filter(({ state }) => state === 'credited' || state === 'refunded');
  const ids = await invoices.idsOfOrders(paid.map(({ id }) => id));
  const transfers = orders.filter(({ gateway }) => gateway === 'bank-transfer');
  const receipts = await transferReceipts.ofOrders(transfers.map(({ id }) => id));
  const waits = transfers.some(isOpen);
  const instructions = waits ? ((await gateways.evenIfOff('bank-transfer'))?.instructions ?? null) : null;
  const banks = waits ? await banksToPay(payments) : [];
  return orders.map((order) => {
    const isWaiting = order.gateway === 'bank-transfer' && isOpen(order);
    const to = isWaiting ? { instructions, banks } : { instructions: null, banks: [] };
    return shownOrder(order, ids.get(order.id) ?? null, receipts.get(order.id), to);
  });
}

/** Where customers send the money of a transfer: every bank account of ours with an IBAN. */
async function banksToPay({ banks, settings }: Payments): Promise<OrderView['transfer_to']> {
  const seller = (await settings.read()).seller?.name || null;
  return (await banks.list()).flatMap(({ iban, name, holder }) =>
    iban === null ? [] : [{ iban, name, holder: holder ?? seller, bank: bankOfIban(iban) }],
  );
}

function isOpen({ state }: Order): boolean {
  return ['created', 'sent', 'returned', 'paid'].includes(state);
}

function shownOrder(
  order: Order,
  invoiceId: string | null,
  receipt: TransferReceipt | undefined,
  to: { instructions: string | null; banks: OrderView['transfer_to'] },
): OrderView {
  const step = orderStepOf(order, receipt !== undefined);
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
    step,
    open: isOpen(order),
    problem: order.problem,
    redirect_url: order.state === 'sent' || order.state === 'returned' ? order.redirectUrl : null,
    instructions: to.instructions,
    transfer_to: to.banks,
    receipt: receipt ? receiptView(receipt) : null,
    rejection: step === 'rejected' ? (order.problem?.slice(order.problem.indexOf(':') + 1) ?? null) : null,
    reference: order.reference,
    card: order.card,
    invoice_id: invoiceId,
    refund: order.refund && refundView(order.refund),
    refunded: toTomanText(order.state === 'refunded' ? order.amount : order.takenInParts),
    part_waits: order.partWaits,
    bank: order.bank,
    created_by: order.createdBy,
    created_at: order.createdAt.toISOString(),
    updated_at: order.updatedAt.toISOString(),
    expires_at: order.expiresAt.toISOString(),
  };
}

function receiptView({ number, paidOn, paidFrom, sentAt }: TransferReceipt) {
  return { number, paid_on: paidOn, paid_from: paidFrom, sent_at: sentAt.toISOString() };
}

function refundView({ state, code, reference, beganAt }: OrderRefund) {
  return { state, code, reference, began_at: beganAt.toISOString() };
}

export function partView({
  number,
  amount,
  vat,
  state,
  code,
  reference,
  reason,
  beganAt,
}: RefundPart): Static<typeof RefundPartSchema> {
  const amounts = { amount: toTomanText(amount), vat: toTomanText(vat) };
  return { number, ...amounts, state, code, reference, reason, began_at: beganAt.toISOString() };
}

export function eventView({ at, from, to, cause, detail }: OrderEvent): Static<typeof OrderEventSchema> {
  return { at: at.toISOString(), from, to, cause, detail: detail as Json };
}

export function partyView(party: LegalIdentity): Static<typeof PartySchema> {
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

export function invoiceView(invoice: Invoice): Static<typeof InvoiceSchema> {
  const total = invoiceTotal(invoice);
  return {
    object: 'invoice',
    id: invoice.id,
    number: invoiceNumber(invoice),
    kind: invoice.kind,
    official: isOfficial(invoice),
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

export function giftView(gift: GiftCode): Static<typeof GiftCodeSchema> {
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
  return {
    object: 'gateway_settings' as const,
    id,
    name,
    enabled,
    available,
    secrets,
    options,
    callback_url: callbackUrl,
  };
}
