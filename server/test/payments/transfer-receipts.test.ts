/** What a customer says about a bank transfer: who may say it, when, how often; and what each state tells the customer to do. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wholeToman } from '../../src/payments/amounts.ts';
import {
  bankOfIban,
  createTransferReceipts,
  OrderList,
  orderStepOf,
  type TransferReceipts,
} from '../../src/payments/index.ts';
import { HandClock } from '../admission/hand-clock.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';
import { type CashDesk, makeAccount, openCashDesk, proveBooks } from './cash-desk.ts';

const clock = new HandClock();
let temporary: TemporaryDatabase;
let desk: CashDesk;
let receipts: TransferReceipts;
let today: string;
/** The orders that staff heard of. */
const told: string[] = [];

beforeAll(async () => {
  temporary = await openTemporaryDatabase();
  desk = openCashDesk({ db: temporary.db, clock });
  receipts = createTransferReceipts({
    db: temporary.db,
    clock,
    async onReceipt(_tx, { id }) {
      told.push(id);
    },
  });
  for (const id of ['sara', 'thief']) await makeAccount(temporary.db, id);
  for (const id of ['bank-transfer', 'sandbox']) await desk.gateways.change(id, { enabled: true }, 'owner');
  today = new Date(clock.now()).toISOString().slice(0, 10);
});
afterAll(async () => {
  await proveBooks(desk.books);
  await desk.close();
  await temporary.remove();
});

const begin = (accountId = 'sara', gateway = 'bank-transfer') =>
  desk.orders.begin({
    accountId,
    gateway,
    amount: wholeToman(100_000n),
    createdBy: 'test',
    language: 'fa',
    origin: 'https://x.test',
  });
const given = (number: string) => ({ number, paidOn: today, paidFrom: null });
const send = (id: string, number: string, accountId = 'sara') => receipts.send(id, accountId, given(number), accountId);
const stepNow = async (id: string) => orderStepOf(await desk.orders.get(id), (await receipts.ofOrders([id])).has(id));

