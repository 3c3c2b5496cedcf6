/** Credit by hand on every database: the entries of each kind, ceilings that a race does not pass, and a second person beyond them. */
import { randomBytes } from 'node:crypto';
import { HOUR_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type CreditByHand,
  createCreditByHand,
  endGifts,
  entriesOfYesterday,
  type HandAct,
  handAct,
} from '../../src/accounting/index.ts';
import { money, toTomanText } from '../../src/core/money.ts';
import { wholeToman } from '../../src/payments/amounts.ts';
import type { Database } from '../../src/platform/db/index.ts';
import { createSettingStore } from '../../src/platform/setting-store.ts';
import { HandClock } from '../admission/hand-clock.ts';
import { record } from '../ledger/request-fixture.ts';
import { type CashDesk, makeAccount, openCashDesk, proveBooks } from '../payments/cash-desk.ts';
import type { DatabaseUnderTest } from './database.suite.ts';
import { POSTED_AT, postRequest } from './post-request.ts';

const toman = (amount: number) => wholeToman(BigInt(amount));
const [OWNER, FINANCE, SUPPORT] = ['staff:per_owner', 'staff:per_finance', 'staff:per_support'] as const;
const TOKEN = 'operator-token:opt_shop';

export function creditByHandSuite(name: string, openDatabase: () => Promise<DatabaseUnderTest>): void {
  describe(`credit by hand: ${name}`, () => {
    const clock = new HandClock();
    let subject: DatabaseUnderTest;
    let db: Database;
    let desk: CashDesk;
    let hand: CreditByHand;
    let serial = 0;

    const staff = async (actor: string, role: string) => {
      const id = actor.slice('staff:'.length);
      await db.query(`insert into person (id, name, created_at) values ($1, $1, '2026-11-15') on conflict do nothing`, [
        id,
      ]);
      await db.query(
        `insert into staff (person_id, role, created_at) values ($1, $2, '2026-11-15')
         on conflict (person_id) do update set role = excluded.role`,
        [id, role],
      );
    };
    const dismiss = (actor: string) => db.query('delete from staff where person_id = $1', [actor.slice(6)]);
    const tokenLimits = (act: number, day: number) =>
      db.query(`update operator_token set credit_act = $1, credit_day = $2 where id = 'opt_shop'`, [
        String(toman(act)),
        String(toman(day)),
      ]);

    /** What those who can approve were told of. */
    const asked: string[] = [];

    beforeAll(async () => {
      subject = await openDatabase();
      db = subject.db;
      clock.nowMs = POSTED_AT;
      desk = openCashDesk({ db, clock, random: randomBytes, vatBasisPoints: 1000 });
      await desk.gateways.change('bank-transfer', { enabled: true }, 'test');
      const tools = { db, clock, randomBytes };
      hand = createCreditByHand({
        ...tools,
        ledger: desk.books,
        payments: desk,
        settings: createSettingStore(tools),
        availableOf: async (accountId) => (await desk.books.wallet(accountId)).posted,
        onAsked: async (_tx, { id }) => void asked.push(id),
      });
      await staff(OWNER, 'owner');
      await staff(FINANCE, 'finance');
      await staff(SUPPORT, 'support');
      await db.query(
        `insert into operator_token (id, name, digest, last4, scopes, created_by, created_at)
         values ('opt_shop', 'shop', 'x', 'abcd', '["credit"]', 'test', '2026-11-15')`,
      );
    });
    afterAll(async () => {
      await desk.close();
      await subject.close();
    });
    afterEach(async () => {
      await proveBooks(desk.books);
      // Every test has a day of its own.
      clock.nowMs += 24 * HOUR_MS;
    });

    async function account(): Promise<string> {
      const id = `customer-${++serial}`;
      await makeAccount(db, id);
      return id;
    }
    const act = (kind: HandAct['kind'], accountId: string, amount: number, more: Partial<HandAct> = {}): HandAct => {
      const number = more.number ?? `n${++serial}`;
      const id = kind === 'receipt' ? `receipt:${number}` : `hand:${number}`;
      return handAct({ kind, id, accountId, amount: toman(amount), note: 'why', ...more, number });
    };
    const balance = async (accountId: string) => toTomanText((await desk.books.wallet(accountId)).posted);
    const lines = async (document: string) => {
      const rows = await db.query<{ debit: string; credit: string; amount: string }>(
        'select debit, credit, amount::text as amount from ledger_transfer where document_id = $1 order by seq',
        [document],
      );
      const book = (id: string) => id.replace(/^wallet:.*/, 'wallet');
      return rows.map(
        ({ debit, credit, amount }) => `${book(debit)} ← ${book(credit)}: ${toTomanText(money(BigInt(amount)))}`,
      );
    };
    const refusal = (attempt: Promise<unknown>) =>
      attempt.then(
        () => 'done',
        (error: { code?: string }) => error.code ?? String(error),
      );
    const booked = async (wanted: HandAct, actor: string) => {
      const given = await hand.give(wanted, actor);
      if (given.state !== 'booked') throw new Error('it waits');
      return given;
    };
    const waiting = async (wanted: HandAct, actor: string) => {
      const given = await hand.give(wanted, actor, 'a large customer');
      if (given.state !== 'waiting') throw new Error('it was booked');
      return given.approval;
    };

    it('a receipt is a confirmed order with tax and invoice, once per number however it is written', async () => {
      const id = await account();
      const receipt = act('receipt', id, 5_000_000, { number: '77001', payer: 'Sara', datedOn: '2026-11-10' });
      const { transferId, orderId } = await booked(receipt, FINANCE);
      expect(await lines(transferId)).toEqual(['bank:main ← wallet: 5000000', 'bank:main ← vat-payable: 500000']);
      const [paper] = await db.query(
        `select number, note, to_char(dated_on, 'YYYY-MM-DD') as day, created_by from document where id = $1`,
        [transferId],
      );
      expect(paper).toEqual({ number: '77001', note: 'Sara · why', day: '2026-11-10', created_by: FINANCE });
      expect(await db.query('select kind from invoice where order_id = $1', [orderId])).toEqual([{ kind: 'invoice' }]);
      expect(await booked({ ...receipt, number: '۷۷-۰۰۱' }, FINANCE)).toMatchObject({ orderId });
      expect(await balance(id)).toBe('5000000');
      for (const other of [{ amount: toman(4_000_000) }, { accountId: await account() }])
        expect(await refusal(hand.give({ ...receipt, ...other }, FINANCE))).toBe('conflict');
      const same = act('receipt', id, 1_000_000, { number: '77002' });
      await Promise.all(Array.from({ length: 8 }, () => hand.give(same, FINANCE)));
      expect(await balance(id)).toBe('6000000');
    });

    it('corrections both ways, gifts, request refunds and bad debt stand against books of their own', async () => {
      const id = await account();
      const entry = async (wanted: HandAct, actor = SUPPORT) => lines((await booked(wanted, actor)).transferId);
      expect(await entry(act('correction', id, 50_000))).toEqual(['corrections ← wallet: 50000']);
      expect(await entry(act('correction', id, -20_000))).toEqual(['wallet ← corrections: 20000']);
      expect(await refusal(hand.give(act('correction', id, -30_001), SUPPORT))).toBe('conflict');
      expect(await entry(act('gift', id, 200_000, { campaign: 'nowruz' }))).toEqual(['promotions ← wallet: 200000']);
      const charged = record('req_by_hand', { accountId: id, cost: toman(250_000) });
      await postRequest(db, charged);
      const refund = (amount: number) => act('request-refund', id, amount, { requestId: 'req_by_hand' });
      expect(await entry(refund(5_000))).toEqual(['revenue ← wallet: 5000']);
      expect(await refusal(hand.give(refund(245_001), SUPPORT))).toBe('conflict');
      expect(await balance(id)).toBe('-15000');
      // Nobody gives up a debt alone, nor more than is owed.
      expect(await refusal(hand.give(act('bad-debt', id, 15_000), FINANCE))).toBe('credit_limit_exceeded');
      expect(await refusal(hand.give(act('bad-debt', id, 15_001), FINANCE, 'gone'))).toBe('conflict');
      const debt = act('bad-debt', id, 15_000);
      const { id: approval } = await waiting(debt, FINANCE);
      await hand.approve(approval, OWNER, null);
      expect(await lines(debt.id)).toEqual(['bad-debt ← wallet: 15000']);
      expect(await balance(id)).toBe('0');
    });

    it('no act beyond the ceiling of one act, and no 64 at once beyond that of a day', async () => {
      const id = await account();
      expect(await refusal(hand.give(act('correction', id, 500_001), SUPPORT))).toBe('credit_limit_exceeded');
      expect(await refusal(hand.give(act('receipt', id, 100), SUPPORT))).toBe('forbidden');
      for (const actor of [OWNER, FINANCE, 'operator', 'cli'])
        for (const kind of ['receipt', 'correction', 'gift'] as const)
          expect(await refusal(hand.give(act(kind, id, 900_000_000), actor))).toBe('credit_limit_exceeded');
      expect(await balance(id)).toBe('0');
      // Over several accounts: one alone would reach its own ceiling of thirty days first.
      const ids = [id, ...(await Promise.all(Array.from({ length: 7 }, () => account())))];
      const all = Array.from({ length: 64 }, (_, at) =>
        refusal(hand.give(act('correction', ids[at % 8] ?? id, 100_000), SUPPORT)),
      );
      const results = await Promise.all(all);
      expect(results.filter((one) => one === 'done')).toHaveLength(30);
      const balances = await Promise.all(ids.map(balance));
      expect(balances.reduce((sum, one) => sum + Number(one), 0)).toBe(3_000_000);
      // Taking counts as giving does, and the next day begins at nothing.
      expect(await refusal(hand.give(act('correction', id, -1), SUPPORT))).toBe('credit_limit_exceeded');
      clock.nowMs += 24 * HOUR_MS;
      expect(await refusal(hand.give(act('correction', id, -1), SUPPORT))).toBe('done');
    });

    it('whoever asked never decides; another one does, once, and within 72 hours', async () => {
      const id = await account();
      const wanted = act('gift', id, 2_000_000, { campaign: 'launch' });
      const approval = await waiting(wanted, SUPPORT);
      expect(approval).toMatchObject({ state: 'waiting', askedBy: SUPPORT, reason: 'a large customer' });
      expect(await refusal(hand.approve(approval.id, SUPPORT, null))).toBe('forbidden');
      expect(await refusal(hand.approve(approval.id, 'operator', null))).toBe('forbidden');
      const both = await Promise.all([FINANCE, OWNER].map((by) => refusal(hand.approve(approval.id, by, 'fine'))));
      expect(both.sort()).toEqual(['conflict', 'done']);
      expect(await balance(id)).toBe('2000000');
      const { items } = await hand.entries({ accountId: id }, {});
      expect(items).toMatchObject([{ kind: 'gift', actor: SUPPORT, approvalId: approval.id, alone: false }]);
      // What was approved takes nothing of the day.
      expect(await refusal(hand.give(act('correction', id, 500_000), SUPPORT))).toBe('done');

      const large = act('correction', id, 30_000_000);
      const { id: own } = await waiting(large, FINANCE);
      expect(await refusal(hand.approve(own, FINANCE, null))).toBe('forbidden');
      clock.nowMs += 72 * HOUR_MS;
      expect(await refusal(hand.approve(own, OWNER, null))).toBe('conflict');
      const { id: again } = await waiting(large, FINANCE);
      await hand.decline(again, OWNER, 'refused', 'no');
      expect(await refusal(hand.approve(again, OWNER, null))).toBe('conflict');
      expect(await balance(id)).toBe('2500000');
    });

    it('raising a ceiling, repeating the act or losing a role lets nothing through that waits', async () => {
      const id = await account();
      const wanted = act('correction', id, 700_000);
      const approval = await waiting(wanted, SUPPORT);
      expect(asked.at(-1)).toBe(approval.id);
      const before = await hand.limits();
      const high = { act: toman(10_000_000), day: toman(10_000_000), account: null };
      await hand.setLimits({ ...before, support: { ...before.support, credit: high } }, OWNER);
      expect(await hand.give(wanted, SUPPORT)).toMatchObject({ state: 'waiting', approval: { id: approval.id } });
      expect(await refusal(hand.give({ ...wanted, amount: toman(1) }, SUPPORT))).toBe('conflict');
      expect(await refusal(hand.give(wanted, FINANCE))).toBe('conflict');
      expect(await balance(id)).toBe('0');
      await hand.setLimits(before, OWNER);
      await staff(SUPPORT, 'viewer');
      expect(await refusal(hand.approve(approval.id, OWNER, null))).toBe('conflict');
      expect(await refusal(hand.give(act('correction', id, 1), SUPPORT))).toBe('forbidden');
      await staff(SUPPORT, 'support');
      // The act is looked at again when it is decided: the wallet does not hold it any more.
      await booked(act('correction', id, 600_000), FINANCE);
      const taking = act('correction', id, -600_000);
      const { id: late } = await waiting(taking, SUPPORT);
      await booked(act('correction', id, -500_000), FINANCE);
      expect(await refusal(hand.approve(late, OWNER, null))).toBe('conflict');
      expect(await balance(id)).toBe('100000');
      await hand.decline(late, SUPPORT, 'withdrawn', null);
      expect(await refusal(hand.decline(approval.id, FINANCE, 'withdrawn', null))).toBe('forbidden');
    });

    it('one account gets no more in thirty days than its role may give, whoever of the role gives it', async () => {
      const id = await account();
      const colleague = 'staff:per_colleague';
      await staff(colleague, 'support');
      await booked(act('correction', id, 500_000), SUPPORT);
      await booked(act('correction', id, 400_000), colleague);
      const both = [SUPPORT, colleague].map((who) => refusal(hand.give(act('correction', id, 100_001), who)));
      expect(await Promise.all(both)).toEqual(['credit_limit_exceeded', 'credit_limit_exceeded']);
      // The limit of another role is another, and a month later there is room again.
      await booked(act('correction', id, 100_001), FINANCE);
      clock.nowMs += 31 * 24 * HOUR_MS;
      await booked(act('correction', id, 500_000), colleague);
      const day = 24 * HOUR_MS;
      expect(await entriesOfYesterday(db, clock.nowMs + day)).toBeUndefined();
      await hand.setDayNotice(toman(500_000), OWNER);
      expect(await entriesOfYesterday(db, clock.nowMs + day)).toMatchObject({ count: 1, amount: toman(500_000) });
      await dismiss(colleague);
    });

    it('an owner who is alone decides after a quarter of an hour, and the entry says so', async () => {
      const id = await account();
      await dismiss(FINANCE);
      const { id: approval } = await waiting(act('gift', id, 150_000_000), OWNER);
      clock.nowMs += 15 * MINUTE_MS - 1;
      expect(await refusal(hand.approve(approval, OWNER, null))).toBe('forbidden');
      clock.nowMs += 1;
      await staff(FINANCE, 'finance');
      expect(await refusal(hand.approve(approval, OWNER, null))).toBe('forbidden');
      await dismiss(FINANCE);
      expect(await hand.approve(approval, OWNER, null)).toMatchObject({ state: 'approved', alone: true });
      await staff(FINANCE, 'finance');
      expect((await hand.entries({ accountId: id }, {})).items).toMatchObject([{ alone: true, approvedBy: OWNER }]);
    });

    it('a token credits within its own ceilings, once per number, and asks nobody', async () => {
      const id = await account();
      const receipt = act('receipt', id, 400_000, { number: '880' });
      expect(await refusal(hand.give(receipt, TOKEN, 'please'))).toBe('credit_limit_exceeded');
      await tokenLimits(500_000, 1_000_000);
      const first = await booked(receipt, TOKEN);
      expect(await booked(receipt, TOKEN)).toEqual(first);
      expect(await refusal(hand.give({ ...receipt, amount: toman(300_000) }, TOKEN))).toBe('conflict');
      // The number is of one paper, whatever kind is claimed for it.
      expect(await refusal(hand.give(act('gift', id, 1_000, { number: '880' }), TOKEN))).toBe('conflict');
      expect(await balance(id)).toBe('400000');
      const many = Array.from({ length: 8 }, () => refusal(hand.give(act('gift', id, 100_000), TOKEN)));
      // What is left of the day after the receipt: its ceilings are over all kinds.
      expect((await Promise.all(many)).filter((one) => one === 'done')).toHaveLength(6);
      await db.query(`update operator_token set revoked_at = now() where id = 'opt_shop'`);
      expect(await refusal(hand.give(act('gift', id, 1), TOKEN))).toBe('credit_limit_exceeded');
    });

    it('what is left of a gift is taken back after its last day, used before what has no end, and never what is held', async () => {
      const id = await account();
      const day = (offset: number) => new Date(clock.nowMs + offset * 24 * HOUR_MS).toISOString().slice(0, 10);
      const gift = (amount: number, lastDay: string | null) => act('gift', id, amount, { campaign: 'c', lastDay });
      const first = gift(100_000, null);
      await booked(first, FINANCE);
      clock.nowMs += MINUTE_MS;
      await booked(gift(80_000, day(1)), FINANCE);
      await booked(act('correction', id, 500_000), FINANCE);
      clock.nowMs += MINUTE_MS;
      await postRequest(db, record('req_gift', { accountId: id, cost: toman(30_000), createdAt: clock.nowMs }));
      const held = { amount: money(0n) };
      const options = {
        ...{ db, clock, randomBytes, ledger: desk.books },
        availableOf: async (accountId: string) => money((await desk.books.wallet(accountId)).posted - held.amount),
      };
      clock.nowMs += 24 * HOUR_MS;
      expect(await endGifts(options)).toBe(0);
      clock.nowMs += 24 * HOUR_MS;
      // Running requests hold all but 20,000: the rest of the gift is taken when they end.
      held.amount = toman(630_000);
      await endGifts(options);
      expect(await balance(id)).toBe('630000');
      held.amount = money(0n);
      clock.nowMs += MINUTE_MS;
      await endGifts(options);
      expect(await balance(id)).toBe('600000');
      expect(await endGifts(options)).toBe(0);
    });

    it('transfers that staff saw and refunds that staff sent are counted and approved like credit', async () => {
      const id = await account();
      const input = { accountId: id, gateway: 'bank-transfer', createdBy: 'test', language: 'fa' as const };
      const order = await desk.orders.begin({ ...input, amount: toman(300_000_000), origin: 'https://x.test' });
      const of = { accountId: id, orderId: order.id, bank: null, note: 'seen' };
      const confirm = handAct({
        ...of,
        kind: 'confirmed-transfer',
        id: `confirm:${order.id}`,
        amount: order.amount,
        number: '9901',
      });
      expect(await refusal(hand.give(confirm, FINANCE))).toBe('credit_limit_exceeded');
      expect((await desk.orders.get(order.id)).state).not.toBe('credited');
      const { id: seen } = await hand.ask(confirm, FINANCE, 'a large transfer');
      await hand.approve(seen, OWNER, null);
      expect((await desk.orders.get(order.id)).state).toBe('credited');
      const refund = handAct({
        ...of,
        kind: 'order-refund',
        id: `order-refund:${order.id}`,
        amount: money(-order.amount),
      });
      expect(await refusal(hand.give(refund, FINANCE))).toBe('credit_limit_exceeded');
      expect(await balance(id)).toBe('300000000');
      const { id: back } = await hand.ask(refund, FINANCE, 'sent twice');
      await hand.approve(back, OWNER, null);
      expect((await desk.orders.get(order.id)).state).toBe('refunded');
      expect(await balance(id)).toBe('0');
    });
  });
}
