/**
 * The cut-over from the books of 0.1.0, on every database. This version books as 0.1.0 did until the cut-over, so its own services
 * make the history: what they write then is what 0.1.0 writes (the upgrade test runs the real one).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cutOver } from '../../src/accounting/index.ts';
import { money, toTomanText } from '../../src/core/money.ts';
import { wholeToman } from '../../src/payments/amounts.ts';
import type { Database } from '../../src/platform/db/index.ts';
import { HandClock } from '../admission/hand-clock.ts';
import { type CashDesk, makeAccount, openCashDesk, proveBooks } from '../payments/cash-desk.ts';
import { ScriptedGateway } from '../payments/scripted-gateway.ts';
import { recordedLog } from '../services/silent-log.ts';
import type { DatabaseUnderTest } from './database.suite.ts';

const toman = (amount: number) => wholeToman(BigInt(amount));

export function cutOverSuite(name: string, openDatabase: () => Promise<DatabaseUnderTest>): void {
  describe(`the cut-over: ${name}`, () => {
    const clock = new HandClock();
    const bank = new ScriptedGateway('bank-a');
    let subject: DatabaseUnderTest;
    let db: Database;
    let desk: CashDesk;
    let scripted: CashDesk;

    beforeAll(async () => {
      subject = await openDatabase();
      db = subject.db;
      desk = openCashDesk({ db, clock, vatBasisPoints: 1000 });
      const only = async (id: string) => (id === 'bank-a' ? bank.port : undefined);
      scripted = openCashDesk({ db, clock, vatBasisPoints: 1000, scripted: only });
      for (const id of ['sandbox', 'bank-transfer']) await desk.gateways.change(id, { enabled: true }, 'test');
      await makeAccount(db, 'acme');
    });
    afterAll(async () => {
      await Promise.all([desk.close(), scripted.close()]);
      await subject.close();
    });

    const run = () => cutOver({ db, clock, log: recordedLog(), ledger: desk.books });
    /** As an installation of 0.1.0 is found: with entries, and not cut over. */
    const asBefore = () => db.query('update chart_cut_over set done_at = null');
    const balances = async () => {
      const lines = await desk.books.trialBalance();
      return Object.fromEntries(lines.map(({ book, debit, credit }) => [book, toTomanText(money(debit - credit))]));
    };
    const transfers = () =>
      db.query<{ kind: string }>(
        'select id, debit, credit, amount::text, kind, account_id from ledger_transfer order by seq',
      );
    async function topUp(gateway: 'bank-a' | 'sandbox' | 'bank-transfer') {
      const at = gateway === 'bank-a' ? scripted : desk;
      const input = {
        accountId: 'acme',
        gateway,
        amount: toman(1_000_000),
        createdBy: 'test',
        language: 'fa' as const,
      };
      const order = await at.orders.begin({ ...input, origin: 'https://x.test' });
      if (gateway === 'bank-transfer') return desk.orders.confirmTransfer(order.id, `n-${order.id}`, 'test');
      if (gateway === 'bank-a') Object.assign(bank.payments.get(order.externalId ?? '') ?? {}, { paid: 'right' });
      else await db.query(`update sandbox_payment set state = 'paid'`);
      return at.orders.verifyAgain(order.id, 'test');
    }
    async function history() {
      await topUp('bank-a');
      const back = await topUp('bank-a');
      await scripted.refunds.refund(back.id, { reason: 'wants it back', byHand: false }, 'test');
      await topUp('sandbox');
      await topUp('bank-transfer');
      const { codes } = await desk.gifts.make({ count: 1, amount: toman(20_000) }, 'test');
      await desk.gifts.redeem(codes[0] ?? '', 'acme', 'test');
    }
    const byHand = (id: string, kind: 'top-up' | 'adjustment' | 'gift' | 'opening', amount: number) =>
      desk.books.transfer({ id, kind, accountId: 'acme', amount: money(toman(amount)) });

    it('books as 0.1.0 does until it is done, and refuses what 0.1.0 could not prove', async () => {
      await asBefore();
      await history();
      await byHand('by-hand', 'top-up', 70_000);
      await byHand('mistake', 'adjustment', -3_000);
      await byHand('welcome:x', 'gift', 5_000);
      await byHand('opening:acme', 'opening', 1_000);
      expect(await balances()).toEqual({
        wallets: '-3093000',
        cash: '3070000',
        adjustments: '22000',
        opening: '1000',
      });
      const kinds = new Set((await transfers()).map(({ kind }) => kind));
      expect(kinds).toEqual(new Set(['top-up', 'payback', 'adjustment', 'opening']));
      const { id } = await topUp('bank-a');
      const part = { reason: 'a part', byHand: false, amount: toman(10) };
      await expect(scripted.refunds.refund(id, part, 'test')).rejects.toMatchObject({ code: 'conflict' });
      await scripted.refunds.refund(id, { reason: 'all', byHand: false }, 'test');
      await proveBooks(desk.books);
    });

    it('moves everything to its book, touches no wallet, and rewrites nothing', async () => {
      const before = await transfers();
      expect(await run()).toBe('done');
      expect((await transfers()).slice(0, before.length)).toEqual(before);
      expect(await balances()).toEqual({
        wallets: '-3093000',
        'gateway:bank-a': '1100000',
        'bank:main': '1100000',
        'vat-payable': '-200000',
        'play-money': '1000000',
        promotions: '25000',
        corrections: '-3000',
        undocumented: '70000',
        opening: '1000',
      });
      await proveBooks(desk.books);
    });

    it('finds nothing the second time, and six at once are one', async () => {
      const before = await transfers();
      expect(await run()).toBe('nothing to do');
      await asBefore();
      await Promise.all(Array.from({ length: 6 }, run));
      expect(await transfers()).toEqual(before);
    });

    it('moves what 0.1.0 wrote after a way back, and only that', async () => {
      const before = await balances();
      await asBefore();
      await history();
      expect(await balances()).toMatchObject({ cash: '3000000', adjustments: '20000' });
      // Its tax is not in the books yet: the proof says nothing of it while the old books are open.
      await db.query('update chart_cut_over set done_at = now()');
      expect((await desk.books.audit()).checks.filter(({ ok }) => !ok).map(({ id }) => id)).toEqual(['legacy-empty']);
      expect(await run()).toBe('done');
      const after = await balances();
      expect(after['gateway:bank-a']).toBe('2200000');
      expect(after['vat-payable']).toBe('-400000');
      expect(after['undocumented']).toBe(before['undocumented']);
      expect(after).not.toHaveProperty('cash');
      await proveBooks(desk.books);
    });

    it('goes on with what was under way: a refund that began before sends its tax after', async () => {
      await asBefore();
      const { id } = await topUp('bank-a');
      bank.before = () => 'silence';
      await scripted.refunds.refund(id, { reason: 'wants it back', byHand: false }, 'test');
      expect((await scripted.orders.get(id)).refund?.state).toBe('sending');
      expect(await run()).toBe('done');
      await proveBooks(desk.books);
      bank.before = () => 'answer';
      clock.advance(3_600_000);
      await scripted.settlement.checkDue(10);
      expect((await scripted.orders.get(id)).refund?.state).toBe('sent');
      expect((await balances())['gateway:bank-a']).toBe('2200000');
      await proveBooks(desk.books);
    });
  });
}