describe('the receipt of a transfer', () => {
  it('is kept as a number is written, with only the ends of a card, and credits nothing', async () => {
    const order = await begin();
    expect(await stepNow(order.id)).toBe('transfer');
    const receipt = { number: ' ۱۲۳۴-۵۶۷۸ ', paidOn: today, paidFrom: '6037 9912 3456 7893' };
    await receipts.send(order.id, 'sara', receipt, 'sara');
    expect((await receipts.ofOrders([order.id])).get(order.id)).toMatchObject({
      number: '12345678',
      paidFrom: '603799******7893',
    });
    expect(await stepNow(order.id)).toBe('review');
    expect(told).toEqual([order.id]);
    expect((await desk.books.wallet('sara')).posted).toBe(0n);
  });

  it('is not taken from another account, which learns nothing of the order', async () => {
    const order = await begin();
    await expect(send(order.id, '55550001', 'thief')).rejects.toMatchObject({ code: 'not_found' });
    expect((await receipts.ofOrders([order.id])).size).toBe(0);
  });

  it('is not taken for an order that was settled, rejected or paid at a gateway', async () => {
    const paid = await begin();
    await desk.orders.confirmTransfer(paid.id, '55550002', 'finance');
    await expect(send(paid.id, '55550003')).rejects.toMatchObject({ code: 'conflict' });
    const rejected = await begin();
    await receipts.reject(rejected.id, 'no such transfer', 'finance');
    await expect(send(rejected.id, '55550003')).rejects.toMatchObject({ code: 'conflict' });
    const online = await begin('sara', 'sandbox');
    await expect(send(online.id, '55550003')).rejects.toMatchObject({ code: 'conflict' });
  });

  it('pays for one order: not for a second, not at once, and not again after it was confirmed', async () => {
    const [one, two, three] = [await begin(), await begin(), await begin()];
    const tries = await Promise.allSettled([send(one.id, '77770001'), send(two.id, '7777-0001')]);
    expect(tries.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await desk.orders.confirmTransfer(three.id, '77770002', 'finance');
    await expect(send(tries[0]?.status === 'fulfilled' ? two.id : one.id, '77770002')).rejects.toMatchObject({
      code: 'conflict',
      options: { param: 'number' },
    });
  });

  it('may name the number of an order that was given up', async () => {
    const [old, next] = [await begin(), await begin()];
    await send(old.id, '77770003');
    await receipts.reject(old.id, 'wrong amount', 'finance');
    await send(next.id, '77770003');
    expect(await stepNow(next.id)).toBe('review');
  });

  it('brings its order to the list of those that wait for staff, and out of it when they decided', async () => {
    const list = new OrderList({ db: temporary.db, clock });
    const waiting = async () => {
      const page = await list.page({ receiptWaits: true }, { after: null, limit: 100, sort: 'newest', use: 'list' });
      return page.rows.map(({ id }) => id);
    };
    const [silent, one, two] = [await begin(), await begin(), await begin()];
    await send(one.id, '66669001');
    await send(two.id, '66669002');
    expect(await waiting()).toEqual(expect.arrayContaining([one.id, two.id]));
    expect(await waiting()).not.toContain(silent.id);
    await desk.orders.confirmTransfer(one.id, '66669001', 'finance');
    await receipts.reject(two.id, 'no such transfer', 'finance');
    const left = await waiting();
    expect([one.id, two.id].filter((id) => left.includes(id))).toEqual([]);
  });

  it('is corrected a few times; the same again is no correction', async () => {
    const order = await begin();
    for (let n = 0; n < 10; n++) await send(order.id, '88880000');
    for (let n = 1; n < 5; n++) await send(order.id, `8888000${n}`);
    await expect(send(order.id, '88880009')).rejects.toMatchObject({ code: 'conflict' });
    expect((await receipts.ofOrders([order.id])).get(order.id)?.number).toBe('88880004');
    const events = (await desk.orders.events(order.id)).filter(({ cause }) => cause.startsWith('receipt:'));
    expect(events.map(({ detail }) => detail['number'])).toEqual([0, 1, 2, 3, 4].map((n) => `8888000${n}`));
  });

  it('keeps its order from running out while staff look for the money', async () => {
    const [silent, known] = [await begin(), await begin()];
    clock.advance(29 * 86_400_000);
    await receipts.send(known.id, 'sara', { ...given('99990001'), paidOn: dayNow() }, 'sara');
    clock.advance(2 * 86_400_000);
    for (const { id } of [silent, known]) await desk.orders.verifyAgain(id, 'test');
    expect([await stepNow(silent.id), await stepNow(known.id)]).toEqual(['expired', 'review']);
  });

  it.each([
    ['number', { number: '12', paidOn: '' }],
    ['number', { number: '<b>1234</b>', paidOn: '' }],
    ['paid_on', { number: '12345678', paidOn: '2999-01-01' }],
    ['paid_on', { number: '12345678', paidOn: '2020-01-01' }],
    ['paid_from', { number: '12345678', paidOn: '', paidFrom: '6037991234567890' }],
    ['paid_from', { number: '12345678', paidOn: '', paidFrom: 'IR000000000000000000000001' }],
  ])('refuses a wrong %s', async (param, wrong) => {
    const order = await begin('thief');
    const paidOn = wrong.paidOn === '' ? dayNow() : wrong.paidOn;
    const sent = receipts.send(order.id, 'thief', { paidFrom: null, ...wrong, paidOn }, 'thief');
    await expect(sent).rejects.toMatchObject({ code: 'invalid_request', options: { param } });
  });
});

describe('an order that staff reject', () => {
  it('ends with the reason, is confirmed all the same when the money comes, and is rejected no more then', async () => {
    const order = await begin();
    const { problem } = await receipts.reject(order.id, 'not on our account', 'finance');
    expect(problem).toBe('rejected:not on our account');
    expect(await stepNow(order.id)).toBe('rejected');
    await desk.orders.confirmTransfer(order.id, '66660001', 'finance');
    expect(await stepNow(order.id)).toBe('credited');
    await expect(receipts.reject(order.id, 'again', 'finance')).rejects.toMatchObject({ code: 'conflict' });
    const online = await begin('sara', 'sandbox');
    await expect(receipts.reject(online.id, 'again', 'finance')).rejects.toMatchObject({ code: 'conflict' });
  });
});

it('names the bank of an IBAN', () => {
  expect(bankOfIban('IR062960000000100324200001')).toBeNull();
  expect(bankOfIban('IR820540102680020817909002')?.fa).toBe('بانک پارسیان');
});

const dayNow = () => new Date(clock.now()).toISOString().slice(0, 10);
