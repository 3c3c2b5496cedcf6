/** ZarinPal v4 as documented: request, verify, and errors whose shape flips. */
import { isJsonObject, parseTrustedJson } from '../../src/core/json.ts';
import { type BankAnswer, type BankCall, FakeBank } from './fake-bank.ts';

interface Session {
  merchant: unknown;
  amount: number;
  state: 'open' | 'paid' | 'verified';
}

export class FakeZarinpal extends FakeBank {
  readonly sessions = new Map<string, Session>();
  /** A gateway that says "first time" every time, as one bank did for a while. */
  alwaysFirstTime = false;

  pay(authority: string): void {
    const session = this.sessions.get(authority);
    if (session) session.state = 'paid';
  }

  failure(code: number): BankAnswer {
    return { status: 200, body: { data: [], errors: { code, message: 'documented failure', validations: [] } } };
  }

  answer({ path, body }: BankCall): BankAnswer {
    const input = parseTrustedJson(body);
    if (!isJsonObject(input) || String(input['merchant_id']).length !== 36) return this.failure(-9);
    if (path === '/pg/v4/payment/request.json') {
      const authority = `A${String(this.sessions.size + 1).padStart(35, '0')}`;
      if (typeof input['amount'] !== 'number' || !Number.isInteger(input['amount'])) return this.failure(-9);
      const amount = input['currency'] === 'IRT' ? input['amount'] * 10 : input['amount'];
      this.sessions.set(authority, { merchant: input['merchant_id'], amount, state: 'open' });
      return {
        status: 200,
        body: { data: { code: 100, message: 'Success', authority, fee_type: 'Merchant', fee: 100 }, errors: [] },
      };
    }
    const session = this.sessions.get(String(input['authority']));
    if (!session) return this.failure(-54);
    if (session.merchant !== input['merchant_id']) return this.failure(-53);
    if (session.state === 'open') return this.failure(-51);
    if (session.amount !== input['amount']) return this.failure(-50);
    const code = session.state === 'paid' || this.alwaysFirstTime ? 100 : 101;
    session.state = 'verified';
    const told = { code, message: 'Verified', card_hash: 'AB', card_pan: '502229******5995', ref_id: 201, fee: 0 };
    return { status: 200, body: { data: told, errors: [] } };
  }
}
