/** Reconciliation with gateways and banks on every database: what is read, how it is matched, and what is booked, once. */
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import * as accounting from '../../src/accounting/index.ts';
import { type Money, money, toTomanText, ZERO } from '../../src/core/money.ts';
import { wholeToman } from '../../src/payments/amounts.ts';
import { OrderList } from '../../src/payments/index.ts';
import { paymentReasons } from '../../src/payments/reasons.ts';
import type { Database, Queryable } from '../../src/platform/db/index.ts';
import { createSettingStore } from '../../src/platform/setting-store.ts';
import { HandClock } from '../admission/hand-clock.ts';
import { FakeStripe, FakeZarinpal } from '../fake-bank/index.ts';
import { amount } from '../harness/long.ts';
import { record } from '../ledger/request-fixture.ts';
import { type CashDesk, makeAccount, openCashDesk, proveBooks } from '../payments/cash-desk.ts';
import type { DatabaseUnderTest } from './database.suite.ts';
import { POSTED_AT, postRequest } from './post-request.ts';

const toman = (amount: number) => wholeToman(BigInt(amount));
const MILLION = toman(1_000_000);
const NOTHING = { feeVat: ZERO, difference: ZERO, unmatched: ZERO };
const COLUMNS = { date: 'تاریخ', amount: 'مبلغ', fee: 'کارمزد', reference: 'مرجع', text: 'شرح' };
const HEAD = 'تاریخ,مبلغ,کارمزد,مرجع,شرح';

