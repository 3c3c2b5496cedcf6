/**
 * Refunds a Stripe payment. The idempotency key protects a call that is repeated within a day; the list of the
 * payment's refunds, where ours has its own name, protects every later call.
 */
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { PaymentUnreachable, type RefundCall, type RefundToSend, type RefundVerdict } from '../gateway.ts';
import { asUnreachable, type StripeCall, stripeCode } from './stripe-call.ts';

/**
 * Statuses about our key, our request rate or Stripe's own trouble. They do not say whether this or an earlier call was
 * carried out.
 */
const NOTHING_LEARNED = new Set([401, 403, 409, 429]);
const ON_ITS_WAY = new Set<unknown>(['pending', 'requires_action']);

export function createStripeRefund(call: StripeCall): RefundCall {
  async function send({ reference, refundId, payable, again }: RefundToSend): Promise<RefundVerdict> {
    const known = again ? await find(reference, refundId) : undefined;
    if (known) return verdictOf(known);
    const form = { payment_intent: reference, amount: String(payable.units), 'metadata[refund]': refundId };
    const { status, body } = await call('POST', '/v1/refunds', form, `refund:${refundId}`);
    if (status === 200) return verdictOf(body);
    const code = stripeCode(status, body);
    return { kind: status >= 500 || NOTHING_LEARNED.has(status) ? 'unreachable' : 'refused', code };
  }

  async function find(reference: string, refundId: string): Promise<JsonObject | undefined> {
    const query = new URLSearchParams({ payment_intent: reference, limit: '100' });
    const { status, body } = await call('GET', `/v1/refunds?${query}`);
    const listed = body['data'];
    if (status !== 200 || !Array.isArray(listed)) throw new PaymentUnreachable('stripe', stripeCode(status, body));
    return listed.filter(isJsonObject).find(({ metadata }) => nameIn(metadata) === refundId);
  }

  return { repeatable: true, send: (refund) => send(refund).catch(asUnreachable) };
}

function nameIn(metadata: Json | undefined): Json | undefined {
  return isJsonObject(metadata) ? metadata['refund'] : undefined;
}

function verdictOf({ id, status }: JsonObject): RefundVerdict {
  if (typeof id !== 'string') return { kind: 'unreachable', code: 'no-reference' };
  if (status === 'succeeded') return { kind: 'sent', reference: id };
  if (ON_ITS_WAY.has(status)) return { kind: 'pending', reference: id };
  return { kind: 'refused', code: `refund-${String(status)}` };
}
