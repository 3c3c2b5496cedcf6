/**
 * The accountant's month, on every database: every kind of event over a month, then reports, files, tax and the closing of it. What
 * is expected is written here by hand, line by line, as the design says the entries.
 */
import { randomBytes } from 'node:crypto';
import { bookOfLine, lineSql } from '@dargah/core/chart.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as events from '../../src/accounting/index.ts';
import { type BooksReports, createBooksReports, createPeriods, type Periods } from '../../src/accounting/index.ts';
import { money, toTomanText } from '../../src/core/money.ts';
import { wholeToman } from '../../src/payments/amounts.ts';
import type { LegalIdentity } from '../../src/payments/index.ts';
import type { Database } from '../../src/platform/db/index.ts';
import type { RequestRecord } from '../../src/requestlog/index.ts';
import { FakeStripe, FakeZarinpal } from '../fake-bank/index.ts';
import { openSealStage, post, requestAt, type SealStage } from '../ledger/seal-stage.ts';
import { type CashDesk, makeAccount, openCashDesk } from '../payments/cash-desk.ts';
import type { DatabaseUnderTest } from './database.suite.ts';
import { ENTRIES, exact, expectedBooks } from './month-entries.ts';
import { fileText } from './report-text.ts';

/** 1 Farvardin 1403, midnight of Tehran. In the past of any machine. */
const FIRST = Date.parse('2024-03-20T00:00:00+03:30');
const [MONTH, FIRST_DAY, LAST_DAY] = ['1403-01', '2024-03-20', '2024-04-19'] as const;
const [OWNER, FINANCE] = ['staff:per_owner', 'staff:per_finance'] as const;
const SELLER: LegalIdentity = {
  kind: 'company',
  name: 'فروشنده',
  nationalId: null,
  economicCode: null,
  registrationNumber: null,
  postalCode: null,
  address: null,
  phone: null,
};
const toman = (amount: number) => wholeToman(BigInt(amount));

