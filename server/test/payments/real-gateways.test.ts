/** Each real gateway against a server that answers as its documentation says, faults included. */
import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wholeToman } from '../../src/payments/amounts.ts';
import { HandClock } from '../admission/hand-clock.ts';
import { type BankFault, FakeStripe, FakeZarinpal, FakeZibal } from '../fake-bank/index.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';
import { type CashDesk, makeAccount, openCashDesk, proveBooks } from './cash-desk.ts';

const MERCHANT = '00000000-0000-0000-0000-000000000000';
const WEBHOOK_SECRET = 'whsec_test_secret';
const AMOUNT = wholeToman(250_000n);
const MINUTE = 60_000;

const zarinpal = new FakeZarinpal();
const zibal = new FakeZibal();
const stripe = new FakeStripe();
const clock = new HandClock();
let temporary: TemporaryDatabase;
let desk: CashDesk;
let accounts = 0;

beforeAll(async () => {
  await Promise.all([zarinpal.open(), zibal.open(), stripe.open()]);
  temporary = await openTemporaryDatabase();
  desk = openCashDesk({ db: temporary.db, clock });
  const on = (id: string, secrets: Record<string, string>, base_url: string) =>
    desk.gateways.change(id, { enabled: true, secrets, options: { base_url } }, 'test');
  await on('zarinpal', { merchant_id: MERCHANT }, zarinpal.origin);
  await on('zibal', { merchant: 'zibal' }, zibal.origin);
  await on('stripe', { secret_key: 'sk_test_1', webhook_secret: WEBHOOK_SECRET }, stripe.origin);
});

afterAll(async () => {
  await proveBooks(desk.books);
  await desk.close();
  await temporary.remove();
  await Promise.all([zarinpal.close(), zibal.close(), stripe.close()]);
});

