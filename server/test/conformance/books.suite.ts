/** Every event of the books as its lines, on every database, by the services that customers and staff use. The proof holds after each. */
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import * as events from '../../src/accounting/index.ts';
import { money, toTomanText } from '../../src/core/money.ts';
import type { NewDocument } from '../../src/ledger/index.ts';
import { wholeToman } from '../../src/payments/amounts.ts';
import { WelcomeCredit } from '../../src/people/welcome-credit.ts';
import type { Database } from '../../src/platform/db/index.ts';
import { HandClock } from '../admission/hand-clock.ts';
import { FakeStripe, FakeZarinpal } from '../fake-bank/index.ts';
import { record } from '../ledger/request-fixture.ts';
import { type CashDesk, makeAccount, openCashDesk, proveBooks } from '../payments/cash-desk.ts';
import type { DatabaseUnderTest } from './database.suite.ts';
import { POSTED_AT, postRequest } from './post-request.ts';

const toman = (amount: number) => wholeToman(BigInt(amount));
const MILLION = toman(1_000_000);

export function booksSuite(name: string, openDatabase: () => Promise<DatabaseUnderTest>): void {
  describe(`entries of the books: ${name}`, () => {
    const clock = new HandClock();
    const zarinpal = new FakeZarinpal();
    const stripe = new FakeStripe();
    let subject: DatabaseUnderTest;
    let db: Database;
    let desk: CashDesk;
    let accounts = 0;

    beforeAll(async () => {
      [subject] = await Promise.all([openDatabase(), zarinpal.open(), stripe.open()]);
      db = subject.db;
      clock.nowMs = POSTED_AT;
      desk = openCashDesk({ db, clock, random: randomBytes, vatBasisPoints: 1000 });
      const on = (id: string, secrets: Record<string, string>, base_url: string) =>
        desk.gateways.change(id, { enabled: true, secrets, options: { base_url } }, 'test');
      await on('zarinpal', { merchant_id: '00000000-0000-0000-0000-000000000000' }, zarinpal.origin);
      await on('stripe', { secret_key: 'sk_test_1', webhook_secret: 'whsec_1' }, stripe.origin);
      await desk.gateways.change('bank-transfer', { enabled: true }, 'test');
      await desk.gateways.change('sandbox', { enabled: true }, 'test');
    });
    afterAll(async () => {
      await desk.close();
      await Promise.all([subject.close(), zarinpal.close(), stripe.close()]);
    });
    afterEach(() => proveBooks(desk.books));

    async function begin(gateway: string, amount = MILLION) {
      const accountId = `acme-${++accounts}`;
      await makeAccount(db, accountId);
      const input = { accountId, gateway, amount, createdBy: 'test', language: 'fa' as const };
      return desk.orders.begin({ ...input, origin: 'https://x.test' });
    }
    async function paid(gateway: 'zarinpal' | 'stripe' | 'sandbox', amount = MILLION) {
      const order = await begin(gateway, amount);
      if (gateway === 'zarinpal') zarinpal.pay(order.externalId ?? '');
      if (gateway === 'stripe') stripe.pay(order.externalId ?? '');
      if (gateway === 'sandbox')
        await db.query(`update sandbox_payment set state = 'paid' where id = $1`, [order.externalId]);
      return desk.orders.verifyAgain(order.id, 'test');
    }
    /** `debit ← credit: toman`, in the order of writing; wallets without the account's name. */
    async function lines(reference: string): Promise<string[]> {
      const rows = await db.query<{ debit: string; credit: string; amount: string }>(
        `select debit, credit, amount::text as amount from ledger_transfer where split_part(id, ':', 2) = $1 order by seq`,
        [reference],
      );
      const book = (id: string) => id.replace(/^wallet:.*/, 'wallet');
      return rows.map(
        ({ debit, credit, amount }) => `${book(debit)} ← ${book(credit)}: ${toTomanText(money(BigInt(amount)))}`,
      );
    }
    async function booked(document: NewDocument): Promise<string[]> {
      await desk.books.book(document);
      // Again: nothing moves.
      expect(await desk.books.book(document)).toBe(false);
      return lines(document.id.split(':')[1] ?? '');
    }
    const balance = async (book: string) => {
      const line = (await desk.books.trialBalance()).find((one) => one.book === book);
      return line === undefined ? '0' : toTomanText(money(line.debit - line.credit));
    };
    const papers = (orderId: string) =>
      db.query<{ kind: string; number: number; amount: string; vat: string }>(
        `select kind, number, (amount / 1000000)::bigint::text as amount, (vat / 1000000)::bigint::text as vat
         from invoice where coalesce(order_id, part_of_order) = $1 order by issued_at, abs(number)`,
        [orderId],
      );

    it('a top-up with its tax, and the fee that the gateway states', async () => {
      zarinpal.fee = { fee: 110_000, fee_type: 'Merchant' };
      const order = await paid('zarinpal');
      expect(await lines(order.id)).toEqual([
        'gateway:zarinpal ← wallet: 1000000',
        'gateway:zarinpal ← vat-payable: 100000',
      ]);
      expect(order.fee).toBe(toman(11_000));
      const [document] = await db.query(`select kind, number, party, created_by from document where id = $1`, [
        `topup:${order.id}`,
      ]);
      expect(document).toEqual({ kind: 'top-up', number: '201', party: order.accountId, created_by: 'test' });
      // A fee that the payer bears is none of ours.
      zarinpal.fee = { fee: 110_000, fee_type: 'Payer' };
      expect((await paid('zarinpal')).fee).toBe(0n);
      stripe.fee = 33;
      // 1,100,000 toman are 11 dollars here: a cent is a thousand.
      expect((await paid('stripe')).fee).toBe(toman(33_000));
      stripe.fee = undefined;
      expect((await paid('stripe')).fee).toBeNull();
    });

    it('its settlement empties the gateway', async () => {
      const before = await balance('gateway:zarinpal');
      await paid('zarinpal');
      const amounts = { arrived: toman(1_089_000), fee: toman(10_000), feeVat: toman(1_000) };
      const paper = { id: 'st-1', number: '77', createdBy: 'finance' };
      expect(await booked(events.settlement(paper, { gateway: 'zarinpal', bank: 'melli', ...amounts }))).toEqual([
        'bank:melli ← gateway:zarinpal: 1089000',
        'gateway-fees ← gateway:zarinpal: 10000',
        'vat-input ← gateway:zarinpal: 1000',
      ]);
      expect(await balance('gateway:zarinpal')).toBe(before);
    });

    it('a bank transfer, to the account that the money came to', async () => {
      const { id } = await begin('bank-transfer', toman(5_000_000));
      await desk.orders.confirmTransfer(id, 'track-1', 'finance', 'melli');
      expect(await lines(id)).toEqual(['bank:melli ← wallet: 5000000', 'bank:melli ← vat-payable: 500000']);
    });

    it('gifts and welcome credit: no tax, no invoice', async () => {
      await makeAccount(db, 'gifted');
      const { codes } = await desk.gifts.make({ count: 1, amount: toman(200_000) }, 'finance');
      const order = await desk.gifts.redeem(codes[0] ?? '', 'gifted', 'test');
      expect(await lines(order.id)).toEqual(['promotions ← wallet: 200000']);
      expect(await papers(order.id)).toEqual([]);
      const settings = { welcomeCredit: toman(50_000), welcomePerNetworkDaily: 5 };
      const welcome = new WelcomeCredit({ db, clock, ledger: desk.books, pepper: 'p', settings });
      await welcome.give('gifted', { kind: 'mobile', value: '09120000001' } as never, '10.0.0.1');
      expect((await desk.books.wallet('gifted')).posted).toBe(toman(250_000));
      expect(await balance('promotions')).toBe('250000');
    });

    it('play money: no tax in the books, and papers that are specimens', async () => {
      const order = await paid('sandbox');
      expect(await lines(order.id)).toEqual(['play-money ← wallet: 1000000']);
      expect(await papers(order.id)).toMatchObject([{ kind: 'invoice', number: -1 }]);
      await desk.refunds.refund(order.id, { reason: 'enough played', byHand: false }, 'finance');
      expect((await lines(order.id)).at(-1)).toBe('wallet ← play-money: 1000000');
      expect(await balance('play-money')).toBe('0');
      expect((await papers(order.id)).map(({ number }) => number)).toEqual([-1, -2]);
    });

    it('corrections both ways, credit without a paper, and a request that is credited after all', async () => {
      await makeAccount(db, 'acme');
      const give = (id: string, kind: 'adjustment' | 'top-up', amount: number) =>
        desk.books.transfer({ id: `by-hand:${id}`, kind, accountId: 'acme', amount: money(toman(amount)) });
      await give('c1', 'adjustment', 50_000);
      await give('c2', 'adjustment', -20_000);
      await give('c3', 'top-up', 10_000);
      expect([...(await lines('c1')), ...(await lines('c2')), ...(await lines('c3'))]).toEqual([
        'corrections ← wallet: 50000',
        'wallet ← corrections: 20000',
        'undocumented ← wallet: 10000',
      ]);
      expect(
        await booked(
          events.documented({ id: 'd1', createdBy: 'finance' }, { as: 'bank:melli', amount: toman(10_000) }),
        ),
      ).toEqual(['bank:melli ← undocumented: 10000']);
      expect(await balance('undocumented')).toBe('0');
      const request = record('req_books_1');
      await postRequest(db, request);
      const amount = request.cost;
      await desk.books.transfer({
        id: 'by-hand:r1',
        kind: 'refund',
        accountId: 'acme',
        amount: money(amount),
        requestId: request.id,
      });
      expect(await lines('r1')).toEqual([`revenue ← wallet: ${toTomanText(money(amount))}`]);
    });

    it('a whole refund, by the gateway and by hand, with its credit note', async () => {
      const byGateway = await paid('stripe');
      await desk.refunds.refund(byGateway.id, { reason: 'wants it back', byHand: false }, 'finance');
      expect((await lines(byGateway.id)).slice(2)).toEqual([
        'wallet ← gateway:stripe: 1000000',
        'vat-payable ← gateway:stripe: 100000',
      ]);
      const byHand = await paid('zarinpal');
      await desk.refunds.refund(byHand.id, { reason: 'wants it back', byHand: true, bank: 'melli' }, 'finance');
      expect((await lines(byHand.id)).slice(2)).toEqual([
        'wallet ← bank:melli: 1000000',
        'vat-payable ← bank:melli: 100000',
      ]);
      expect(await papers(byHand.id)).toMatchObject([{ kind: 'invoice' }, { kind: 'credit-note', vat: '100000' }]);
    });

    it('refunds in parts, which add up to the order, each with its credit note', async () => {
      const { id, accountId } = await paid('stripe', toman(1_000_003));
      const part = (amount?: number) =>
        desk.refunds.refund(
          id,
          { reason: 'a part', byHand: false, ...(amount === undefined ? {} : { amount: toman(amount) }) },
          'finance',
        );
      expect((await part(300_000)).state).toBe('credited');
      expect((await lines(id)).slice(2)).toEqual([
        'wallet ← gateway:stripe: 300000',
        'vat-payable ← gateway:stripe: 30000',
      ]);
      // A cent is a thousand toman here: less than that cannot be sent.
      await expect(part(1)).rejects.toMatchObject({ code: 'conflict' });
      await part(1_999);
      await expect(part(900_000)).rejects.toMatchObject({ code: 'invalid_request' });
      const done = await part();
      expect(done).toMatchObject({ state: 'refunded', refund: { state: 'sent' } });
      expect((await desk.books.wallet(accountId)).posted).toBe(0n);
      const notes = (await papers(id)).filter(({ kind }) => kind === 'credit-note');
      const sum = (of: 'amount' | 'vat') => notes.reduce((total, note) => total + Number(note[of]), 0);
      expect([notes.length, sum('amount'), sum('vat')]).toEqual([3, 1_000_003, 100_000]);
      const cents = stripe.refunds.filter(({ metadata }) => metadata.refund.startsWith(id));
      expect(cents.reduce((total, { amount }) => total + amount, 0)).toBe(Number(done.payable.units));
      await expect(part(1)).rejects.toMatchObject({ code: 'conflict' });
    });

    it('a part that the gateway refused waits for staff, who give the credit back', async () => {
      const { id, accountId, externalId } = await paid('stripe');
      const intent = `pi_${externalId}`;
      stripe.refunds.push({
        id: 're_x',
        payment_intent: intent,
        amount: 1_100,
        status: 'succeeded',
        metadata: { refund: '' },
      });
      const wish = { reason: 'a part', byHand: false, amount: toman(400_000) };
      await desk.refunds.refund(id, wish, 'finance');
      expect(await desk.refunds.partsOf(id)).toMatchObject([{ state: 'refused', code: 'charge_already_refunded' }]);
      expect((await desk.books.wallet(accountId)).posted).toBe(toman(600_000));
      await proveBooks(desk.books);
      await desk.refunds.settle(id, { sent: false, note: 'not sent' }, 'finance');
      expect((await desk.books.wallet(accountId)).posted).toBe(MILLION);
      expect((await lines(id)).slice(2)).toEqual([
        'wallet ← gateway:stripe: 400000',
        'gateway:stripe ← wallet: 400000',
      ]);
    });

    it('never gives back what was given: gifts that are left stay', async () => {
      const { id, accountId } = await paid('stripe');
      await desk.books.transfer({ id: `g:${id}`, kind: 'gift', accountId, amount: toman(300_000) });
      await desk.books.transfer({ id: `s:${id}`, kind: 'adjustment', accountId, amount: money(-toman(100_000)) });
      await expect(desk.refunds.refund(id, { reason: 'all of it', byHand: false }, 'finance')).rejects.toMatchObject({
        code: 'conflict',
      });
      await desk.refunds.refund(id, { reason: 'what is left', byHand: false, amount: toman(900_000) }, 'finance');
      expect((await desk.books.wallet(accountId)).posted).toBe(toman(300_000));
    });

    it('a chargeback with its fee; lost, its tax is no longer owed; won, all comes back', async () => {
      const gateway = await desk.gateways.evenIfOff('stripe');
      if (!gateway) throw new Error('no gateway');
      const dispute = async (id: string, intent: string, status: string, fees: number[]) => {
        const balance_transactions = fees.map((fee) => ({ fee, currency: 'usd' }));
        stripe.disputes.set(id, { payment_intent: intent, amount: 1_100, status, balance_transactions });
        await desk.refunds.dispute(gateway, id);
      };
      const opened = [
        'wallet ← gateway:stripe: 1000000',
        'disputes ← gateway:stripe: 100000',
        'gateway-fees ← gateway:stripe: 1500000',
      ];
      const lost = await paid('stripe');
      await dispute('dp-lost', `pi_${lost.externalId}`, 'needs_response', [1_500]);
      expect(await lines('dp-lost')).toEqual(opened);
      await proveBooks(desk.books);
      for (let n = 0; n < 2; n++) await dispute('dp-lost', `pi_${lost.externalId}`, 'lost', [1_500]);
      expect(await lines('dp-lost')).toEqual(opened);
      expect((await lines(lost.id)).slice(2)).toEqual(['vat-payable ← disputes: 100000']);
      expect((await papers(lost.id)).map(({ kind }) => kind)).toEqual(['invoice', 'credit-note']);
      await proveBooks(desk.books);
      const won = await paid('stripe');
      await dispute('dp-won', `pi_${won.externalId}`, 'needs_response', [1_500]);
      await dispute('dp-won', `pi_${won.externalId}`, 'won', [1_500, -1_500]);
      expect((await lines('dp-won')).slice(3)).toEqual([
        'gateway:stripe ← wallet: 1000000',
        'gateway:stripe ← disputes: 100000',
        'gateway:stripe ← gateway-fees: 1500000',
      ]);
      expect(await balance('disputes')).toBe('0');
    });

    it('a wallet that stays negative is given up', async () => {
      await makeAccount(db, 'debtor');
      await desk.books.transfer({ id: 'debt', kind: 'adjustment', accountId: 'debtor', amount: money(-toman(70_000)) });
      const paper = { id: 'b1', createdBy: 'owner', approvedBy: 'finance' };
      expect(await booked(events.badDebt(paper, { accountId: 'debtor', amount: toman(70_000) }))).toEqual([
        'bad-debt ← wallet: 70000',
      ]);
      expect((await desk.books.wallet('debtor')).posted).toBe(0n);
    });

    it('money without an order, and whose it was', async () => {
      await makeAccount(db, 'found');
      const paper = { createdBy: 'finance' };
      expect(
        await booked(events.unmatched({ id: 'u1', ...paper }, { at: 'gateway:zibal', amount: toman(110_000) })),
      ).toEqual(['gateway:zibal ← unmatched: 110000']);
      const whose = { accountId: 'found', amount: toman(100_000), vat: toman(10_000) };
      expect(await booked(events.matched({ id: 'u2', ...paper }, whose))).toEqual([
        'unmatched ← wallet: 100000',
        'unmatched ← vat-payable: 10000',
      ]);
      expect(await balance('unmatched')).toBe('0');
    });

    it("a provider's bill, the currency for it, its payment, and the tax of a season", async () => {
      const paper = { createdBy: 'finance' };
      const more = { provider: 'openai', beyondCounted: toman(1_500_000) };
      expect(await booked(events.providerBill({ id: 'bill-1', ...paper }, more))).toEqual([
        'costs ← provider:openai: 1500000',
      ]);
      const bought = { currency: 'USDT', units: '1206', bank: 'melli', amount: toman(125_424_000) };
      expect(await booked(events.currencyBought({ id: 'fx-1', ...paper }, bought))).toEqual([
        'fx:USDT ← bank:melli: 125424000',
      ]);
      const payment = {
        provider: 'openai',
        from: 'fx:USDT',
        owed: toman(120_000_000),
        fee: toman(624_000),
        difference: toman(4_800_000),
        foreign: { units: '1206', unit: 'USDT' },
      };
      expect(await booked(events.billPaid({ id: 'pay-1', ...paper }, payment))).toEqual([
        'provider:openai ← fx:USDT: 120000000',
        'bank-fees ← fx:USDT: 624000',
        'fx-difference ← fx:USDT: 4800000',
      ]);
      expect(await balance('fx:USDT')).toBe('0');
      const tax = { setOff: toman(1_000), paid: toman(99_000), bank: 'melli' };
      expect(await booked(events.taxPaid({ id: 'season-3', ...paper }, tax))).toEqual([
        'vat-payable ← vat-input: 1000',
        'vat-payable ← bank:melli: 99000',
      ]);
    });

    it('refuses a book that is not in the chart, and lines that move nothing', async () => {
      const line = { id: 'x', kind: 'settlement' as const, debit: 'bank:melli', credit: 'owner', amount: toman(1) };
      const book = (change: object) =>
        desk.books.book({ id: 'x', kind: 'test', createdBy: 'test', lines: [{ ...line, ...change }] });
      for (const change of [{ debit: 'petty-cash' }, { debit: 'bank:' }, { debit: 'owner' }, { amount: money(0n) }])
        await expect(book(change)).rejects.toMatchObject({ code: 'invalid_request' });
      expect(await db.query(`select from document where id = 'x'`)).toEqual([]);
      await expect(db.query(`update document set note = 'x'`)).rejects.toThrow(/append-only/);
    });
  });
}
