/** ZarinPal v4 as documented: request, verify, inquiry, the list of unverified payments, and errors whose shape flips. */
import { isJsonObject, type JsonObject, parseTrustedJson } from '../../src/core/json.ts';
import { type BankAnswer, type BankCall, FakeBank } from './fake-bank.ts';

interface Session {
  merchant: unknown;
  amount: number;
  callback: string;
  state: 'open' | 'refused' | 'paid' | 'verified' | 'reversed';
}

const STATUS = {
  open: 'IN_BANK',
  refused: 'FAILED',
  paid: 'PAID',
  verified: 'VERIFIED',
  reversed: 'REVERSED',
} as const;
/** Of the last unverified payments no more are listed. */
const MAX_LISTED = 100;

export class FakeZarinpal extends FakeBank {
  readonly sessions = new Map<string, Session>();
  /** A gateway that says "first time" every time, as one bank did for a while. */
  alwaysFirstTime = false;
  /** What it says it keeps of a verified payment, in rial, and who bears it. */
  fee: { fee: number; fee_type?: 'Merchant' | 'Payer' } = { fee: 0 };
  /** The reference of a verified payment; the same for all until a test wants to tell them apart. */
  referenceOf: (authority: string) => number = () => 201;
  /** What its panel lists as paid out, and the refunds that it took. */
  readonly payouts: JsonObject[] = [];
  readonly refunds: { session: string; amount: number; method: string; description: string }[] = [];

  pay(authority: string): void {
    const session = this.sessions.get(authority);
    if (session) session.state = 'paid';
  }

  /** The customer gave up at the bank, or the merchant sent the money back. */
  become(authority: string, state: Session['state']): void {
    const session = this.sessions.get(authority);
    if (session) session.state = state;
  }

  failure(code: number): BankAnswer {
    return { status: 200, body: { data: [], errors: { code, message: 'documented failure', validations: [] } } };
  }

  answer({ path, body, headers }: BankCall): BankAnswer {
    const input = parseTrustedJson(body);
    if (path === '/api/v4/graphql/') return this.#panel(input, headers.authorization);
    if (!isJsonObject(input) || String(input['merchant_id']).length !== 36) return this.failure(-9);
    if (path === '/pg/v4/payment/request.json') {
      const authority = `A${String(this.sessions.size + 1).padStart(35, '0')}`;
      if (typeof input['amount'] !== 'number' || !Number.isInteger(input['amount'])) return this.failure(-9);
      const amount = input['currency'] === 'IRT' ? input['amount'] * 10 : input['amount'];
      const callback = String(input['callback_url']);
      this.sessions.set(authority, { merchant: input['merchant_id'], amount, callback, state: 'open' });
      return {
        status: 200,
        body: { data: { code: 100, message: 'Success', authority, fee_type: 'Merchant', fee: 100 }, errors: [] },
      };
    }
    if (path === '/pg/v4/payment/unVerified.json') return this.#unverified(input['merchant_id']);
    const session = this.sessions.get(String(input['authority']));
    if (!session) return this.failure(-54);
    if (session.merchant !== input['merchant_id']) return this.failure(-53);
    if (path === '/pg/v4/payment/inquiry.json')
      return {
        status: 200,
        body: { data: { status: STATUS[session.state], code: 100, message: 'Success' }, errors: [] },
      };
    if (session.state !== 'paid' && session.state !== 'verified') return this.failure(-51);
    if (session.amount !== input['amount']) return this.failure(-50);
    const code = session.state === 'paid' || this.alwaysFirstTime ? 100 : 101;
    session.state = 'verified';
    const ref_id = this.referenceOf(String(input['authority']));
    const told = { code, message: 'Verified', card_hash: 'AB', card_pan: '502229******5995', ref_id, ...this.fee };
    return { status: 200, body: { data: told, errors: [] } };
  }

  /** The panel's GraphQL: a list of payouts, payments by their reference, refunds. Errors are a list beside an empty answer. */
  #panel(input: unknown, authorization: string | undefined): BankAnswer {
    if (authorization !== 'Bearer token-1' || !isJsonObject(input))
      return { status: 401, body: { errors: [{ message: 'Unauthenticated.' }] } };
    const query = String(input['query']);
    const given = isJsonObject(input['variables']) ? input['variables'] : {};
    if (query.includes('Reconciliation(')) return { status: 200, body: { data: { resource: this.payouts } } };
    if (query.includes('Session(')) {
      const found = [...this.sessions.keys()].filter((one) => String(this.referenceOf(one)) === given['reference_id']);
      return { status: 200, body: { data: { resource: found.map((id) => ({ id, status: 'PAID' })) } } };
    }
    const { session_id: session, amount, method, description } = given;
    if (typeof amount !== 'number' || amount < 20_000)
      return { status: 200, body: { errors: [{ message: 'validation' }], data: { resource: null } } };
    this.refunds.push({ session: String(session), amount, method: String(method), description: String(description) });
    return { status: 200, body: { data: { resource: { id: `rf-${this.refunds.length}`, terminal_id: '1', amount } } } };
  }

  /** Its code is a text in the documentation. */
  #unverified(merchant: unknown): BankAnswer {
    const authorities = [...this.sessions]
      .filter(([, session]) => session.merchant === merchant && session.state === 'paid')
      .slice(-MAX_LISTED)
      .map(([authority, { amount, callback }]) => ({
        authority,
        amount,
        callback_url: callback,
        referer: '/',
        date: '2026-11-15 10:00:00',
      }));
    return { status: 200, body: { data: { code: '100', message: 'Success', authorities }, errors: [] } };
  }
}