async function begin(gateway: string) {
  const accountId = `customer-${++accounts}`;
  await makeAccount(temporary.db, accountId);
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

const returnFields: Record<string, (externalId: string) => Map<string, string>> = {
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
const comeBack = (gateway: string, externalId: string) =>
  desk.orders.returned(gateway, returnFields[gateway]?.(externalId) ?? new Map());
const pay = (gateway: string, externalId: string) =>
  ({ zarinpal, zibal, stripe })[gateway as 'zarinpal'].pay(externalId);
const verifyPath: Record<string, string> = { zarinpal: '/verify.json', zibal: '/v1/verify', stripe: 'cs_test_' };

/** Stripe's path ends with the session itself. */
function failNextVerify(gateway: string, externalId: string, ...faults: BankFault[]): void {
  const path = gateway === 'stripe' ? externalId : (verifyPath[gateway] ?? '');
  ({ zarinpal, zibal, stripe })[gateway as 'zarinpal'].failNext(path, ...faults);
}

describe.each(['zarinpal', 'zibal', 'stripe'])('%s', (gateway) => {
  it('credits what was paid, once, however often the customer comes back', async () => {
    const { order, externalId, balance } = await begin(gateway);
    expect(order).toMatchObject({ state: 'sent', amount: AMOUNT });
    expect(order.redirectUrl).toContain(externalId);
    pay(gateway, externalId);
    expect((await comeBack(gateway, externalId))?.state).toBe('credited');
    expect((await comeBack(gateway, externalId))?.state).toBe('credited');
    expect(await balance()).toBe(AMOUNT);
  });

  it('does not credit what was not paid, and still does when the payment comes later', async () => {
    const { externalId, balance } = await begin(gateway);
    expect((await comeBack(gateway, externalId))?.state).not.toBe('credited');
    expect(await balance()).toBe(0n);
    pay(gateway, externalId);
    expect((await comeBack(gateway, externalId))?.state).toBe('credited');
    expect(await balance()).toBe(AMOUNT);
  });

  it('waits while the gateway is away and learns of the payment by itself', async () => {
    const { order, externalId, balance } = await begin(gateway);
    pay(gateway, externalId);
    // It took the question and its answer got lost: the second time it says "verified before".
    failNextVerify(gateway, externalId, { kind: 'silent' }, { kind: 'cut' }, { kind: 'http', status: 502 });
    expect(await comeBack(gateway, externalId)).toMatchObject({ state: 'returned', problem: 'unreachable:no-answer' });
    for (let minute = 0; minute < 90 && (await balance()) === 0n; minute++) {
      clock.advance(MINUTE);
      await desk.settlement.checkDue(50);
    }
    expect((await desk.orders.get(order.id)).state).toBe('credited');
    expect(await balance()).toBe(AMOUNT);
  });

  it('credits a customer who paid and never came back', async () => {
    const { order, externalId, balance } = await begin(gateway);
    pay(gateway, externalId);
    clock.advance(3 * MINUTE);
    await desk.settlement.checkDue(50);
    expect((await desk.orders.get(order.id)).state).toBe('credited');
    expect(await balance()).toBe(AMOUNT);
  });

  it('asks the gateway once while one answer is late, and once more right after it', async () => {
    const { externalId, balance } = await begin(gateway);
    failNextVerify(gateway, externalId, { kind: 'late' });
    const bank = { zarinpal, zibal, stripe }[gateway as 'zarinpal'];
    const first = comeBack(gateway, externalId);
    await bank.untilWaiting();
    // The late answer will say "not paid"; the payment and a second return come meanwhile.
    pay(gateway, externalId);
    expect((await comeBack(gateway, externalId))?.state).not.toBe('credited');
    bank.release();
    await first;
    await desk.settlement.checkDue(50);
    expect(await balance()).toBe(AMOUNT);
  });

  it('keeps a paid order open that another merchant does not know, and credits it when the right one is back', async () => {
    const { order, externalId, balance } = await begin(gateway);
    pay(gateway, externalId);
    const code = { zarinpal: -54, zibal: 203, stripe: 404 }[gateway] ?? 0;
    failNextVerify(gateway, externalId, { kind: 'code', code });
    expect(await comeBack(gateway, externalId)).toMatchObject({
      state: 'returned',
      problem: expect.stringMatching(/^unreachable:/),
    });
    clock.advance(16 * MINUTE);
    await desk.settlement.checkDue(50);
    expect((await desk.orders.get(order.id)).state).toBe('credited');
    expect(await balance()).toBe(AMOUNT);
  });

  it('lets an order expire that nobody pays, and credits it all the same when the money is there', async () => {
    const { order, externalId, balance } = await begin(gateway);
    clock.advance(order.expiresAt.getTime() - clock.now() + 1);
    await desk.settlement.checkDue(50);
    expect((await desk.orders.get(order.id)).state).toBe('expired');
    pay(gateway, externalId);
    clock.advance(24 * 60 * MINUTE);
    await desk.settlement.checkDue(50);
    expect((await desk.orders.get(order.id)).state).toBe('credited');
    expect(await balance()).toBe(AMOUNT);
  });
});

describe('documented refusals', () => {
  it.each([
    ['zarinpal', '/request.json', -11],
    ['zibal', '/v1/request', 103],
    ['stripe', '/v1/checkout/sessions', 402],
  ])('%s does not begin: the order fails and nothing is left to ask', async (gateway, path, code) => {
    ({ zarinpal, zibal, stripe })[gateway as 'zarinpal'].failNext(path, { kind: 'code', code });
    await expect(begin(gateway)).rejects.toMatchObject({ code: 'upstream_error' });
    const { items } = await desk.orders.list({ accountId: `customer-${accounts}` }, {});
    expect(items).toMatchObject([{ state: 'failed', externalId: null }]);
    expect(items[0]?.problem).toContain(String(code));
  });

  it.each([
    [-50, 'failed'],
    [-53, 'returned'],
    [-54, 'returned'],
    [-10, 'returned'],
    [-12, 'returned'],
    [-15, 'returned'],
    [-52, 'returned'],
  ])('ZarinPal %i on verify leaves the order %s and credits nothing', async (code, state) => {
    const { externalId, balance } = await begin('zarinpal');
    zarinpal.failNext('/verify.json', { kind: 'code', code });
    expect((await comeBack('zarinpal', externalId))?.state).toBe(state);
    expect(await balance()).toBe(0n);
  });

  it.each([
    [203, 'returned'],
    [102, 'returned'],
    [104, 'returned'],
  ])('Zibal %i on verify leaves the order %s and credits nothing', async (code, state) => {
    const { externalId, balance } = await begin('zibal');
    zibal.failNext('/v1/verify', { kind: 'code', code });
    expect((await comeBack('zibal', externalId))?.state).toBe(state);
    expect(await balance()).toBe(0n);
  });

  it('a gateway that says "first time" every time credits once', async () => {
    zarinpal.alwaysFirstTime = true;
    const { externalId, balance } = await begin('zarinpal');
    zarinpal.pay(externalId);
    await Promise.all(Array.from({ length: 5 }, () => comeBack('zarinpal', externalId)));
    await comeBack('zarinpal', externalId);
    zarinpal.alwaysFirstTime = false;
    expect(await balance()).toBe(AMOUNT);
  });
});

describe('units', () => {
  it('sends rial where rial is wanted, and cents at the rate', async () => {
    const atZarinpal = await begin('zarinpal');
    expect(zarinpal.sessions.get(atZarinpal.externalId)?.amount).toBe(2_500_000);
    const atZibal = await begin('zibal');
    expect(zibal.tracks.get(Number(atZibal.externalId))?.amount).toBe(2_500_000);
    const atStripe = await begin('stripe');
    expect(stripe.sessions.get(atStripe.externalId)).toMatchObject({ amount: 250, currency: 'usd' });
  });
});

describe('settings of a gateway', () => {
  const change = (options: Record<string, string | null>, secrets?: Record<string, string>) =>
    desk.gateways.change('stripe', { options, ...(secrets ? { secrets } : {}) }, 'finance');

  it('never send its secrets to another address than they were entered for', async () => {
    const calls = stripe.calls.length;
    for (const base_url of ['https://thief.test', 'http://127.0.0.1:9'])
      await expect(change({ base_url })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(change({ base_url: null })).rejects.toMatchObject({ options: { param: 'secrets.secret_key' } });
    // In the clear they would travel past everybody.
    const secrets = { secret_key: 'sk_test_1', webhook_secret: WEBHOOK_SECRET };
    for (const base_url of ['http://stripe.test', 'http://127.0.0.1.thief.test', 'https://a@stripe.test', 'ftp://x'])
      await expect(change({ base_url }, secrets)).rejects.toMatchObject({ options: { param: 'options.base_url' } });
    await change({ base_url: stripe.origin });
    expect((await begin('stripe')).externalId).not.toBe('');
    expect(stripe.calls.length).toBe(calls + 1);
  });

  it('name a currency in hundredths, with its own rate unless it is the dollar', async () => {
    for (const currency of ['jpy', 'KWD', 'dollar'])
      await expect(change({ currency, toman_per_unit: '1000' })).rejects.toMatchObject({
        options: { param: 'options.currency' },
      });
    for (const toman_per_unit of ['0', '-5', 'many'])
      await expect(change({ toman_per_unit })).rejects.toMatchObject({ options: { param: 'options.toman_per_unit' } });
    await expect(change({ currency: 'eur' })).rejects.toMatchObject({ options: { param: 'options.toman_per_unit' } });
    await change({ currency: 'EUR', toman_per_unit: '125000' });
    expect(stripe.sessions.get((await begin('stripe')).externalId)).toMatchObject({ amount: 200, currency: 'eur' });
    await change({ currency: null, toman_per_unit: null });
  });
});

describe('thieves', () => {
  const refusedWith = (message: string) => desk.log.lines.some((line) => line.message.includes(message));

  it('another amount is refused, logged, and moves nothing', async () => {
    const { externalId, balance } = await begin('zibal');
    zibal.pay(externalId, 10_000);
    expect(await comeBack('zibal', externalId)).toMatchObject({ state: 'failed', problem: 'differs:amount' });
    expect(await balance()).toBe(0n);
    expect(refusedWith('a payment differs from its order')).toBe(true);
  });

  it("another order's session of the same price is refused", async () => {
    const mine = await begin('stripe');
    stripe.pay(mine.externalId, { reference: 'ord_somebody_else' });
    expect(await comeBack('stripe', mine.externalId)).toMatchObject({ state: 'failed', problem: 'differs:order' });
    expect(await mine.balance()).toBe(0n);
  });

  it('a payment of one gateway does not open the order of another', async () => {
    const { externalId, balance } = await begin('zarinpal');
    zarinpal.pay(externalId);
    expect(await desk.orders.returned('zibal', new Map([['trackId', externalId]]))).toBeUndefined();
    expect(await desk.orders.returned('sandbox', new Map([['payment', externalId]]))).toBeUndefined();
    expect(await balance()).toBe(0n);
    expect(refusedWith('names no order of it')).toBe(true);
  });

  it('a forged return names nothing, or only wakes the question', async () => {
    const { externalId, balance } = await begin('zarinpal');
    expect(await desk.orders.returned('zarinpal', new Map([['Authority', 'A'.repeat(36)]]))).toBeUndefined();
    const forged = new Map([
      ['Authority', externalId],
      ['Status', 'OK'],
      ['amount', '99999999'],
      ['ref_id', '1'],
    ]);
    expect((await desk.orders.returned('zarinpal', forged))?.state).toBe('returned');
    expect(await balance()).toBe(0n);
  });

  it('a gateway without its secret takes no return and no message', async () => {
    const { externalId, balance } = await begin('stripe');
    stripe.pay(externalId);
    const { body, headers } = signed('checkout.session.completed', { id: externalId });
    await desk.gateways.change('stripe', { secrets: { webhook_secret: null } }, 'test');
    expect(await desk.orders.webhook('stripe', body, headers)).toBe(false);
    // The empty secret of a shop that never set one must not verify either.
    const empty = sign(body, '');
    expect(await desk.orders.webhook('stripe', body, { 'stripe-signature': empty })).toBe(false);
    expect(await desk.orders.returned('stripe', new Map([['session_id', externalId]]))).toBeUndefined();
    expect(await balance()).toBe(0n);
    await desk.gateways.change('stripe', { secrets: { webhook_secret: WEBHOOK_SECRET } }, 'test');
  });
});

const library = new Stripe('sk_test_1');

function sign(body: Buffer, secret: string, atMs = clock.now()): string {
  const payload = body.toString();
  const timestamp = Math.floor(atMs / 1000);
  // The library refuses an empty secret; a thief would not.
  if (secret === '') return `t=${timestamp},v1=${'0'.repeat(64)}`;
  return library.webhooks.generateTestHeaderString({ payload, secret, timestamp });
}

function signed(type: string, object: object, secret = WEBHOOK_SECRET, atMs = clock.now()) {
  const event = { id: `evt_${++accounts}`, object: 'event', type, data: { object } };
  const body = Buffer.from(JSON.stringify(event));
  return { body, headers: { 'stripe-signature': sign(body, secret, atMs) } };
}

describe("Stripe's messages", () => {
  it("are taken with Stripe's own signature and wake the question", async () => {
    const { externalId, balance } = await begin('stripe');
    stripe.pay(externalId);
    const { body, headers } = signed('checkout.session.completed', { id: externalId });
    expect(await desk.orders.webhook('stripe', body, headers)).toBe(true);
    expect(await balance()).toBe(AMOUNT);
    // A replay within its time asks nobody, moves nothing more and is in the log.
    const calls = stripe.calls.length;
    const replays = Array.from({ length: 20 }, () => desk.orders.webhook('stripe', body, headers));
    expect(new Set(await Promise.all(replays))).toEqual(new Set([true]));
    expect(stripe.calls.length).toBe(calls);
    expect(desk.log.lines.some(({ message }) => message.includes('is not acted on again'))).toBe(true);
    expect(await balance()).toBe(AMOUNT);
  });

  it('tell of a payment that was not made: nothing is credited', async () => {
    const { externalId, balance } = await begin('stripe');
    const { body, headers } = signed('checkout.session.completed', { id: externalId, payment_status: 'paid' });
    expect(await desk.orders.webhook('stripe', body, headers)).toBe(true);
    expect(await balance()).toBe(0n);
  });

  it.each([
    ['another secret', () => signed('checkout.session.completed', { id: 'x' }, 'whsec_other')],
    [
      'an old signature',
      () => signed('checkout.session.completed', { id: 'x' }, WEBHOOK_SECRET, clock.now() - 301_000),
    ],
    ['no signature', () => ({ body: signed('a', {}).body, headers: {} })],
    [
      'a signature of other bytes',
      () => ({
        body: Buffer.from('{"id":"evt_x"}'),
        headers: signed('checkout.session.completed', { id: 'x' }).headers,
      }),
    ],
  ])('with %s are refused', async (_name, make) => {
    const { body, headers } = make();
    const refusals = () => desk.log.lines.filter(({ message }) => message.includes('without a valid signature')).length;
    const [calls, before] = [stripe.calls.length, refusals()];
    expect(await desk.orders.webhook('stripe', body, headers)).toBe(false);
    expect([stripe.calls.length, refusals()]).toEqual([calls, before + 1]);
  });
});
