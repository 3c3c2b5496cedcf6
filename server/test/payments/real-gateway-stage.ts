/** A cash desk with every real gateway, each a server that answers as its documentation says. */
import { afterAll, beforeAll } from 'vitest';
import { wholeToman } from '../../src/payments/amounts.ts';
import { HandClock } from '../admission/hand-clock.ts';
import { type BankFault, FakeStripe, FakeZarinpal, FakeZibal } from '../fake-bank/index.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';
import { type CashDesk, makeAccount, openCashDesk, proveBooks } from './cash-desk.ts';

const MERCHANT = '00000000-0000-0000-0000-000000000000';
export const WEBHOOK_SECRET = 'whsec_test_secret';
export const AMOUNT = wholeToman(250_000n);

const RETURN_FIELDS: Record<string, (externalId: string) => Map<string, string>> = {
  zarinpal: (id) =>
    new Map([
      ['Authority', id],
      ['Status', 'OK'],
    ]),
  zibal: (id) =>
    new Map([
      ['trackId', id],
      ['success', '1'],
      ['status', '2'],
    ]),
  stripe: (id) => new Map([['session_id', id]]),
};
const VERIFY_PATHS: Record<string, string> = { zarinpal: '/verify.json', zibal: '/v1/verify', stripe: 'cs_test_' };

export class RealGateways {
  readonly zarinpal = new FakeZarinpal();
  readonly zibal = new FakeZibal();
  readonly stripe = new FakeStripe();
  readonly clock = new HandClock();
  #temporary: TemporaryDatabase | undefined;
  #desk: CashDesk | undefined;
  #accounts = 0;

  get desk(): CashDesk {
    if (!this.#desk) throw new Error('the desk is not open yet');
    return this.#desk;
  }

  get lastCustomer(): string {
    return `customer-${this.#accounts}`;
  }

  /** The three have the same controls; the types of one stand for all. */
  server(gateway: string): FakeZarinpal {
    return this[gateway as 'zarinpal'];
  }

  async open(): Promise<void> {
    await Promise.all([this.zarinpal.open(), this.zibal.open(), this.stripe.open()]);
    this.#temporary = await openTemporaryDatabase();
    this.#desk = openCashDesk({ db: this.#temporary.db, clock: this.clock });
    const on = (id: string, secrets: Record<string, string>, base_url: string) =>
      this.desk.gateways.change(id, { enabled: true, secrets, options: { base_url } }, 'test');
    await on('zarinpal', { merchant_id: MERCHANT }, this.zarinpal.origin);
    await on('zibal', { merchant: 'zibal' }, this.zibal.origin);
    await on('stripe', { secret_key: 'sk_test_1', webhook_secret: WEBHOOK_SECRET }, this.stripe.origin);
  }

  async close(): Promise<void> {
    await proveBooks(this.desk.books);
    await this.desk.close();
    await this.#temporary?.remove();
    await Promise.all([this.zarinpal.close(), this.zibal.close(), this.stripe.close()]);
  }

  /** A customer of its own begins to pay. */
  async begin(gateway: string) {
    const { desk } = this;
    const accountId = `customer-${++this.#accounts}`;
    if (this.#temporary) await makeAccount(this.#temporary.db, accountId);
    const order = await desk.orders.begin({
      accountId,
      gateway,
      amount: AMOUNT,
      createdBy: 'test',
      language: 'fa',
      origin: 'https://gateway.test',
    });
    return {
      order,
      externalId: order.externalId ?? '',
      balance: async () => (await desk.books.wallet(accountId)).posted,
    };
  }

  comeBack(gateway: string, externalId: string) {
    return this.desk.orders.returned(gateway, RETURN_FIELDS[gateway]?.(externalId) ?? new Map());
  }

  pay(gateway: string, externalId: string) {
    return this.server(gateway).pay(externalId);
  }

  /** Stripe's path ends with the session itself. */
  failNextVerify(gateway: string, externalId: string, ...faults: BankFault[]): void {
    const path = gateway === 'stripe' ? externalId : (VERIFY_PATHS[gateway] ?? '');
    this.server(gateway).failNext(path, ...faults);
  }
}

/** Opened before the tests of a file, closed and proven after them. */
export function realGateways(): RealGateways {
  const bank = new RealGateways();
  beforeAll(() => bank.open());
  afterAll(() => bank.close());
  return bank;
}
