/**
 * What the gateways' other calls are for: an inquiry tells who is still at the bank from who gave up and never credits anything,
 * and the list of unverified payments finds what nobody asked about any more.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wholeToman } from '../../src/payments/amounts.ts';
import { wakeUnverified } from '../../src/payments/unverified.ts';
import { HandClock } from '../admission/hand-clock.ts';
import { type BankFault, FakeZarinpal, FakeZibal } from '../fake-bank/index.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';
import { type CashDesk, makeAccount, openCashDesk, proveBooks } from './cash-desk.ts';

const AMOUNT = wholeToman(120_000n);
const DAY = 86_400_000;
const MERCHANT = '00000000-0000-0000-0000-000000000000';

const zarinpal = new FakeZarinpal();
const zibal = new FakeZibal();
const clock = new HandClock();
const unknown: string[] = [];
let temporary: TemporaryDatabase;
let desk: CashDesk;
let accounts = 0;

beforeAll(async () => {
  await Promise.all([zarinpal.open(), zibal.open()]);
  temporary = await openTemporaryDatabase();
  desk = openCashDesk({ db: temporary.db, clock });
  const on = (id: string, secrets: Record<string, string>, base_url: string) =>
    desk.gateways.change(id, { enabled: true, secrets, options: { base_url } }, 'test');
  await on('zarinpal', { merchant_id: MERCHANT }, zarinpal.origin);
  await on('zibal', { merchant: 'zibal' }, zibal.origin);
});

afterAll(async () => {
  await proveBooks(desk.books);
  await desk.close();
  await temporary.remove();
  await Promise.all([zarinpal.close(), zibal.close()]);
});

const banks = {
  zarinpal: { bank: zarinpal, field: 'Authority', inquiry: '/inquiry.json' },
  zibal: { bank: zibal, field: 'trackId', inquiry: '/v1/inquiry' },
};
type Gateway = keyof typeof banks;

async function begin(gateway: Gateway) {
  const accountId = `customer-${++accounts}`;
  await makeAccount(temporary.db, accountId);
  const input = { accountId, gateway, amount: AMOUNT, createdBy: 'test', language: 'fa' as const };
  const order = await desk.orders.begin({ ...input, origin: 'https://gateway.test' });
  const externalId = order.externalId ?? '';
  return {
    id: order.id,
    externalId,
    comeBack: () => desk.orders.returned(gateway, new Map([[banks[gateway].field, externalId]])),
    now: () => desk.orders.get(order.id),
    balance: async () => (await desk.books.wallet(accountId)).posted,
  };
}

/** What the reconciler does every few minutes. */
async function reconcile(): Promise<void> {
  const onUnknown = async (gateway: string, externalId: string) => {
    unknown.push(`${gateway}:${externalId}`);
  };
  await wakeUnverified({ db: temporary.db, clock, log: desk.log, gateways: desk.gateways, onUnknown });
  while ((await desk.settlement.checkDue(50)) > 0) {}
}

describe.each(['zarinpal', 'zibal'] as const)('an inquiry at %s', (gateway) => {
  const { bank, inquiry } = banks[gateway];

  it('keeps the order open while its customer is at the bank', async () => {
    const order = await begin(gateway);
    expect(await order.comeBack()).toMatchObject({ state: 'returned', problem: null });
    bank.pay(order.externalId);
    expect((await order.comeBack())?.state).toBe('credited');
    expect(await order.balance()).toBe(AMOUNT);
  });

  it('ends the order of a customer who gave up, until the payment comes after all', async () => {
    const order = await begin(gateway);
    bank.become(order.externalId, 'refused');
    expect((await order.comeBack())?.state).toBe('failed');
    bank.pay(order.externalId);
    expect((await order.comeBack())?.state).toBe('credited');
    expect(await order.balance()).toBe(AMOUNT);
  });

  it('never credits what verifying denies, whatever it says itself', async () => {
    const order = await begin(gateway);
    bank.pay(order.externalId);
    bank.failNext(gateway === 'zarinpal' ? '/verify.json' : '/v1/verify', {
      kind: 'code',
      code: gateway === 'zarinpal' ? -51 : 202,
    });
    expect(await order.comeBack()).toMatchObject({ state: 'returned', problem: 'unreachable:contradiction' });
    expect(await order.balance()).toBe(0n);
    clock.advance(60_000);
    await desk.settlement.checkDue(50);
    expect((await order.now()).state).toBe('credited');
  });

  it('does not credit what was sent back', async () => {
    const order = await begin(gateway);
    bank.become(order.externalId, 'reversed');
    expect((await order.comeBack())?.state).toBe('failed');
    expect(await order.balance()).toBe(0n);
  });

  it.each([
    [{ kind: 'cut' }],
    [{ kind: 'silent' }],
    [{ kind: 'http', status: 502 }],
    [{ kind: 'code', code: gateway === 'zarinpal' ? -11 : 102 }],
  ] satisfies [BankFault][])('that fails (%o) leaves the answer of verifying', async (fault) => {
    const order = await begin(gateway);
    bank.failNext(inquiry, fault);
    expect((await order.comeBack())?.state).toBe('failed');
    expect(await order.balance()).toBe(0n);
  });
});

