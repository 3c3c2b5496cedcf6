/**
 * ZarinPal, version 4 of its API. Amounts are sent with their unit; verifying needs the amount of the request. Only
 * `verify` decides that something is paid; an inquiry distinguishes a customer who is still at the bank from one who
 * gave up.
 */
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { inRial, wholeToman } from '../amounts.ts';
import {
  type OrderToVerify,
  type PaymentGateway,
  PaymentRefused,
  PaymentUnreachable,
  type PaymentVerdict,
  type UnverifiedPayment,
} from '../gateway.ts';
import { type AskGateway, postJson } from './ask.ts';

export interface ZarinpalOptions {
  ask: AskGateway;
  merchantId: string;
  baseUrl: string;
}

export const ZARINPAL_URL = 'https://payment.zarinpal.com';
/** 100: verified now; 101: verified before. Only our own order knows whether it was credited. */
const PAID = new Set([100, 101]);
/** The session is not paid; the customer may still be paying. */
const NOT_PAID = -51;
const AMOUNT_DIFFERS = -50;
/** The states that an inquiry reports for a payment that is not verified. */
const AT_THE_BANK = 'IN_BANK';
const SENT_BACK = 'REVERSED';
const MADE = new Set(['PAID', 'VERIFIED']);
const PAYER_BEARS = 'Payer';

export function createZarinpal({ ask, merchantId, baseUrl }: ZarinpalOptions): PaymentGateway {
  const id = 'zarinpal';
  const call = (path: string, body: JsonObject) =>
    ask(postJson(`${baseUrl}/pg/v4/payment/${path}.json`, { merchant_id: merchantId, ...body }));

  async function verify({ externalId, payable }: OrderToVerify): Promise<PaymentVerdict> {
    const { body } = await call('verify', { amount: Number(payable.units), authority: externalId });
    const verdict = verdictOf(body);
    return verdict.kind === 'unpaid' && !verdict.final ? whyUnpaid(externalId, verdict) : verdict;
  }

  /** An inquiry that fails adds nothing to the result of verifying. */
  async function whyUnpaid(externalId: string, verdict: PaymentVerdict): Promise<PaymentVerdict> {
    const answer = await call('inquiry', { authority: externalId }).catch((error: unknown) => {
      if (error instanceof PaymentUnreachable) return undefined;
      throw error;
    });
    const status = answer && dataOf(answer.body)?.['status'];
    if (status === AT_THE_BANK) return { kind: 'pending' };
    if (status === SENT_BACK) return { kind: 'unpaid', code: 'reversed', final: true };
    // The payment was made between the two questions, or the answers contradict each other. It is asked about again; an inquiry
    // alone never credits.
    if (typeof status === 'string' && MADE.has(status)) return { kind: 'unreachable', code: 'contradiction' };
    return verdict;
  }

  return {
    id,
    name: { fa: 'زرین‌پال', en: 'ZarinPal' },
    offered: true,
    bringsMoney: true,
    minimum: wholeToman(1_000n),
    maximum: wholeToman(100_000_000n),
    timeoutMs: 60 * 60_000,
    payable: inRial,
    async begin({ orderId, payable, returnUrl, description, mobile }) {
      const { body } = await call('request', {
        amount: Number(payable.units),
        currency: payable.unit,
        description,
        callback_url: returnUrl,
        metadata: { order_id: orderId, ...(mobile === undefined ? {} : { mobile }) },
      });
      const data = dataOf(body);
      const authority = data?.['authority'];
      if (codeOf(data) === 100 && typeof authority === 'string' && authority !== '')
        return { externalId: authority, redirectUrl: `${baseUrl}/pg/StartPay/${authority}` };
      throw new PaymentRefused(id, String(errorCode(body) ?? codeOf(data) ?? 'no-authority'));
    },
    readReturn: (fields) => fields.get('Authority'),
    verify: (order) =>
      verify(order).catch((error: unknown) => {
        if (error instanceof PaymentUnreachable) return { kind: 'unreachable', code: error.code };
        throw error;
      }),
    async unverified() {
      const { body } = await call('unVerified', {});
      const data = dataOf(body);
      const listed = data?.['authorities'];
      if (codeOf(data) !== 100 || !Array.isArray(listed))
        throw new PaymentUnreachable(id, String(errorCode(body) ?? codeOf(data) ?? 'no-list'));
      return listed.flatMap(listedPayment);
    },
  };
}

function verdictOf(body: JsonObject): PaymentVerdict {
  const data = dataOf(body);
  const code = codeOf(data);
  if (data && code !== undefined && PAID.has(code)) {
    const reference = data['ref_id'];
    if (typeof reference !== 'string' && typeof reference !== 'number')
      return { kind: 'unreachable', code: 'no-reference' };
    const card = data['card_pan'];
    return {
      kind: 'paid',
      reference: String(reference),
      card: typeof card === 'string' ? card : undefined,
      fee: feeOf(data),
    };
  }
  const error = errorCode(body) ?? code;
  if (error === AMOUNT_DIFFERS) return { kind: 'mismatch', code: String(error) };
  if (error === NOT_PAID) return { kind: 'unpaid', code: String(error), final: false };
  // A merchant that is blocked or tries too often says nothing about this payment. Nor does one that does not know the
  // authority (-53, -54): we got it from ZarinPal ourselves, so the merchant was changed since, and it may be paid.
  return { kind: 'unreachable', code: String(error ?? 'no-code') };
}

/** In the unit of the request, rial. A payer who bears the fee pays it on top, so nothing of ours is kept. */
function feeOf(data: JsonObject): bigint | undefined {
  const fee = numberOf(data['fee']);
  if (fee === undefined || fee < 0) return undefined;
  return data['fee_type'] === PAYER_BEARS ? 0n : BigInt(fee);
}

function listedPayment(entry: Json): UnverifiedPayment[] {
  if (!isJsonObject(entry) || typeof entry['authority'] !== 'string') return [];
  const returnUrl = entry['callback_url'];
  return [{ externalId: entry['authority'], returnUrl: typeof returnUrl === 'string' ? returnUrl : '' }];
}

/** On failure `data` is an empty list and `errors` an object; on success it is the other way round. */
function dataOf(body: JsonObject): JsonObject | undefined {
  return isJsonObject(body['data']) ? body['data'] : undefined;
}

function codeOf(data: JsonObject | undefined): number | undefined {
  return numberOf(data?.['code']);
}

function errorCode(body: JsonObject): number | undefined {
  return isJsonObject(body['errors']) ? numberOf(body['errors']['code']) : undefined;
}

function numberOf(value: Json | undefined): number | undefined {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) ? number : undefined;
}