export function settlementsSuite(name: string, openDatabase: () => Promise<DatabaseUnderTest>): void {
  describe(`settlements: ${name}`, () => {
    const clock = new HandClock();
    const zarinpal = new FakeZarinpal();
    const stripe = new FakeStripe();
    let subject: DatabaseUnderTest;
    let db: Database;
    let desk: CashDesk;
    let settlements: accounting.Settlements;
    let bills: accounting.Bills;
    let hand: accounting.CreditByHand;
    let accounts = 0;

    beforeAll(async () => {
      [subject] = await Promise.all([openDatabase(), zarinpal.open(), stripe.open()]);
      db = subject.db;
      clock.nowMs = POSTED_AT;
      desk = openCashDesk({ db, clock, random: randomBytes, vatBasisPoints: 1000 });
      const on = (id: string, secrets: Record<string, string>, options: Record<string, string>) =>
        desk.gateways.change(id, { enabled: true, secrets, options }, 'test');
      const merchant_id = '00000000-0000-0000-0000-000000000000';
      const { origin } = zarinpal;
      await on(
        'zarinpal',
        { merchant_id, access_token: 'token-1' },
        { base_url: origin, api_url: origin, terminal_id: '1' },
      );
      // A rate that leaves a fraction of a cent.
      await on(
        'stripe',
        { secret_key: 'sk_test_1', webhook_secret: 'whsec_1' },
        { base_url: stripe.origin, toman_per_unit: '99990' },
      );
      await desk.gateways.change('bank-transfer', { enabled: true }, 'test');
      zarinpal.referenceOf = (authority) => 7_000_000 + Number(authority.slice(1));
      const payments = { gateways: desk.gateways, banks: { find: async (id = 'melli') => id } as never };
      const options = { db, clock, randomBytes, ledger: desk.books, payments };
      settlements = accounting.createSettlements(options);
      bills = accounting.createBills(options);
      hand = accounting.createCreditByHand({
        ...options,
        payments: desk,
        settings: createSettingStore(options),
        availableOf: async (accountId) => (await desk.books.wallet(accountId)).posted,
        onAsked: async () => {},
      });
    });
    afterAll(async () => {
      await desk.close();
      await Promise.all([subject.close(), zarinpal.close(), stripe.close()]);
    });
    afterEach(() => proveBooks(desk.books));

    async function begin(gateway: string, amount = MILLION) {
      const accountId = `settled-${++accounts}`;
      await makeAccount(db, accountId);
      const input = { accountId, gateway, amount, createdBy: 'test', language: 'fa' as const };
      return desk.orders.begin({ ...input, origin: 'https://x.test' });
    }
    async function paid(gateway: 'zarinpal' | 'stripe', amount = MILLION) {
      const order = await begin(gateway, amount);
      (gateway === 'zarinpal' ? zarinpal : stripe).pay(order.externalId ?? '');
      return desk.orders.verifyAgain(order.id, 'test');
    }
    const balance = async (book: string): Promise<Money> => {
      const line = (await desk.books.trialBalance()).find((one) => one.book === book);
      return line === undefined ? ZERO : money(line.debit - line.credit);
    };
    async function booked(documentId: string | null): Promise<string[]> {
      const { lines } = await desk.books.document(documentId ?? '');
      return lines.map(({ debit, credit, amount }) => `${debit} ← ${credit}: ${toTomanText(amount)}`);
    }
    const file = (rows: string[], externalId: string, more: object = {}) =>
      settlements.import(
        {
          kind: 'gateway',
          source: 'zarinpal',
          text: [HEAD, ...rows].join('\n'),
          unit: 'IRR',
          columns: COLUMNS,
          externalId,
          ...more,
        },
        'finance',
      );
    /** Whatever earlier tests left there is told to be settled, so that each test has its own orders. */
    async function clearGateway(gateway: string) {
      await db.query(`delete from settlement where state <> 'booked'`);
      const rows = await db.query<{ reference: string; units: string }>(
        `select reference, units::text as units from payment_order o where gateway = $1 and state = 'credited' and not exists (
           select from settlement_line where settles = 'payment:' || o.id and match <> 'proposed')`,
        [gateway],
      );
      if (rows.length > 0 && gateway === 'zarinpal')
        await file(
          rows.map(({ reference, units }) => `1405/08/24,${units},0,${reference},`),
          `clear-${++accounts}`,
        );
    }
    const open = async (id: string) =>
      (await settlements.lines(id, { list: 'theirs', after: 0, limit: 100 })).map(
        ({ problem, match }) => problem ?? match,
      );

    it('a file in Persian: digits, Jalali days, fee; booked once by 64 at once, and the gateway is empty', async () => {
      await clearGateway('zarinpal');
      const order = await paid('zarinpal');
      const before = await balance('gateway:zarinpal');
      const row = `۱۴۰۵/۰۸/۲۴,"۱۱٬۰۰۰٬۰۰۰","۱۱۰٬۰۰۰",${order.reference},شارژ`;
      const { id, state, lines } = await file([row], 'zp-1', { reference: 'bank-77' });
      expect({ state, lines }).toEqual({ state: 'matched', lines: 1 });
      const { sums } = await settlements.get(id);
      expect(sums).toEqual({
        ours: toman(1_100_000),
        unmatched: 0n,
        arrived: toman(1_089_000),
        fee: toman(11_000),
        difference: 0n,
      });
      const wish = { ...NOTHING, feeVat: toman(1_000) };
      const all = await Promise.all(Array.from({ length: 64 }, () => settlements.book(id, wish, 'finance')));
      expect(new Set(all.map(({ documentId }) => documentId)).size).toBe(1);
      expect(await booked(all[0]?.documentId ?? null)).toEqual([
        'bank:melli ← gateway:zarinpal: 1089000',
        'gateway-fees ← gateway:zarinpal: 10000',
        'vat-input ← gateway:zarinpal: 1000',
      ]);
      expect((await balance('gateway:zarinpal')) - before).toBe(-toman(1_100_000));
      // The same file again is the same settlement; another content under its id is refused.
      expect((await file([row], 'zp-1')).id).toBe(id);
      await expect(file([`1405/08/24,5,0,${order.reference},`], 'zp-1')).rejects.toMatchObject({ code: 'conflict' });
      await expect(settlements.discard(id, 'finance')).rejects.toMatchObject({ code: 'conflict' });
      await expect(settlements.decide(id, 1, null, 'finance')).rejects.toMatchObject({ code: 'conflict' });
    });

    it('a file that claims what it may not: another amount, an unpaid order, one that is settled, one twice', async () => {
      await clearGateway('zarinpal');
      const [mine, twice] = [await paid('zarinpal'), await paid('zarinpal')];
      const unpaid = await begin('zarinpal');
      await db.query('update payment_order set reference = $2 where id = $1', [unpaid.id, 'unpaid-1']);
      const [settled] = await db.query<{ reference: string }>(
        `select reference from settlement_line where settles like 'payment:%' and match = 'reference' limit 1`,
      );
      const foreign = await paid('stripe');
      const rows = [
        `1405/08/24,900000000,0,${mine.reference},`,
        `1405/08/24,11000000,0,unpaid-1,`,
        `1405/08/24,11000000,0,${settled?.reference},`,
        `1405/08/24,11000000,0,${twice.reference},`,
        `1405/08/24,11000000,0,${twice.reference},`,
        `1405/08/24,11000000,0,${foreign.reference},`,
      ];
      const { id } = await file(rows, 'thief-1');
      const lines = (await settlements.lines(id, { list: 'agree', after: 0, limit: 100 })).map(({ number }) => number);
      expect(lines).toEqual([4]);
      // The one of the other gateway is only a guess, by amount and day: the order that was named with a wrong amount.
      expect(await open(id)).toEqual(['differs', 'not-paid', 'twice', 'twice', 'proposed']);
      await expect(settlements.decide(id, 6, `payment:${foreign.id}`, 'finance')).rejects.toMatchObject({
        code: 'conflict',
      });
      await expect(settlements.decide(id, 1, `payment:${mine.id}`, 'finance')).rejects.toMatchObject({
        code: 'conflict',
      });
      await expect(settlements.decide(id, 5, `payment:${twice.id}`, 'finance')).rejects.toMatchObject({
        code: 'conflict',
      });
      // Nothing of it is anybody's credit: what is unknown waits in its own book, and only as somebody was shown it.
      const { sums } = await settlements.get(id);
      await expect(settlements.book(id, NOTHING, 'finance')).rejects.toMatchObject({ code: 'conflict' });
      const { documentId } = await settlements.book(id, { ...NOTHING, unmatched: sums?.unmatched ?? ZERO }, 'finance');
      expect(await booked(documentId)).toEqual([
        'bank:melli ← gateway:zarinpal: 95500000',
        'gateway:zarinpal ← unmatched: 94400000',
      ]);
    });

    it('amount and day are a proposal; a person confirms it', async () => {
      await clearGateway('zarinpal');
      const order = await paid('zarinpal', toman(777_000));
      const { id, state } = await file(['1405/08/24,8547000,0,,'], 'guess-1');
      expect([state, await open(id)]).toEqual(['read', ['proposed']]);
      await settlements.decide(id, 1, `payment:${order.id}`, 'finance');
      expect((await settlements.get(id)).settlement.state).toBe('matched');
      await settlements.discard(id, 'finance');
    });

    it('bad rows are named by their line, and nothing of the file is stored', async () => {
      const rows = [
        '1405/08/24,=1+1,0,a,',
        '1405/13/01,10,0,b,',
        '1405/08/24,10,-5,c,',
        '1405/08/24,10,0,d,=HYPERLINK("x")',
      ];
      const { bad, count } = settlements.preview({ text: [HEAD, ...rows].join('\n'), columns: COLUMNS });
      expect(bad.map(({ line, column }) => `${line} ${column}`)).toEqual(['2 مبلغ', '3 تاریخ', '4 کارمزد']);
      expect(count).toBe(1);
      await expect(file(rows, 'bad-1')).rejects.toMatchObject({ code: 'invalid_request' });
      const [stored] = await db.query(`select from settlement where external_id = 'bad1'`);
      expect(stored).toBeUndefined();
      const huge = settlements.preview({ text: `${HEAD}\n${'1405/08/24,1,0,a,\n'.repeat(20_002)}`, columns: COLUMNS });
      expect(huge.bad).toHaveLength(1);
    });

    it('a gateway that tells only sums: its lines are our orders since, the rest is its fee, more than that is unmatched', async () => {
      await clearGateway('zarinpal');
      const [one, two] = [await paid('zarinpal'), await paid('zarinpal')];
      clock.nowMs += 60_000;
      const reconciled_at = new Date(clock.nowMs).toISOString();
      zarinpal.payouts.push({ id: 'P1', status: 'PAID', amount: 10_890_000, reference_id: 'b-1', reconciled_at });
      zarinpal.payouts.push({ id: 'P2', status: 'PENDING', amount: 1, reference_id: null, reconciled_at: null });
      const [payout, ...others] = await settlements.fetch('zarinpal', 'finance');
      expect(others).toEqual([]);
      const id = payout?.id ?? '';
      const lines = await settlements.lines(id, { list: 'agree', after: 0, limit: 10 });
      expect(lines.map(({ match }) => match)).toEqual(['assumed', 'assumed']);
      expect(new Set(lines.map(({ orderId }) => orderId))).toEqual(new Set([one.id, two.id]));
      // The second was paid out later: it waits for the next one.
      await settlements.decide(id, lines.find(({ orderId }) => orderId === two.id)?.number ?? 0, null, 'finance');
      expect((await settlements.get(id)).sums?.difference).toBe(toman(11_000));
      const { documentId } = await settlements.book(id, { ...NOTHING, difference: toman(11_000) }, 'finance');
      expect(await booked(documentId)).toEqual([
        'bank:melli ← gateway:zarinpal: 1089000',
        'gateway-fees ← gateway:zarinpal: 11000',
      ]);
      // Read again, nothing is new; the next payout takes the order that was left.
      expect((await settlements.fetch('zarinpal', 'finance')).map((again) => again.state)).toEqual(['booked']);
      zarinpal.payouts.push({ id: 'P3', status: 'PAID', amount: 12_000_000, reference_id: 'b-2', reconciled_at });
      const next = (await settlements.fetch('zarinpal', 'finance')).at(-1);
      const wish = { ...NOTHING, difference: money(-toman(100_000)) };
      expect(await booked((await settlements.book(next?.id ?? '', wish, 'finance')).documentId)).toEqual([
        'bank:melli ← gateway:zarinpal: 1200000',
        'gateway:zarinpal ← unmatched: 100000',
      ]);
    });

    it('Stripe: payments, a refund in part and a dispute in dollars; the cent is an exchange difference', async () => {
      stripe.fee = undefined;
      const [kept, parted, disputed] = [await paid('stripe'), await paid('stripe'), await paid('stripe')];
      await desk.refunds.refund(parted.id, { reason: 'wants some', byHand: false, amount: toman(300_000) }, 'finance');
      stripe.disputes.set('dp_1', {
        payment_intent: disputed.reference ?? '',
        amount: Number(disputed.payable.units),
        status: 'needs_response',
        balance_transactions: [{ fee: 1500, currency: 'usd' }],
      });
      const gateway = await desk.gateways.evenIfOff('stripe');
      if (gateway) await desk.refunds.dispute(gateway, 'dp_1');
      // What other tests left at Stripe is of another payout.
      const before = await balance('gateway:stripe');
      const units = Number(kept.payable.units);
      const refund = stripe.refunds.at(-1);
      const movement = (id: string, category: string, amount: number, fee: number, source: object) => ({
        id,
        type: category,
        reporting_category: category,
        amount,
        fee,
        net: amount - fee,
        currency: 'usd',
        created: Math.floor(clock.nowMs / 1000),
        source: { object: category, ...source },
      });
      const charge = ({ reference }: typeof kept) => ({ id: `ch_${reference}`, payment_intent: reference });
      const movements = [
        movement('txn_0', 'payout', -1, 0, {}),
        ...[kept, parted, disputed].map((order, at) => movement(`txn_${at + 1}`, 'charge', units, 30, charge(order))),
        movement('txn_4', 'refund', -(refund?.amount ?? 0), 0, { id: refund?.id, payment_intent: parted.reference }),
        movement('txn_5', 'dispute', -units, 1500, { id: 'dp_1', payment_intent: disputed.reference }),
      ];
      const amount = movements.slice(1).reduce((sum, { net }) => sum + net, 0);
      stripe.payouts.push({ id: 'po_1', amount, arrival_date: Math.floor(clock.nowMs / 1000), movements });
      const [payout] = await settlements.fetch('stripe', 'finance');
      const id = payout?.id ?? '';
      expect([payout?.state, payout?.lines]).toEqual(['matched', 5]);
      const { sums } = await settlements.get(id);
      const wish = { ...NOTHING, difference: sums?.difference ?? ZERO };
      const { documentId } = await settlements.book(id, wish, 'finance');
      const document = await desk.books.document(documentId ?? '');
      expect(document.lines[0]).toMatchObject({ debit: 'fx:USD', unit: 'USD', units: String(amount / 100) });
      const exchange = document.lines.find(({ debit, credit }) => [debit, credit].includes('fx-difference'));
      // 1,100,000 toman are 1100.11 cents at 99,990: 1101 are collected, 890 toman more than the order.
      expect(exchange).toMatchObject({ debit: 'gateway:stripe', credit: 'fx-difference' });
      // Nothing of these orders is left at the gateway: three payments less what went back and what the dispute took.
      const dispute = toman(1_100_000) + (toman(1_100_000) * 1500n) / kept.payable.units;
      expect(before - (await balance('gateway:stripe'))).toBe(3n * toman(1_100_000) - toman(330_000) - dispute);
    });

    const statement = (rows: string[]) =>
      settlements.import(
        { kind: 'bank', source: 'melli', text: [HEAD, ...rows].join('\n'), unit: 'IRR', columns: COLUMNS },
        'finance',
      );

    it('a transfer that is about to be confirmed is held against the statements of the bank', async () => {
      const order = await begin('bank-transfer', toman(700_000));
      const day = '2026-11-10';
      const ask = (number: string | null, over: Partial<Parameters<typeof accounting.checkTransfer>[1]> = {}) => {
        const receipt = { number: '9001', paidOn: day };
        const asked = { orderId: order.id, bank: 'melli', amount: toman(770_000), number, receipt, day };
        return accounting.checkTransfer(db, { ...asked, ...over });
      };
      const warned = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).warnings;
      const bank = 'checked';
      const read = (rows: string[]) =>
        settlements.import(
          { kind: 'bank', source: bank, text: [HEAD, ...rows].join('\n'), unit: 'IRR', columns: COLUMNS },
          'finance',
        );
      // No statement tells of that day yet: nobody can say anything.
      expect(await warned('9001', { bank })).toEqual([]);
      const { id } = await read([
        `${day},7600000,0,۹۰۰۱,less than it should be`,
        `2026-11-12,7700000,0,9002,the sum under another number`,
        `2026-11-15,1000,0,,later`,
      ]);
      expect(await ask('9001', { bank })).toEqual({
        warnings: ['amount_differs'],
        lines: [
          {
            settlementId: id,
            reference: '9001',
            day,
            amount: toman(760_000),
            text: 'less than it should be',
            taken: false,
          },
        ],
        statementsTo: '2026-11-15',
      });
      expect(await warned('9003', { bank, receipt: null })).toEqual(['number_differs']);
      expect(await warned('9002', { bank })).toEqual(['receipt_differs']);
      expect(await warned('9004', { bank, receipt: null, amount: toman(1) })).toEqual(['not_in_statement']);
      expect(await warned('9002', { bank, receipt: null })).toEqual([]);
      // Another payment of ours is settled by that line.
      await db.query(
        `update settlement_line set match = 'hand', settles = 'document:topup:another' where settlement_id = $1 and reference = '9002'`,
        [id],
      );
      expect(await warned('9002', { bank, receipt: null })).toEqual(['taken']);
      expect(await warned('9003', { bank, receipt: null })).toEqual(['not_in_statement']);
    });

    it('a bank statement: receipts are seen, overlapping files count once, what is unknown waits', async () => {
      await makeAccount(db, 'payer');
      const receipt = { accountId: 'payer', amount: toman(500_000), bank: 'melli' };
      const notSeen = async () => (await accounting.receiptsNotSeen(db)).count;
      const before = await notSeen();
      const paper = { createdBy: 'finance', datedOn: '2026-11-17' };
      await desk.receipts.take({ ...receipt, number: '4455' }, paper, async () => undefined);
      await desk.receipts.take({ ...receipt, number: '4456' }, paper, async () => undefined);
      expect((await notSeen()) - before).toBe(2);
      const rows = [
        '1405/08/26,5500000,0,۴۴۵۵,receipt',
        '1405/08/26,"(90,000)",0,,fee',
        '1405/08/26,730000,0,9,who is it',
      ];
      const first = await statement(rows);
      expect((await notSeen()) - before).toBe(1);
      await expect(statement(rows.slice(0, 2))).rejects.toMatchObject({ code: 'conflict' });
      const second = await statement([...rows, '1405/08/26,5500000,0,other,receipt']);
      expect(second.lines).toBe(1);
      // Without its number the other receipt is only likely.
      expect([await open(second.id), (await notSeen()) - before]).toEqual([['proposed'], 1]);
      const [line] = await settlements.lines(second.id, { list: 'theirs', after: 0, limit: 1 });
      await settlements.decide(second.id, line?.number ?? 0, line?.settles ?? '', 'finance');
      expect((await notSeen()) - before).toBe(0);
      const known = await balance('unmatched');
      await settlements.book(first.id, { ...NOTHING, unmatched: toman(73_000) }, 'finance');
      await settlements.book(first.id, { ...NOTHING, unmatched: toman(73_000) }, 'finance');
      expect((await balance('unmatched')) - known).toBe(-toman(73_000));
    });

    it('a receipt that comes after its line of the statement is counted once', async () => {
      await makeAccount(db, 'late');
      const receipt = (number: string, amount = 500_000) =>
        hand.give(
          accounting.handAct({
            kind: 'receipt',
            id: `receipt:${number}`,
            accountId: 'late',
            amount: toman(amount),
            number,
            bank: 'melli',
          }),
          'operator',
        );
      const state = async () => ({
        bank: await balance('bank:melli'),
        unmatched: await balance('unmatched'),
        notSeen: (await accounting.receiptsNotSeen(db)).count,
      });
      const before = await state();
      const rows = ['7711', '7712', '7713', '7714'].map((number) => `1405/08/26,5500000,0,${number},late`);
      const { id } = await statement(rows);
      await settlements.book(id, { ...NOTHING, unmatched: toman(2_200_000) }, 'finance');
      const once = { bank: money(before.bank + toman(2_200_000)), notSeen: before.notSeen };
      expect(await state()).toEqual({ ...once, unmatched: money(before.unmatched - toman(2_200_000)) });
      // By its number and sum: the money leaves the book of the unknown, and its line is the receipt's.
      await receipt('۷۷۱۱');
      await receipt('7711');
      expect(await state()).toEqual({ ...once, unmatched: money(before.unmatched - toman(1_650_000)) });
      // Another sum, or another number: nothing is certain, so it waits for the bank as any receipt does.
      const { orderId } = (await receipt('other')) as { orderId: string };
      await receipt('7712', 400_000);
      const doubled = await state();
      expect(doubled).toEqual({
        bank: money(once.bank + toman(990_000)),
        unmatched: money(before.unmatched - toman(1_650_000)),
        notSeen: before.notSeen + 2,
      });
      // A person says which line it was, of its own sum, once.
      const found = `document:topup:${orderId}`;
      await settlements.decide(id, 3, found, 'finance');
      expect(await state()).toEqual({
        bank: money(doubled.bank - toman(550_000)),
        unmatched: money(before.unmatched - toman(1_100_000)),
        notSeen: before.notSeen + 1,
      });
      await expect(settlements.decide(id, 4, found, 'finance')).rejects.toMatchObject({ code: 'conflict' });
      await expect(settlements.decide(id, 4, null, 'finance')).rejects.toMatchObject({ code: 'conflict' });
      // What staff gave to an account already is not given by a receipt again.
      const rest = money(-(await balance('unmatched')) - toman(500_000));
      const paper = { id: 'given-away', createdBy: 'finance' };
      await desk.books.book(accounting.matched(paper, { accountId: 'late', amount: rest, vat: ZERO }));
      await expect(receipt('7714')).rejects.toMatchObject({ code: 'conflict' });
    });

    it('orders that a gateway does not settle are told after three days, unless its books began later', async () => {
      await clearGateway('zarinpal');
      const order = await paid('zarinpal');
      const told = async () =>
        (await accounting.ordersNotSettled(db, new Date(clock.nowMs - 3 * 86_400_000))).map(({ gateway }) => gateway);
      expect(await told()).not.toContain('zarinpal');
      clock.nowMs += 4 * 86_400_000;
      expect(await told()).toContain('zarinpal');
      const list = { list: 'not-settled' as const, gateway: 'zarinpal', before: new Date(clock.nowMs) };
      expect((await accounting.listOpenOrders(db, list, {})).items.map(({ id }) => id)).toEqual([order.id]);
      const orders = new OrderList({ db, clock });
      const page = { after: null, limit: 9, sort: 'newest', use: 'list' } as const;
      const filtered = await orders.page({ notSettled: true, gateway: 'zarinpal' }, page);
      expect(filtered.rows.map(({ id }) => id)).toEqual([order.id]);
      expect((await orders.page({ notSettled: true, gateway: 'bank-transfer' }, page)).rows).toEqual([]);
      const wish = { gateway: 'zarinpal', arrived: toman(1_090_000), fee: toman(10_000), until: new Date(clock.nowMs) };
      const opened = await settlements.open(wish, 'finance');
      expect(await booked(opened.documentId)).toEqual([
        'bank:melli ← gateway:zarinpal: 1090000',
        'gateway-fees ← gateway:zarinpal: 10000',
      ]);
      await expect(settlements.open(wish, 'finance')).rejects.toMatchObject({ code: 'conflict' });
      expect(await told()).not.toContain('zarinpal');
    });

    it('ZarinPal sends money back once; what it does not answer clearly waits for a person', async () => {
      const order = await paid('zarinpal');
      const whole = await desk.refunds.refund(order.id, { reason: 'wants it', byHand: false }, 'finance');
      expect(whole.refund).toMatchObject({ state: 'sent', reference: 'rf-1' });
      const sent = { session: order.externalId, amount: 11_000_000, method: 'PAYA', description: `${order.id}:1` };
      expect(zarinpal.refunds).toEqual([sent]);
      // It was taken, and the answer got lost: nobody asks again, and the credit stays taken.
      const lost = await paid('zarinpal');
      zarinpal.failNext('/graphql/', { kind: 'pass' }, { kind: 'silent' });
      const unknown = await desk.refunds.refund(lost.id, { reason: 'wants it', byHand: false }, 'finance');
      expect(unknown.refund?.state).toBe('unknown');
      clock.nowMs += 86_400_000;
      await desk.settlement.checkDue(100);
      expect(zarinpal.refunds).toHaveLength(2);
      await desk.refunds.settle(lost.id, { sent: true, note: 'seen in the panel' }, 'finance');
      // Asking which payment it is failed: nothing was asked for. And too little is never sent.
      const refused = await paid('zarinpal');
      zarinpal.failNext('/graphql/', { kind: 'cut' });
      const none = await desk.refunds.refund(refused.id, { reason: 'wants it', byHand: false }, 'finance');
      expect(none.refund).toMatchObject({ state: 'refused', code: 'not-asked:no-answer' });
      await desk.refunds.settle(refused.id, { sent: false, note: 'again later' }, 'finance');
      const little = { reason: 'a little', byHand: false, amount: toman(1_000) };
      await desk.refunds.refund(refused.id, little, 'finance');
      expect(await desk.refunds.partsOf(refused.id)).toMatchObject([{ state: 'refused', code: 'below-minimum' }]);
      expect(zarinpal.refunds).toHaveLength(2);
      await desk.refunds.settle(refused.id, { sent: false, note: 'by hand' }, 'finance');
    });

    it('a number that is used is told from any other clash', async () => {
      const [one, two] = [await begin('bank-transfer'), await begin('bank-transfer')];
      await desk.orders.confirmTransfer(one.id, 'TRK-9', 'finance');
      await expect(desk.orders.confirmTransfer(two.id, 'TRK 9', 'finance')).rejects.toMatchObject({
        options: { reason: paymentReasons.transferUsed },
      });
      const clash = async (tx: Queryable) => {
        await tx.query('insert into account select * from account where id = $1', [one.accountId]);
      };
      // Whatever else is unique is a fault of ours, and is not told as a number that was used.
      await expect(
        desk.orders.confirmTransfer(two.id, 'TRK-10', 'finance', undefined, clash),
      ).rejects.not.toHaveProperty('options');
      expect((await desk.orders.get(two.id)).state).not.toBe('credited');
    });

    it('thousands of lines beside more orders are matched by a handful of statements', async () => {
      const lines = amount(1_000, 5_000);
      await makeAccount(db, 'many');
      await db.query(
        `insert into payment_order (id, account_id, gateway, amount, vat, units, unit, state, reference, created_by, language, expires_at, created_at, updated_at)
         select 'ord_many_' || n, 'many', 'zibal', 100000000000 + n::bigint * 1000000, 0, 1000000 + n * 10, 'IRR', 'credited', 'ref-' || n, 'test', 'fa', $2, $2, $2
         from generate_series(1, $1::int) as n`,
        [lines * 4, new Date(clock.nowMs)],
      );
      const day = new Date(clock.nowMs + 3.5 * 3_600_000).toISOString().slice(0, 10);
      const rows = Array.from({ length: lines }, (_, at) => {
        const n = at * 3 + 1;
        // Every tenth has no reference: amount and day propose it.
        return `${day},${1_000_000 + n * 10},100,${at % 10 === 0 ? '' : `ref-${n}`},`;
      });
      let statements = 0;
      const counting = new Proxy(db, {
        get: (target, name) =>
          name === 'transaction'
            ? (work: (tx: Database) => Promise<unknown>) =>
                target.transaction((tx) =>
                  work({
                    ...tx,
                    query: (...given: Parameters<Database['query']>) => {
                      statements++;
                      return tx.query(...given);
                    },
                  } as Database),
                )
            : Reflect.get(target, name),
      });
      const payments = { gateways: desk.gateways, banks: { find: async (id = 'melli') => id } as never };
      const counted = accounting.createSettlements({ db: counting, clock, randomBytes, ledger: desk.books, payments });
      const file = {
        kind: 'gateway' as const,
        source: 'zibal',
        unit: 'IRR' as const,
        columns: COLUMNS,
        externalId: 'many',
      };
      const read = await counted.import({ ...file, text: [HEAD, ...rows].join('\n') }, 'finance');
      expect([read.lines, read.openLines]).toEqual([lines, lines / 10]);
      expect(statements).toBeLessThan(25);
      // These orders are in no book: the rest of the file has nothing to do with them.
      await counted.discard(read.id, 'finance');
      await db.query(`delete from payment_order where account_id = 'many'`);
    });

    it('a refund sent by hand is two papers and one line of the statement', async () => {
      const whole = await paid('zarinpal');
      const parted = await paid('zarinpal');
      const wish = { reason: 'wants it', byHand: true, bank: 'melli' };
      await desk.refunds.refund(whole.id, wish, 'finance');
      await desk.refunds.refund(parted.id, { ...wish, amount: toman(300_000) }, 'finance');
      const day = new Date(clock.nowMs).toISOString().slice(0, 10);
      const { id } = await statement([`${day},"(11,000,000)",0,,refund`, `${day},"(3,300,000)",0,,part`]);
      expect(await settlements.lines(id, { list: 'theirs', after: 0, limit: 9 })).toMatchObject([
        { match: 'proposed', orderId: whole.id, ours: -toman(1_100_000) },
        { match: 'proposed', orderId: parted.id, ours: -toman(330_000) },
      ]);
      for (const { number, settles } of await settlements.lines(id, { list: 'theirs', after: 0, limit: 9 }))
        await settlements.decide(id, number, settles, 'finance');
      expect(await open(id)).toEqual([]);
      await settlements.book(id, NOTHING, 'finance');
    });

    it('a bill is entered once and paid once, and books what it is beyond the count', async () => {
      await makeAccount(db, 'acme');
      await postRequest(db, record('req_bill'));
      const days = { firstDay: '2026-11-01', lastDay: '2026-11-30' };
      const [without] = await accounting.providersWithoutBill(db, days.firstDay, days.lastDay);
      const provider = without?.provider ?? '';
      const accrued = await bills.accrued(provider, days.firstDay, days.lastDay);
      expect(accrued).toBe(without?.amount);
      const owed = (await desk.books.trialBalance()).find(({ book }) => book === 'providers');
      const bill = {
        provider,
        number: 'INV-1',
        datedOn: '2026-11-30',
        ...days,
        unit: 'USD',
        units: '1200',
        note: null,
      };
      const given = { ...bill, amount: money(accrued + toman(1_500_000)) };
      const { id } = await bills.enter(given, 'finance');
      expect((await bills.enter({ ...given, number: 'INV-۱' }, 'finance')).id).toBe(id);
      await expect(bills.enter({ ...given, amount: toman(5) }, 'finance')).rejects.toMatchObject({ code: 'conflict' });
      expect(await booked(`bill:${id}`)).toEqual([`costs ← provider:${provider}: 1500000`]);
      const billsOff = async () => {
        const catalog = () => ({ models: new Map() }) as never;
        return (await accounting.costTasks({ db, clock, profit: { byRoute: async () => [] }, catalog })).billsOff;
      };
      expect(await billsOff()).toMatchObject([{ id, amount: given.amount, accrued }]);
      await db.query(`update provider_bill set amount = accrued * 105 / 100 where id = $1`, [id]);
      expect(await billsOff()).toEqual([]);
      await db.query(`update provider_bill set amount = $2 where id = $1`, [id, String(given.amount)]);
      const wish = { bank: 'melli', cost: money(given.amount + toman(4_800)), fee: toman(624) };
      const paid = await Promise.all(Array.from({ length: 16 }, () => bills.pay(id, wish, 'finance')));
      expect(new Set(paid.map(({ paymentId }) => paymentId)).size).toBe(1);
      await expect(bills.pay(id, { ...wish, bank: 'saderat' }, 'finance')).rejects.toMatchObject({ code: 'conflict' });
      expect(await booked(`bill-payment:${id}`)).toEqual([
        `provider:${provider} ← bank:melli: ${toTomanText(given.amount)}`,
        'bank-fees ← bank:melli: 624',
        'fx-difference ← bank:melli: 4800',
      ]);
      expect(owed).toBeDefined();
      expect(await accounting.providersWithoutBill(db, days.firstDay, days.lastDay)).toEqual([]);
    });
  });
}