describe('the list of what is stuck', () => {
  const stuck = async (id: string) => {
    await temporary.db.query(`update payment_order set updated_at = '2020-01-01' where id = $1`, [id]);
    return (await desk.orders.list({ stuck: true }, { limit: 100 })).items.some((order) => order.id === id);
  };

  it('has an order whose gateway cannot be asked, until it answers', async () => {
    const order = await begin('zibal');
    expect(await stuck(order.id)).toBe(false);
    zibal.failNext('/v1/verify', { kind: 'code', code: 203 });
    await desk.orders.verifyAgain(order.id, 'test');
    expect(await order.now()).toMatchObject({ state: 'sent', problem: 'unreachable:203' });
    expect(await stuck(order.id)).toBe(true);
    await desk.orders.verifyAgain(order.id, 'test');
    expect(await order.now()).toMatchObject({ state: 'sent', problem: null });
    expect(await stuck(order.id)).toBe(false);
  });

  it('has a payment that differs from its order, whatever is asked later', async () => {
    const order = await begin('zibal');
    zibal.pay(order.externalId, 10);
    expect(await order.comeBack()).toMatchObject({ state: 'failed', problem: 'differs:amount' });
    expect(await stuck(order.id)).toBe(true);
    zibal.failNext('/v1/verify', { kind: 'http', status: 502 });
    await desk.orders.verifyAgain(order.id, 'test');
    expect((await order.now()).problem).toBe('differs:amount');
    expect(await stuck(order.id)).toBe(true);
  });
});

describe('the list of unverified payments', () => {
  it('finds a payment long after asking about its order ended', async () => {
    const order = await begin('zarinpal');
    for (let day = 0; day < 6; day++) {
      clock.advance(DAY);
      await desk.settlement.checkDue(50);
    }
    expect((await order.now()).state).toBe('expired');
    zarinpal.pay(order.externalId);
    clock.advance(30 * DAY);
    await desk.settlement.checkDue(50);
    expect(await order.balance()).toBe(0n);
    await reconcile();
    expect((await order.now()).state).toBe('credited');
    await reconcile();
    expect(await order.balance()).toBe(AMOUNT);
  });

  it('that does not come, comes broken or with an error changes nothing, and the next one is read', async () => {
    const order = await begin('zarinpal');
    zarinpal.pay(order.externalId);
    const faults: BankFault[] = [{ kind: 'cut' }, { kind: 'http', status: 500 }, { kind: 'code', code: -12 }];
    for (const fault of faults) {
      zarinpal.failNext('/unVerified.json', fault);
      await reconcile();
      expect(await order.balance()).toBe(0n);
    }
    expect(desk.log.lines.some(({ message }) => message.includes('did not list its unverified payments'))).toBe(true);
    await reconcile();
    expect(await order.balance()).toBe(AMOUNT);
  });

  it('that is late delays nobody else', async () => {
    const late = await begin('zarinpal');
    zarinpal.pay(late.externalId);
    zarinpal.failNext('/unVerified.json', { kind: 'late' });
    const running = reconcile();
    await zarinpal.untilWaiting();
    expect((await late.comeBack())?.state).toBe('credited');
    zarinpal.release();
    await running;
    expect(await late.balance()).toBe(AMOUNT);
  });

  it('leaves alone what differs from its order', async () => {
    const order = await begin('zarinpal');
    zarinpal.pay(order.externalId);
    const session = zarinpal.sessions.get(order.externalId);
    if (session) session.amount += 10;
    expect(await order.comeBack()).toMatchObject({ state: 'failed', problem: 'differs:-50' });
    const calls = zarinpal.calls.length;
    await reconcile();
    // The list itself, and no question about the order.
    expect(zarinpal.calls.length).toBe(calls + 1);
    expect(await order.balance()).toBe(0n);
    zarinpal.become(order.externalId, 'refused');
  });

  it('tells of payments that came from us and have no order, and not of those of another shop', async () => {
    const lost = await begin('zarinpal');
    zarinpal.pay(lost.externalId);
    await temporary.db.query('delete from payment_event where order_id = $1', [lost.id]);
    await temporary.db.query('delete from payment_order where id = $1', [lost.id]);
    const other = 'A'.repeat(36);
    const shop = { merchant: MERCHANT, amount: 50_500, callback: 'https://shop.test/vpay', state: 'paid' as const };
    zarinpal.sessions.set(other, shop);
    await reconcile();
    expect(unknown).toEqual([`zarinpal:${lost.externalId}`]);
  });
});
