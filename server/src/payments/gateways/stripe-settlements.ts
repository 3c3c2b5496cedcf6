/** What Stripe paid out: its payouts and the balance transactions of each, with their amounts, fees and subjects. */
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { type GatewaySettlement, PaymentUnreachable, type SettlementLine } from '../gateway.ts';
import { type StripeCall, stripeCode } from './stripe-call.ts';

const PAGE = 100;
/** A payout with more movements than this is not read, so that a list without an end cannot block the process. */
const MAX_PAGES = 500;

export function createStripeSettlements(call: StripeCall): (since: Date) => Promise<GatewaySettlement[]> {
  /** Reads all pages of a list, each from the id of the last entry on. */
  async function all(path: string, query: Record<string, string>): Promise<JsonObject[]> {
    const found: JsonObject[] = [];
    let after: Record<string, string> = {};
    for (let page = 0; page < MAX_PAGES; page++) {
      const asked = new URLSearchParams({ ...query, limit: String(PAGE), ...after });
      const { status, body } = await call('GET', `${path}?${asked}`);
      const listed = body['data'];
      if (status !== 200 || !Array.isArray(listed)) throw new PaymentUnreachable('stripe', stripeCode(status, body));
      const entries = listed.filter(isJsonObject);
      found.push(...entries);
      const last = entries.at(-1)?.['id'];
      if (body['has_more'] !== true || typeof last !== 'string') return found;
      after = { starting_after: last };
    }
    throw new PaymentUnreachable('stripe', 'list-too-long');
  }

  return async (since) => {
    const from = String(Math.floor(since.getTime() / 1000));
    const payouts = await all('/v1/payouts', { 'arrival_date[gte]': from, status: 'paid' });
    const settlements: GatewaySettlement[] = [];
    for (const payout of payouts) {
      const { id, amount, arrival_date: arrival, currency, trace_id: trace } = payout;
      if (typeof id !== 'string' || !isWhole(amount) || !isWhole(arrival) || amount <= 0) continue;
      const movements = await all('/v1/balance_transactions', { payout: id, 'expand[]': 'data.source' });
      settlements.push({
        id,
        paidAt: new Date(arrival * 1000),
        reference: isJsonObject(trace) && typeof trace['value'] === 'string' ? trace['value'] : null,
        unit: String(currency).toUpperCase(),
        units: BigInt(amount),
        lines: movements.flatMap(lineOf),
      });
    }
    return settlements;
  };
}

const KINDS: Readonly<Record<string, SettlementLine['kind']>> = {
  charge: 'payment',
  refund: 'refund',
  dispute: 'dispute',
};

/** The payout itself is listed among its own movements and is left out; a movement without a payment is a fee. */
function lineOf(movement: JsonObject): SettlementLine[] {
  const { type, amount, fee, created, description } = movement;
  if (type === 'payout' || !isWhole(amount)) return [];
  const source = isJsonObject(movement['source']) ? movement['source'] : {};
  const kind = KINDS[String(movement['reporting_category'])] ?? KINDS[String(source['object'])] ?? 'fee';
  const kept = isWhole(fee) ? fee : 0;
  const isFee = kind === 'fee';
  return [
    {
      kind,
      reference: textOf(source['payment_intent']),
      externalId: textOf(source['id']) ?? textOf(movement['id']),
      at: new Date((isWhole(created) ? created : 0) * 1000),
      text: textOf(description),
      gross: isFee ? 0n : BigInt(amount),
      fee: isFee ? BigInt(kept - amount) : BigInt(kept),
    },
  ];
}

function isWhole(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value);
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
