/** Stripe's checkout sessions, refunds and disputes as documented, for a client that sends forms. */
import type { JsonObject } from '../../src/core/json.ts';
import { type BankAnswer, type BankCall, FakeBank } from './fake-bank.ts';

interface Session {
  id: string;
  amount: number;
  currency: string;
  reference: string;
  status: 'open' | 'complete' | 'expired';
  paymentStatus: 'paid' | 'unpaid';
}

interface Refund {
  id: string;
  payment_intent: string;
  amount: number;
  status: 'succeeded' | 'pending' | 'failed';
  metadata: { refund: string };
}

export class FakeStripe extends FakeBank {
  readonly refunds: Refund[] = [];
  /** What the next refunds are when they are made. */
  refundsBegin: Refund['status'] = 'succeeded';
  readonly sessions = new Map<string, Session>();
  /** What the balance transaction of a payment says, in cents; undefined while there is none yet. */
  fee: number | undefined;
  readonly disputes = new Map<
    string,
    { payment_intent: string; amount: number; status: string; balance_transactions?: JsonObject[] }
  >();
  /** Payouts, and the balance transactions of each. */
  readonly payouts: { id: string; amount: number; arrival_date: number; movements: JsonObject[] }[] = [];
  readonly #byIdempotencyKey = new Map<string, BankAnswer>();

  pay(id: string, change: Partial<Session> = {}): void {
    const session = this.sessions.get(id);
    if (session) Object.assign(session, { status: 'complete', paymentStatus: 'paid' }, change);
  }

  failure(code: number): BankAnswer {
    return { status: code, body: { error: { type: 'api_error', code: `stripe_${code}` } } };
  }

  answer(call: BankCall): BankAnswer {
    const key = call.headers['idempotency-key'];
    const known = typeof key === 'string' ? this.#byIdempotencyKey.get(key) : undefined;
    if (known) return known;
    const answer = this.#fresh(call);
    if (typeof key === 'string') this.#byIdempotencyKey.set(key, answer);
    return answer;
  }

  #fresh({ method, path, query, body, headers }: BankCall): BankAnswer {
    if (headers.authorization !== 'Bearer sk_test_1') return this.failure(401);
    const id = path.split('/').at(-1) ?? '';
    if (path.startsWith('/v1/disputes/')) {
      const dispute = this.disputes.get(id);
      return dispute ? { status: 200, body: { id, currency: 'usd', ...dispute } } : this.failure(404);
    }
    if (path.startsWith('/v1/payment_intents/')) {
      const movement = this.fee === undefined ? null : { fee: this.fee, currency: 'usd' };
      return { status: 200, body: { id, latest_charge: { balance_transaction: movement } } };
    }
    if (path === '/v1/payouts' || path === '/v1/balance_transactions') return this.#paidOut(path, query);
    if (path === '/v1/refunds')
      return method === 'POST' ? this.#sendBack(new URLSearchParams(body)) : this.#listed(query);
    if (method === 'POST') return this.#begin(new URLSearchParams(body));
    const session = this.sessions.get(id);
    return session ? { status: 200, body: shown(session) } : this.failure(404);
  }

  /** In pages, by the id of the last entry. */
  #paidOut(path: string, query: URLSearchParams): BankAnswer {
    const from = Number(query.get('arrival_date[gte]'));
    const all: JsonObject[] =
      path === '/v1/payouts'
        ? this.payouts
            .filter(({ arrival_date: at }) => at >= from)
            .map(({ movements: _, ...payout }) => ({ ...payout, currency: 'usd', status: 'paid' }))
        : (this.payouts.find(({ id }) => id === query.get('payout'))?.movements ?? []);
    const after = query.get('starting_after');
    const begin = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1;
    const limit = Number(query.get('limit') ?? 10);
    const data = all.slice(begin, begin + limit);
    return { status: 200, body: { object: 'list', data, has_more: begin + limit < all.length } };
  }

  /** Stripe remembers a key for a day. */
  forgetKeys(): void {
    this.#byIdempotencyKey.clear();
  }

  /** Never more than was paid: what failed does not count. */
  #sendBack(form: URLSearchParams): BankAnswer {
    const [intent, amount] = [form.get('payment_intent') ?? '', Number(form.get('amount'))];
    const session = [...this.sessions.values()].find(({ id }) => `pi_${id}` === intent);
    const gone = this.refunds.filter((one) => one.payment_intent === intent && one.status !== 'failed');
    const left = (session?.amount ?? 0) - gone.reduce((sum, one) => sum + one.amount, 0);
    if (amount > left)
      return { status: 400, body: { error: { type: 'invalid_request_error', code: 'charge_already_refunded' } } };
    const refund: Refund = {
      id: `re_${this.refunds.length + 1}`,
      payment_intent: intent,
      amount,
      status: this.refundsBegin,
      metadata: { refund: form.get('metadata[refund]') ?? '' },
    };
    this.refunds.push(refund);
    return { status: 200, body: { ...refund } };
  }

  #listed(query: URLSearchParams): BankAnswer {
    const data = this.refunds.filter((one) => one.payment_intent === query.get('payment_intent'));
    return { status: 200, body: { object: 'list', data: data.map((one) => ({ ...one })), has_more: false } };
  }

  #begin(form: URLSearchParams): BankAnswer {
    const id = `cs_test_${this.sessions.size + 1}`;
    const session: Session = {
      id,
      amount: Number(form.get('line_items[0][price_data][unit_amount]')),
      currency: form.get('line_items[0][price_data][currency]') ?? '',
      reference: form.get('client_reference_id') ?? '',
      status: 'open',
      paymentStatus: 'unpaid',
    };
    this.sessions.set(id, session);
    return { status: 200, body: shown(session) };
  }
}

function shown({ id, amount, currency, reference, status, paymentStatus }: Session) {
  return {
    id,
    object: 'checkout.session',
    url: `https://checkout.stripe.test/${id}`,
    amount_total: amount,
    currency,
    client_reference_id: reference,
    status,
    payment_status: paymentStatus,
    payment_intent: paymentStatus === 'paid' ? `pi_${id}` : null,
  };
}