export function monthSuite(name: string, openDatabase: () => Promise<DatabaseUnderTest>): void {
  describe(`the accountant's month: ${name}`, () => {
    const zarinpal = new FakeZarinpal();
    const stripe = new FakeStripe();
    let subject: DatabaseUnderTest;
    let db: Database;
    let stage: SealStage;
    let desk: CashDesk;
    let periods: Periods;
    let reports: BooksReports;
    let accounts = 0;
    /** Charged in the month; its journal is found when the day is sealed, before the month is closed. */
    let late: RequestRecord;
    let sold: RequestRecord;

    beforeAll(async () => {
      [subject] = await Promise.all([openDatabase(), zarinpal.open(), stripe.open()]);
      db = subject.db;
      stage = await openSealStage(db);
      const { clock } = stage;
      desk = openCashDesk({ db, clock, random: randomBytes, vatBasisPoints: 1000, seller: SELLER });
      const on = (id: string, secrets: Record<string, string>, base_url: string) =>
        desk.gateways.change(id, { enabled: true, secrets, options: { base_url } }, 'test');
      await on('zarinpal', { merchant_id: '00000000-0000-0000-0000-000000000000' }, zarinpal.origin);
      await on('stripe', { secret_key: 'sk_test_1', webhook_secret: 'whsec_1' }, stripe.origin);
      await desk.gateways.change('bank-transfer', { enabled: true }, 'test');
      await desk.gateways.change('sandbox', { enabled: true }, 'test');
      for (const [actor, role] of [
        [OWNER, 'owner'],
        [FINANCE, 'finance'],
      ] as const) {
        await db.query(`insert into person (id, name, created_at) values ($1, $1, '2024-01-01')`, [actor.slice(6)]);
        await db.query(`insert into staff (person_id, role, created_at) values ($1, $2, '2024-01-01')`, [
          actor.slice(6),
          role,
        ]);
      }
      periods = createPeriods({ db, clock, randomBytes });
      reports = createBooksReports({ db, clock, randomBytes });
    });
    afterAll(async () => {
      await desk.close();
      await stage.desk.close();
      await Promise.all([subject.close(), zarinpal.close(), stripe.close()]);
    });

    /** Noon of a day of the month, counted from 1; the days before it are sealed as nights pass. */
    async function goTo(day: number, atHour = 12): Promise<void> {
      const at = FIRST + (day - 1) * DAY_MS + atHour * HOUR_MS;
      stage.clock.advance(Math.max(0, at - stage.clock.now()));
      await stage.tick();
    }
    async function sealUntilNow(): Promise<void> {
      for (let turn = 0; turn < 4; turn++) await stage.tick();
    }
    async function whole() {
      const proofs = stage.proofs();
      const { id } = await proofs.start('test');
      await stage.settled();
      const run = await proofs.find(id);
      return run?.checks
        .filter(({ result }) => result === 'failed')
        .map(({ id: check, detail }) => `${check}: ${detail}`);
    }
    async function begin(gateway: string, amount: number) {
      const accountId = `acme-${++accounts}`;
      await makeAccount(db, accountId);
      const input = { accountId, gateway, amount: toman(amount), createdBy: 'test', language: 'fa' as const };
      return desk.orders.begin({ ...input, origin: 'https://x.test' });
    }
    async function paid(gateway: 'zarinpal' | 'stripe' | 'sandbox', amount: number) {
      const order = await begin(gateway, amount);
      if (gateway === 'zarinpal') zarinpal.pay(order.externalId ?? '');
      if (gateway === 'stripe') stripe.pay(order.externalId ?? '');
      if (gateway === 'sandbox')
        await db.query(`update sandbox_payment set state = 'paid' where id = $1`, [order.externalId]);
      return desk.orders.verifyAgain(order.id, 'test');
    }
    const request = (at: number, over: Partial<RequestRecord>) =>
      requestAt(at, { accountId: 'acme-1', provider: 'openai', counters: [], formula: [], attempts: [], ...over });
    const paper = (id: string) => ({ id, createdBy: FINANCE });
    const dispute = async (id: string, intent: string, status: string, fees: number[]) => {
      const gateway = await desk.gateways.evenIfOff('stripe');
      if (!gateway) throw new Error('no gateway');
      const balance_transactions = fees.map((fee) => ({ fee, currency: 'usd' }));
      stripe.disputes.set(id, { payment_intent: intent, amount: 1_100, status, balance_transactions });
      await desk.refunds.dispute(gateway, id);
    };

    it('is lived through', async () => {
      // The books begin in the month before, of which nothing but its days is known.
      stage.clock.advance(12 * DAY_MS);
      await stage.tick();
      await goTo(1);
      await paid('zarinpal', 1_000_000);
      await goTo(2);
      const transfer = await begin('bank-transfer', 5_000_000);
      await desk.orders.confirmTransfer(transfer.id, 'track-1', FINANCE, 'melli');
      await goTo(3);
      const halved = await paid('stripe', 2_000_000);
      await goTo(4);
      const { codes } = await desk.gifts.make({ count: 1, amount: toman(200_000) }, FINANCE);
      await desk.gifts.redeem(codes[0] ?? '', 'acme-1', 'test');
      await desk.books.transfer({ id: 'welcome:acme-2', kind: 'gift', accountId: 'acme-2', amount: toman(50_000) });
      await goTo(5);
      const now = stage.clock.now();
      sold = request(now, { cost: exact('2403.28'), providerCost: exact('2184.8') });
      const failed = { state: 'failed' as const, cost: money(0n), providerCost: null, provider: null };
      await post(stage, sold, request(now, { cost: toman(100), providerCost: null }), request(now, failed));
      await goTo(6);
      const back = { kind: 'refund' as const, accountId: 'acme-1', amount: exact('2403.28') };
      await desk.books.transfer({ id: 'hand:back', ...back, requestId: sold.id });
      await goTo(7);
      const arrived = { arrived: toman(1_089_000), fee: toman(10_000), feeVat: toman(1_000) };
      await desk.books.book(events.settlement(paper('st-1'), { gateway: 'zarinpal', bank: 'melli', ...arrived }));
      await goTo(8);
      const wanted = await paid('zarinpal', 300_000);
      await desk.refunds.refund(wanted.id, { reason: 'wants it back', byHand: true, bank: 'melli' }, FINANCE);
      await goTo(9);
      await desk.refunds.refund(halved.id, { reason: 'a part', byHand: false, amount: toman(500_000) }, FINANCE);
      await goTo(10);
      const lost = await paid('stripe', 1_000_000);
      await dispute('dp-lost', `pi_${lost.externalId}`, 'needs_response', [1_500]);
      await goTo(12);
      await dispute('dp-lost', `pi_${lost.externalId}`, 'lost', [1_500]);
      await goTo(13);
      const won = await paid('stripe', 1_000_000);
      await dispute('dp-won', `pi_${won.externalId}`, 'needs_response', [1_500]);
      await goTo(14);
      await dispute('dp-won', `pi_${won.externalId}`, 'won', [1_500, -1_500]);
      await goTo(15);
      await desk.books.book(events.unmatched(paper('u1'), { at: 'gateway:zibal', amount: toman(110_000) }));
      await goTo(16);
      const whose = { accountId: 'acme-1', amount: toman(100_000), vat: toman(10_000) };
      await desk.books.book(events.matched(paper('u2'), whose));
      await goTo(17);
      const give = (id: string, kind: 'adjustment' | 'top-up', amount: number, accountId = 'acme-1') =>
        desk.books.transfer({ id: `hand:${id}`, kind, accountId, amount: money(toman(amount)) });
      await give('c1', 'adjustment', 50_000);
      await give('c2', 'adjustment', -20_000);
      await goTo(18);
      await give('c3', 'top-up', 10_000);
      await goTo(19);
      await desk.books.book(events.documented(paper('d1'), { as: 'bank:melli', amount: toman(10_000) }));
      await goTo(20);
      await makeAccount(db, 'debtor');
      await give('debt', 'adjustment', -70_000, 'debtor');
      await desk.books.book(events.badDebt(paper('b1'), { accountId: 'debtor', amount: toman(70_000) }));
      await goTo(21);
      const more = { provider: 'openai', beyondCounted: toman(1_500_000) };
      await desk.books.book(events.providerBill(paper('bill-1'), more));
      await goTo(22);
      const bought = { currency: 'USDT', units: '1206', bank: 'melli', amount: toman(125_424_000) };
      await desk.books.book(events.currencyBought(paper('fx-1'), bought));
      await goTo(23);
      const foreign = { units: '10', unit: 'USDT' };
      const sums = { owed: toman(1_000_000), fee: toman(24_000), difference: toman(4_000) };
      await desk.books.book(events.billPaid(paper('pay-1'), { provider: 'openai', from: 'fx:USDT', ...sums, foreign }));
      await goTo(24);
      const tax = { setOff: toman(1_000), paid: toman(99_000), bank: 'melli' };
      await desk.books.book(events.taxPaid(paper('winter'), tax));
      await goTo(25);
      await paid('sandbox', 700_000);
      await goTo(26);
      await makeAccount(db, 'acme-9');
      const receipt = { accountId: 'acme-9', amount: toman(400_000), number: 'rcp-1' };
      await desk.receipts.take(receipt, { createdBy: FINANCE }, async () => undefined);
      await goTo(27);
      late = request(stage.clock.now(), { cost: toman(11), providerCost: toman(9) });
      // The last minute of the month, posted in the first hour of the next: it is of the month, since its day is not sealed.
      await goTo(32, 0);
      const lastMinute = FIRST + 31 * DAY_MS - MINUTE_MS;
      await post(stage, request(lastMinute, { cost: exact('5.000001'), providerCost: toman(4) }));
      expect(reports.today()).toBe('2024-04-20');
      await goTo(33);
      await post(stage, late);
      await goTo(34);
      expect(await whole()).toEqual([]);
    });

    it('stands in the trial balance as its entries were, to the micro-toman', async () => {
      const { lines } = await reports.trial({ from: FIRST_DAY, to: LAST_DAY });
      const expected = expectedBooks();
      const moved = Object.fromEntries(lines.map((one) => [one.book, [one.movedDebit, one.movedCredit]]));
      expect(moved).toEqual(Object.fromEntries([...expected].map(([book, sums]) => [book, [sums.debit, sums.credit]])));
      for (const { book, debit, credit } of lines) {
        const { debit: d, credit: c } = expected.get(book) ?? { debit: 0n, credit: 0n };
        expect([book, debit - credit]).toEqual([book, d - c]);
        expect([book, bookOfLine(book)?.code]).not.toEqual([book, undefined]);
      }
      const sum = (of: 'debit' | 'credit' | 'movedDebit' | 'movedCredit') =>
        lines.reduce((total, one) => total + one[of], 0n);
      expect(sum('debit')).toBe(sum('credit'));
      expect(sum('movedDebit')).toBe(sum('movedCredit'));
      // Wallets one by one are the line of all of them.
      const wallets = await reports.accounts({ line: 'wallets', day: LAST_DAY }, { limit: 100 });
      const line = lines.find(({ book }) => book === 'wallets');
      expect(wallets.rows.reduce((total, { posted }) => total + posted, 0n)).toBe(
        (line?.credit ?? 0n) - (line?.debit ?? 0n),
      );
    });

    it('is the same today, from the accounts, as from the sums of days and the open rows', async () => {
      const { lines } = await reports.trial({ from: '2024-03-10' });
      const rows = await db.query<{ book: string; posted: string }>(
        `select ${lineSql('id')} as book, sum(posted)::text as posted from ledger_account group by 1`,
      );
      expect(Object.fromEntries(lines.map((one) => [one.book, String(one.credit - one.debit)]))).toEqual(
        Object.fromEntries(rows.map(({ book, posted }) => [book, posted])),
      );
      for (const { book, debit, credit, movedDebit, movedCredit } of lines)
        expect([book, debit - credit]).toEqual([book, movedDebit - movedCredit]);
    });

    it('earned what was sold less what it cost, beside the month before', async () => {
      const { spans, lines, profit, unknownCost, requests } = await reports.profit('month', 2, MONTH);
      expect(spans.map(({ id }) => id)).toEqual(['1402-12', MONTH]);
      expect(
        Object.fromEntries(
          lines.map(({ book, kind, amounts }) => [`${book} ${kind}`, toTomanText(amounts[1] ?? money(0n))]),
        ),
      ).toEqual({
        'revenue charge': '2508.280001',
        'revenue refund': '-2403.28',
        'costs provider-cost': '-2188.8',
        'costs bill': '-1500000',
        'gateway-fees settlement': '-10000',
        'gateway-fees fee': '-1500000',
        'bank-fees bill': '-24000',
        'promotions gift': '-250000',
        'corrections adjustment': '40000',
        'bad-debt bad-debt': '-70000',
        'fx-difference bill': '-4000',
      });
      expect(profit.map(toTomanText)).toEqual(['0', '-3320083.799999']);
      expect(unknownCost[1]).toEqual({ requests: 1, revenue: toman(100) });
      expect(requests[1]).toBe(4);
      // The season and the year have the late request too, which the next month got.
      for (const [by, id] of [
        ['quarter', '1403-q1'],
        ['year', '1403'],
      ] as const)
        expect((await reports.profit(by, 1, id)).profit.map(toTomanText)).toEqual(['-3320081.799999']);
    });

    it('moved cash day by day up to what stands in each book', async () => {
      const { rows } = await reports.cash({ from: FIRST_DAY, to: LAST_DAY });
      const last = new Map(rows.map(({ book, balance }) => [book, toTomanText(balance)]));
      expect(Object.fromEntries(last)).toEqual({
        'bank:main': '440000',
        'bank:melli': '-119254000',
        'fx:USDT': '124396000',
        'gateway:stripe': '1250000',
        'gateway:zarinpal': '330000',
        'gateway:zibal': '110000',
      });
      expect(rows.find(({ day, book }) => day === '2024-03-26' && book === 'bank:melli')).toMatchObject({
        came: toman(1_089_000),
        balance: toman(6_589_000),
      });
    });

    it('has a journal whose lines are all of it, page by page as in one', async () => {
      const all = await reports.journal(MONTH, undefined, 1_000);
      const folded = new Map<string, bigint>();
      for (const { debit, credit, amount } of all.lines) {
        const book = (id: string) => id.replace(/^wallet:.*/, 'wallets').replace(/^provider:.*/, 'providers');
        const pair = `${book(debit)} ← ${book(credit)}`;
        folded.set(pair, (folded.get(pair) ?? 0n) + amount);
      }
      const expected = new Map<string, bigint>();
      for (const [debit, credit, amount] of ENTRIES) {
        const pair = `${debit} ← ${credit}`;
        expected.set(pair, (expected.get(pair) ?? 0n) + exact(amount));
      }
      expect(Object.fromEntries(folded)).toEqual(Object.fromEntries(expected));
      expect(all.lines.filter(({ kind }) => kind === 'charge').map(({ day, transfers }) => [day, transfers])).toEqual([
        ['2024-03-24', 2],
        ['2024-04-19', 1],
      ]);
      const paged: string[] = [];
      let after = undefined as Parameters<BooksReports['journal']>[1];
      do {
        const page = await reports.journal(MONTH, after, 7);
        paged.push(...page.lines.map(({ id }) => id));
        after = page.next ?? undefined;
      } while (after);
      expect(paged).toEqual(all.lines.map(({ id }) => id));
    });

    it('owes the tax that its papers say, and the book says the same', async () => {
      const season = await reports.vat('1403-q1');
      const [month] = season.months;
      expect(month).toMatchObject({
        id: MONTH,
        invoices: 7,
        invoiceVat: toman(1_070_000),
        creditNotes: 3,
        creditNoteVat: toman(180_000),
        inputVat: toman(1_000),
        paid: toman(100_000),
        other: toman(10_000),
        booked: toman(800_000),
        difference: 0n,
      });
      expect(season.payable).toBe(toman(800_000));
      expect(season.input).toBe(0n);
      expect(events.vatTotal(season).difference).toBe(0n);
    });

    it('goes into files that a spreadsheet reads, with the same figures', async () => {
      const text = async (file: keyof typeof events.REPORT_MAKERS, query: object) =>
        fileText(await events.REPORT_MAKERS[file](reports, query, 'en'));
      const trial = await text('trial-balance', { from: FIRST_DAY, to: LAST_DAY });
      expect(trial.startsWith('\uFEFFjalali_date,gregorian_date,code,book,name,')).toBe(true);
      expect(trial).toContain('1403/01/31,2024-04-19,2201,vat-payable,VAT payable,280000,1080000,0,800000\r\n');
      expect(await text('vat', { season: '1403-q1' })).toContain(
        '1403-01,7,10700000,1070000,3,1800000,180000,1000,100000,10000,800000,0\r\n',
      );
      expect(await text('profit', { by: 'month', count: 1, until: MONTH })).toContain(
        '4101,revenue,Revenue,charge,2508.280001\r\n',
      );
      expect(await text('cash', { from: FIRST_DAY, to: LAST_DAY })).toContain('gateway:zibal');
      expect((await text('accounts', { day: LAST_DAY })).split('\r\n').length).toBe(accounts + 4);
      expect((await text('journal', { month: MONTH })).split('\r\n').length).toBeGreaterThan(50);
      expect((await text('invoices', { season: '1403-q1' })).split('\r\n').length).toBe(13);
      const tax = (await text('tax', { season: '1403-q1' })).split('\r\n');
      expect(tax[0]).toMatch(/^\uFEFFtaxid,inno,indatim,/);
      // Specimens are none of the tax office's business; amounts are rial, the unit one toman.
      expect(tax.length).toBe(12);
      expect(tax[1]?.split(',').slice(20, 29)).toEqual([
        '1000000',
        '',
        '10',
        '10000000',
        '0',
        '10000000',
        '10',
        '1000000',
        '11000000',
      ]);
    });

    it('closes in order, with a sentence for what is amber, by two people, and from its second day after on', async () => {
      await expect(periods.ask(MONTH, {}, FINANCE)).rejects.toMatchObject({ code: 'conflict' });
      const before = await periods.get('1402-12');
      expect(before.checks.filter(({ count }) => count > 0).map(({ id }) => id)).toEqual(['seller-missing']);
      await expect(periods.ask('1402-12', {}, FINANCE)).rejects.toMatchObject({ code: 'conflict' });
      await db.query(`insert into setting (key, value, updated_at) values ('invoice_seller', '{}', now())`);
      await periods.ask('1402-12', {}, FINANCE);
      await expect(periods.setRule({ calendar: 'gregorian' }, OWNER)).rejects.toMatchObject({ code: 'conflict' });
      await expect(periods.approve('1402-12', FINANCE)).rejects.toMatchObject({ code: 'forbidden' });
      expect(await periods.approve('1402-12', OWNER)).toMatchObject({ state: 'closed', alone: false });
      const { checks, period } = await periods.get(MONTH);
      expect(period.closableFrom).toBe('2024-04-21');
      const found = checks.filter(({ count }) => count > 0);
      expect(found.map(({ id, count }) => [id, count])).toEqual([
        ['not-settled', 3],
        ['receipts-not-seen', 2],
        ['cost-unknown', 1],
        ['invoices-not-sent', 10],
      ]);
      await expect(periods.ask(MONTH, { 'not-settled': 'comes in Ordibehesht' }, FINANCE)).rejects.toMatchObject({
        code: 'invalid_request',
      });
      const sentences = Object.fromEntries(found.map(({ id }) => [id, 'known to us']));
      await periods.ask(MONTH, sentences, FINANCE);
      await periods.decline(MONTH, FINANCE);
      await periods.ask(MONTH, sentences, FINANCE);
      expect(await periods.approve(MONTH, OWNER)).toMatchObject({ state: 'closed', approvedBy: OWNER, sentences });
      await expect(periods.ask(MONTH, sentences, FINANCE)).rejects.toMatchObject({ code: 'conflict' });
      await expect(periods.ask('1403-02', {}, FINANCE)).rejects.toMatchObject({ code: 'conflict' });
      expect((await periods.list(5)).map(({ id, state }) => [id, state])).toEqual([
        ['1403-02', 'running'],
        [MONTH, 'closed'],
        ['1402-12', 'closed'],
      ]);
    });

    it('lets nothing in once it is closed, by whatever way it comes', async () => {
      const closed = async () => ({
        trial: await reports.trial({ from: FIRST_DAY, to: LAST_DAY }),
        profit: await reports.profit('month', 1, MONTH),
        vat: (await reports.vat('1403-q1')).months[0],
        journal: (await reports.journal(MONTH, undefined, 1_000)).lines,
        wallets: await reports.accounts({ line: 'wallets', day: LAST_DAY }, { limit: 100 }),
      });
      const before = await closed();
      const midMonth = FIRST + 10 * DAY_MS;
      // A journal that is found, of the closed month; and one that was posted before.
      await post(stage, request(midMonth, { cost: toman(7), providerCost: toman(6) }));
      await post(stage, sold);
      // By hand, on a machine whose clock is weeks behind: an entry, a refund, a paper.
      const now = stage.clock.now();
      stage.clock.advance(midMonth - now);
      await desk.books.transfer({ id: 'hand:slow', kind: 'adjustment', accountId: 'acme-1', amount: toman(1) });
      const old = await paid('stripe', 1_000_000);
      await desk.refunds.refund(old.id, { reason: 'again', byHand: false }, FINANCE);
      stage.clock.advance(now - midMonth);
      // A paper that bears a day of the closed month is booked today.
      const dated = { ...paper('old-bill'), datedOn: '2024-04-01' };
      await desk.books.book(events.providerBill(dated, { provider: 'openai', beyondCounted: toman(3) }));
      // As 0.1.0 writes: it knows nothing of months.
      await db.query(
        `insert into ledger_transfer (id, debit, credit, amount, kind, account_id, created_at)
         values ('old:1', 'corrections', 'wallet:acme-1', 5, 'adjustment', 'acme-1', '2024-04-02')`,
      );
      await db.query(`update ledger_account set posted = posted + 5 where id = 'wallet:acme-1'`);
      await db.query(`update ledger_account set posted = posted - 5 where id = 'corrections'`);
      for (const statement of [
        `insert into ledger_day (day, debit, credit, kind, transfers, amount) values ('2024-04-01', 'a', 'b', 'c', 1, 1)`,
        `update ledger_day set amount = amount + 1 where day = '2024-03-21'`,
        `delete from ledger_day where day = '2024-03-21'`,
        `insert into late_request (id, booked_on) values ('x', '2024-04-01')`,
        `update ledger_balance set posted = posted + 1 where day = '2024-03-21'`,
        `delete from ledger_seal where day = '2024-03-21'`,
        `update ledger_clock set open_from = '2024-04-01'`,
        `update ledger_period set state = 'asked'`,
        `delete from ledger_period`,
      ])
        await expect(db.query(statement), statement).rejects.toThrow(/closed/);
      expect({ ...(await closed()), vat: before.vat }).toEqual(before);
      stage.clock.advance(2 * DAY_MS);
      await sealUntilNow();
      expect({ ...(await closed()), vat: before.vat }).toEqual(before);
      expect(await whole()).toEqual([]);
      const next = await reports.profit('month', 1, '1403-02');
      expect(next.lines.find(({ kind }) => kind === 'charge')?.amounts.map(toTomanText)).toEqual(['18']);
    });

    it('says what the tax office knows: a file is read whole or not at all', async () => {
      const rows = await reports.invoices({ season: '1403-q1', series: 'official' }, { limit: 100, oldestFirst: true });
      // One toman of credit is one unit.
      expect(rows[0]?.content['lines']).toMatchObject([{ quantity: 1_000_000, amount: '1000000000000' }]);
      const number = (at: number) => `${rows[at]?.year}-${String(rows[at]?.number).padStart(6, '0')}`;
      const id = (at: number) => `A1B2C3${String(at).padStart(15, '0')}4`;
      const good = `inno,taxid,state,reference\r\n${number(0)},${id(0)},accepted,ref-1\r\n${number(1)},,sent,ref-2\r\n`;
      const bad = `${good}1403-999999,,sent,\r\nwhat,,sent,\r\n${number(2)},short,accepted,\r\n${number(2)},,accepted,\r\n`;
      await expect(reports.importTaxResults(bad, FINANCE)).rejects.toMatchObject({
        code: 'invalid_request',
        options: { detail: { bad_rows: 4, lines: [4, 5, 6, 7] } },
      });
      expect((await reports.invoices({ taxState: 'sent' }, { limit: 5 })).length).toBe(0);
      expect(await reports.importTaxResults(good, FINANCE)).toEqual({ changed: 2 });
      // What was accepted stays so; a tax number is one invoice's.
      for (const line of [`${number(0)},,refused,`, `${number(2)},${id(0)},sent,`])
        await expect(reports.importTaxResults(`inno,taxid,state,reference\n${line}\n`, FINANCE)).rejects.toMatchObject({
          code: 'invalid_request',
        });
      const states = await reports.invoices(
        { season: '1403-q1', series: 'official' },
        { limit: 100, oldestFirst: true },
      );
      expect(states.slice(0, 3).map(({ taxState, taxNumber }) => [taxState, taxNumber])).toEqual([
        ['accepted', id(0)],
        ['sent', null],
        ['not-sent', null],
      ]);
      const waiting = await reports.toSend();
      expect([waiting.count, waiting.days]).toEqual([rows.length - 2, 12]);
      expect((await reports.invoices({ taxState: 'to-send' }, { limit: 100 })).length).toBe(waiting.count);
      const note = states.find(({ kind }) => kind === 'credit-note');
      expect([note?.corrects !== null, note?.left?.amount]).toEqual([true, 0n]);
    });

    it('is found out when somebody alters it in the database', async () => {
      await db.query('alter table ledger_day disable trigger all');
      await db.query(`update ledger_day set amount = amount + 1 where day = '2024-03-21' and kind = 'vat'`);
      expect((await whole())?.map((fault) => fault.split(':')[0])).toContain('closed-months');
      await db.query(`update ledger_day set amount = amount - 1 where day = '2024-03-21' and kind = 'vat'`);
      await db.query('alter table ledger_day enable trigger all');
      expect(await whole()).toEqual([]);
    });
  });
}
