/**
 * ZarinPal's second API, GraphQL with an access token: what it paid out, and refunds. Its list of payouts has sums
 * only. Whether a refund that is requested twice is sent twice is not documented, so it is requested once; unless the
 * answer says clearly that it was not accepted, its outcome stays unknown.
 */
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import {
  type GatewaySettlement,
  type PaymentGateway,
  PaymentUnreachable,
  type RefundToSend,
  type RefundVerdict,
} from '../gateway.ts';
import type { AskGateway } from './ask.ts';

interface ZarinpalPanelOptions {
  ask: AskGateway;
  accessToken: string;
  terminalId: string;
  baseUrl: string;
  /** PAYA: with the next cycle of the banks. CARD: at once, to the card. */
  refundMethod: 'PAYA' | 'CARD';
}

export const ZARINPAL_API_URL = 'https://next.zarinpal.com';
const PATH = '/api/v4/graphql/';
const MIN_REFUND_RIAL = 20_000n;
const MAX_LIST_BYTES = 4 * 1024 * 1024;
/** The call was rejected before anything was done. */
const NOT_LET_IN = new Set([400, 401, 403, 404, 422]);

const PAYOUTS = `query Payouts($terminal_id: ID!) {
  resource: Reconciliation(terminal_id: $terminal_id) { id status amount payable_at reference_id reconciled_at }
}`;
const PAYMENT = `query Payment($terminal_id: ID!, $reference_id: String) {
  resource: Session(terminal_id: $terminal_id, reference_id: $reference_id) { id status amount }
}`;
const REFUND = `mutation AddRefund($session_id: ID!, $amount: BigInteger!, $description: String, $method: InstantPayoutActionTypeEnum, $reason: RefundReasonEnum) {
  resource: AddRefund(session_id: $session_id, amount: $amount, description: $description, method: $method, reason: $reason) {
    id terminal_id amount timeline { refund_amount refund_time refund_status }
  }
}`;

interface Answer {
  status: number;
  resource: Json | undefined;
  /** The first error's code or message; undefined without an error. */
  error: string | undefined;
}

export function createZarinpalPanel(
  options: ZarinpalPanelOptions,
): Required<Pick<PaymentGateway, 'settlements' | 'refund'>> {
  const { accessToken, terminalId, baseUrl, refundMethod } = options;

  async function call(query: string, variables: JsonObject): Promise<Answer> {
    const { status, body } = await options.ask({
      url: `${baseUrl}${PATH}`,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` },
      body: JSON.stringify({ query, variables }),
      maxBytes: MAX_LIST_BYTES,
    });
    const resource = isJsonObject(body['data']) ? body['data']['resource'] : undefined;
    return { status, resource: resource ?? undefined, error: errorOf(body) };
  }

  /** Returns undefined when this payment does not exist, or its reference is not unique. */
  async function sessionOf({ reference }: RefundToSend): Promise<string | undefined> {
    const { status, resource, error } = await call(PAYMENT, { terminal_id: terminalId, reference_id: reference });
    if (status !== 200 || error !== undefined || !Array.isArray(resource))
      throw new PaymentUnreachable('zarinpal', error ?? `http-${status}`);
    const [found, ...others] = resource.filter(isJsonObject);
    const id = found?.['id'];
    return others.length === 0 && (typeof id === 'string' || typeof id === 'number') ? String(id) : undefined;
  }

  async function send(refund: RefundToSend): Promise<RefundVerdict> {
    const { units, unit } = refund.payable;
    if (unit !== 'IRR' || units < MIN_REFUND_RIAL) return { kind: 'refused', code: 'below-minimum' };
    // No refund was requested yet, so no money moved whatever fails here.
    const session = await sessionOf(refund).catch((error: unknown) => {
      if (error instanceof PaymentUnreachable) return error;
      throw error;
    });
    if (session === undefined) return { kind: 'refused', code: 'no-such-payment' };
    if (session instanceof PaymentUnreachable) return { kind: 'refused', code: `not-asked:${session.code}` };
    const variables = { session_id: session, amount: Number(units), method: refundMethod, reason: 'CUSTOMER_REQUEST' };
    const answer = await call(REFUND, { ...variables, description: refund.refundId });
    return verdictOf(answer, units);
  }

  return {
    async settlements(since) {
      const { status, resource, error } = await call(PAYOUTS, { terminal_id: terminalId });
      if (status !== 200 || error !== undefined || !Array.isArray(resource))
        throw new PaymentUnreachable('zarinpal', error ?? `http-${status}`);
      return resource.flatMap(payoutOf).filter(({ paidAt }) => paidAt >= since);
    },
    refund: {
      repeatable: false,
      send: (refund) =>
        send(refund).catch((error: unknown) => {
          if (error instanceof PaymentUnreachable) return { kind: 'unreachable', code: error.code };
          throw error;
        }),
    },
  };
}

/** Only an answer that names a refund of exactly this amount counts as sent; only a rejected call counts as refused. */
function verdictOf({ status, resource, error }: Answer, units: bigint): RefundVerdict {
  const made = isJsonObject(resource) ? resource : {};
  const { id, amount } = made;
  if (status === 200 && error === undefined && (typeof id === 'string' || typeof id === 'number')) {
    if (amount !== undefined && String(amount) !== String(units))
      return { kind: 'unreachable', code: 'amount-differs' };
    return { kind: 'sent', reference: String(id) };
  }
  const code = error ?? `http-${status}`;
  return { kind: NOT_LET_IN.has(status) && resource === undefined ? 'refused' : 'unreachable', code };
}

/** A payout that has not been paid yet is not listed. */
function payoutOf(entry: Json): GatewaySettlement[] {
  if (!isJsonObject(entry)) return [];
  const { id, amount, reconciled_at: paid, reference_id: reference } = entry;
  const paidAt = new Date(String(paid));
  const units = Number(amount);
  if (typeof paid !== 'string' || Number.isNaN(paidAt.getTime()) || !Number.isSafeInteger(units) || units <= 0)
    return [];
  if (typeof id !== 'string' && typeof id !== 'number') return [];
  return [
    {
      id: String(id),
      paidAt,
      reference: reference === null || reference === undefined ? null : String(reference),
      unit: 'IRR',
      units: BigInt(units),
      lines: null,
    },
  ];
}

function errorOf(body: JsonObject): string | undefined {
  const errors = body['errors'];
  const [first] = Array.isArray(errors) ? errors.filter(isJsonObject) : [];
  if (first === undefined) return undefined;
  const code = isJsonObject(first['extensions']) ? first['extensions']['code'] : undefined;
  return String(code ?? first['message'] ?? 'error').slice(0, 100);
}
