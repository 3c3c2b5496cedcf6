/** Stripe Checkout: a hosted page per payment, a signed message when something happened, and the session to ask about it. */

import { createHmac, timingSafeEqual } from 'node:crypto';
import { DAY_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../../core/clock.ts';
import { isJsonObject, type JsonObject, parseTrustedJson } from '../../core/json.ts';
import type { Money } from '../../core/money.ts';
import { inHundredths, wholeToman } from '../amounts.ts';
import {
  type Dispute,
  type OrderToVerify,
  type PaymentGateway,
  PaymentRefused,
  PaymentUnreachable,
  type PaymentVerdict,
  type WebhookSubject,
} from '../gateway.ts';
import type { GatewayAnswer } from './ask.ts';
import { asUnreachable, type StripeAccess, stripeCaller, stripeCode } from './stripe-call.ts';
import { createStripeRefund } from './stripe-refund.ts';
import { createStripeSettlements } from './stripe-settlements.ts';

export interface StripeOptions extends StripeAccess {
  clock: Clock;
  webhookSecret: string;
  currency: string;
  /** Toman for one whole unit of the currency. */
  rate: Money;
}

export const STRIPE_URL = 'https://api.stripe.com';
const TIMEOUT_MS = DAY_MS;
/** Older messages are refused: a caught one cannot be sent again later. */
const TOLERANCE_S = 300;

export function createStripe(options: StripeOptions): PaymentGateway {
  const { currency, rate, webhookSecret, clock } = options;
  const call = stripeCaller(options);
  return {
    id: 'stripe',
    name: { fa: 'استرایپ', en: 'Stripe' },
    offered: true,
    bringsMoney: true,
    minimum: wholeToman(100_000n),
    maximum: wholeToman(1_000_000_000n),
    timeoutMs: TIMEOUT_MS,
    payable: (amount) => inHundredths(amount, currency, rate),
    async begin({ orderId, payable, returnUrl, resultUrl, description }) {
      const form = {
        mode: 'payment',
        client_reference_id: orderId,
        'metadata[order_id]': orderId,
        'payment_intent_data[metadata][order_id]': orderId,
        success_url: `${returnUrl}?session_id={CHECKOUT_SESSION_ID}`,
        cancel_url: resultUrl,
        'line_items[0][quantity]': '1',
        'line_items[0][price_data][currency]': payable.unit.toLowerCase(),
        'line_items[0][price_data][unit_amount]': String(payable.units),
        'line_items[0][price_data][product_data][name]': description,
      };
      const { status, body } = await call('POST', '/v1/checkout/sessions', form, `begin:${orderId}`);
      const { id, url } = body;
      if (status === 200 && typeof id === 'string' && typeof url === 'string')
        return { externalId: id, redirectUrl: url };
      throw refusal(status, body);
    },
    readReturn: (fields) => fields.get('session_id'),
    verify: (order) => verify(order).catch(asUnreachable),
    refund: createStripeRefund(call),
    settlements: createStripeSettlements(call),
    readWebhook(raw, headers) {
      if (!isSignedByStripe(raw, headers['stripe-signature'], webhookSecret, clock.now())) return undefined;
      return subjectOf(parseTrustedJson(raw.toString('utf8')));
    },
    dispute: async (id) => disputeOf(await call('GET', `/v1/disputes/${encodeURIComponent(id)}`)),
  };

  async function verify(order: OrderToVerify): Promise<PaymentVerdict> {
    const { status, body } = await call('GET', `/v1/checkout/sessions/${encodeURIComponent(order.externalId)}`);
    // We made this session ourselves. A key of another Stripe account does not see it, and it may have been paid.
    if (status === 404) return { kind: 'unreachable', code: 'unknown-session' };
    if (status !== 200) return { kind: 'unreachable', code: `http-${status}` };
    if (body['payment_status'] === 'paid') return withFee(compare(body, order), order);
    if (body['status'] === 'expired') return { kind: 'unpaid', code: 'expired', final: true };
    return { kind: 'pending' };
  }

  /** The fee stands in the balance transaction, which may not exist yet; the credit does not wait for it. */
  async function withFee(verdict: PaymentVerdict, { payable }: OrderToVerify): Promise<PaymentVerdict> {
    if (verdict.kind !== 'paid') return verdict;
    const expand = new URLSearchParams({ 'expand[]': 'latest_charge.balance_transaction' });
    const path = `/v1/payment_intents/${encodeURIComponent(verdict.reference)}?${expand}`;
    const answer = await call('GET', path).catch((error: unknown) => {
      if (error instanceof PaymentUnreachable) return undefined;
      throw error;
    });
    const charge = answer?.status === 200 ? answer.body['latest_charge'] : undefined;
    const movement = isJsonObject(charge) ? charge['balance_transaction'] : undefined;
    return isJsonObject(movement) ? { ...verdict, fee: feeIn(movement, payable.unit) } : verdict;
  }
}

/** Undefined where the account is kept in another currency than the payment: nothing here knows the rate between the two. */
function feeIn({ fee, currency }: JsonObject, unit: string): bigint | undefined {
  if (typeof fee !== 'number' || !Number.isInteger(fee)) return undefined;
  return String(currency ?? '').toUpperCase() === unit ? BigInt(fee) : undefined;
}

function compare(session: JsonObject, { orderId, payable }: OrderToVerify): PaymentVerdict {
  const amount = session['amount_total'];
  const currency = String(session['currency'] ?? '').toUpperCase();
  if (typeof amount !== 'number' || BigInt(amount) !== payable.units || currency !== payable.unit)
    return { kind: 'mismatch', code: 'amount' };
  if (session['client_reference_id'] !== orderId) return { kind: 'mismatch', code: 'order' };
  const intent = session['payment_intent'];
  return typeof intent === 'string'
    ? { kind: 'paid', reference: intent }
    : { kind: 'unreachable', code: 'no-reference' };
}

function subjectOf(event: unknown): WebhookSubject | undefined {
  if (!isJsonObject(event) || typeof event['id'] !== 'string' || !isJsonObject(event['data'])) return undefined;
  const object = event['data']['object'];
  const id = isJsonObject(object) ? object['id'] : undefined;
  const type = String(event['type']);
  const eventId = event['id'];
  if (typeof id === 'string' && type.startsWith('checkout.session.'))
    return { about: 'payment', eventId, externalId: id };
  if (typeof id === 'string' && type.startsWith('charge.dispute.')) return { about: 'dispute', eventId, disputeId: id };
  return { about: 'nothing', eventId };
}

function disputeOf({ status, body }: GatewayAnswer): Dispute | undefined {
  if (status === 404) return undefined;
  const { id, payment_intent: reference, amount, currency, status: state } = body;
  if (status !== 200 || typeof id !== 'string' || typeof reference !== 'string' || typeof amount !== 'number')
    throw new PaymentUnreachable('stripe', `http-${status}`);
  const unit = String(currency).toUpperCase();
  const movements = Array.isArray(body['balance_transactions'])
    ? body['balance_transactions'].filter(isJsonObject)
    : [];
  return {
    id,
    reference,
    payable: { units: BigInt(amount), unit },
    fee: movements.reduce((sum, movement) => sum + (feeIn(movement, unit) ?? 0n), 0n),
    outcome: outcomeOf(String(state)),
  };
}

/** With a dispute Stripe takes the money back at once; with a warning it takes none. */
function outcomeOf(state: string): Dispute['outcome'] {
  if (state.startsWith('warning_')) return 'inquiry';
  return state === 'won' || state === 'lost' ? state : 'open';
}

function refusal(status: number, body: JsonObject): Error {
  const code = stripeCode(status, body);
  return status >= 500 || status === 429 ? new PaymentUnreachable('stripe', code) : new PaymentRefused('stripe', code);
}

/** Stripe's signature over a message: `t=<seconds>,v1=<hex>`, HMAC-SHA256 over `<t>.<body>` by the raw bytes. */
function isSignedByStripe(body: Buffer, header: string | undefined, secret: string, nowMs: number): boolean {
  if (header === undefined || secret === '') return false;
  const parts = header.split(',').map((part) => part.trim().split('='));
  const at = Number(parts.find(([name]) => name === 't')?.[1]);
  if (!Number.isInteger(at) || Math.abs(nowMs / 1000 - at) > TOLERANCE_S) return false;
  const expected = createHmac('sha256', secret).update(`${at}.`).update(body).digest();
  return parts.some(([name, value = '']) => {
    if (name !== 'v1' || !/^[0-9a-f]{64}$/.test(value)) return false;
    return timingSafeEqual(Buffer.from(value, 'hex'), expected);
  });
}
