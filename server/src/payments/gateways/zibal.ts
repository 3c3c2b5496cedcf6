/**
 * Zibal. Amounts are in rial. Verifying names only the payment, so the amount in its answer is compared with the
 * order's.
 */
import type { Json, JsonObject } from '../../core/json.ts';
import { inRial, wholeToman } from '../amounts.ts';
import {
  type OrderToVerify,
  type PaymentGateway,
  PaymentRefused,
  PaymentUnreachable,
  type PaymentVerdict,
} from '../gateway.ts';
import { type AskGateway, postJson } from './ask.ts';

export interface ZibalOptions {
  ask: AskGateway;
  merchant: string;
  baseUrl: string;
}

export const ZIBAL_URL = 'https://gateway.zibal.ir';
const OK = 100;
const VERIFIED_BEFORE = 201;
const UNPAID = 202;
/** The states that an inquiry reports: not paid yet; paid and verified; paid and not verified. */
const WAITING = -1;
const MADE = new Set([1, 2]);

export function createZibal({ ask, merchant, baseUrl }: ZibalOptions): PaymentGateway {
  const id = 'zibal';
  const call = (path: string, body: JsonObject) => ask(postJson(`${baseUrl}/v1/${path}`, { merchant, ...body }));

  async function verify(order: OrderToVerify): Promise<PaymentVerdict> {
    const trackId = Number(order.externalId);
    const { body } = await call('verify', { trackId });
    const result = numberOf(body['result']);
    if (result === UNPAID) return whyUnpaid(trackId);
    // Also 203, an unknown payment: we got its number from Zibal ourselves, so the merchant was changed since, and it may be paid.
    if (result !== OK && result !== VERIFIED_BEFORE)
      return { kind: 'unreachable', code: String(result ?? 'no-result') };
    // A repeated answer may leave the amount out; an inquiry has it.
    if (body['amount'] !== undefined) return compare(body, order);
    const { body: told } = await call('inquiry', { trackId });
    const status = numberOf(told['status']);
    // It was verified once and has been sent back since.
    if (status !== undefined && !MADE.has(status)) return { kind: 'unpaid', code: `status-${status}`, final: true };
    return compare(told, order);
  }

  /** An inquiry that fails adds nothing to the result of verifying. */
  async function whyUnpaid(trackId: number): Promise<PaymentVerdict> {
    const answer = await call('inquiry', { trackId }).catch((error: unknown) => {
      if (error instanceof PaymentUnreachable) return undefined;
      throw error;
    });
    const status = answer && numberOf(answer.body['status']);
    if (status === WAITING) return { kind: 'pending' };
    // The payment was made between the two questions, or the answers contradict each other. It is asked about again; an inquiry
    // alone never credits.
    if (status !== undefined && MADE.has(status)) return { kind: 'unreachable', code: 'contradiction' };
    return { kind: 'unpaid', code: String(UNPAID), final: false };
  }

  return {
    id,
    name: { fa: 'زیبال', en: 'Zibal' },
    offered: true,
    bringsMoney: true,
    minimum: wholeToman(1_000n),
    maximum: wholeToman(100_000_000n),
    timeoutMs: 60 * 60_000,
    payable: inRial,
    async begin({ orderId, payable, returnUrl, description, mobile }) {
      const { body } = await call('request', {
        amount: Number(payable.units),
        callbackUrl: returnUrl,
        description,
        orderId,
        ...(mobile === undefined ? {} : { mobile }),
      });
      const trackId = numberOf(body['trackId']);
      if (numberOf(body['result']) !== OK || trackId === undefined)
        throw new PaymentRefused(id, String(body['result'] ?? 'no-track-id'));
      return { externalId: String(trackId), redirectUrl: `${baseUrl}/start/${trackId}` };
    },
    readReturn: (fields) => fields.get('trackId'),
    verify: (order) =>
      verify(order).catch((error: unknown) => {
        if (error instanceof PaymentUnreachable) return { kind: 'unreachable', code: error.code };
        throw error;
      }),
  };
}

function compare(answer: JsonObject, { orderId, payable }: OrderToVerify): PaymentVerdict {
  const amount = numberOf(answer['amount']);
  if (amount === undefined) return { kind: 'unreachable', code: 'no-amount' };
  if (BigInt(amount) !== payable.units) return { kind: 'mismatch', code: 'amount' };
  const named = answer['orderId'];
  if (typeof named === 'string' && named !== '' && named !== orderId) return { kind: 'mismatch', code: 'order' };
  const card = answer['cardNumber'];
  return {
    kind: 'paid',
    reference: String(answer['refNumber'] ?? ''),
    card: typeof card === 'string' ? card : undefined,
  };
}

function numberOf(value: Json | undefined): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}
