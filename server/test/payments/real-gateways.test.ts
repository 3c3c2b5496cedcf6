/** Each real gateway against a server that answers as its documentation says, faults included. */

import { MINUTE_MS } from '@dargah/core/time-spans.ts';
import { describe, expect, it } from 'vitest';
import { AMOUNT, realGateways, WEBHOOK_SECRET } from './real-gateway-stage.ts';

const bank = realGateways();

describe.each(['zarinpal', 'zibal', 'stripe'])('%s', (gateway) => {
  it('credits what was paid, once, however often the customer comes back', async () => {
    const { order, externalId, balance } = await bank.begin(gateway);
    expect(order).toMatchObject({ state: 'sent', amount: AMOUNT });
    expect(order.redirectUrl).toContain(externalId);
    bank.pay(gateway, externalId);
    expect((await bank.comeBack(gateway, externalId))?.state).toBe('credited');
    expect((await bank.comeBack(gateway, externalId))?.state).toBe('credited');
    expect(await balance()).toBe(AMOUNT);
  });

  it('does not credit what was not paid, and still does when the payment comes later', async () => {
    const { externalId, balance } = await bank.begin(gateway);
    expect((await bank.comeBack(gateway, externalId))?.state).not.toBe('credited');
    expect(await balance()).toBe(0n);
    bank.pay(gateway, externalId);
    expect((await bank.comeBack(gateway, externalId))?.state).toBe('credited');
    expect(await balance()).toBe(AMOUNT);
  });

  it('waits while the gateway is away and learns of the payment by itself', async () => {
    const { order, externalId, balance } = await bank.begin(gateway);
    bank.pay(gateway, externalId);
    // It took the question and its answer got lost: the second time it says "verified before".
    bank.failNextVerify(gateway, externalId, { kind: 'silent' }, { kind: 'cut' }, { kind: 'http', status: 502 });
    expect(await bank.comeBack(gateway, externalId)).toMatchObject({
      state: 'returned',
      problem: 'unreachable:no-answer',
    });
    for (let minute = 0; minute < 90 && (await balance()) === 0n; minute++) {
      bank.clock.advance(MINUTE_MS);
      await bank.desk.settlement.checkDue(50);
    }
    expect((await bank.desk.orders.get(order.id)).state).toBe('credited');
    expect(await balance()).toBe(AMOUNT);
  });

  it('credits a customer who paid and never came back', async () => {
    const { order, externalId, balance } = await bank.begin(gateway);
    bank.pay(gateway, externalId);
    bank.clock.advance(3 * MINUTE_MS);
    await bank.desk.settlement.checkDue(50);
    expect((await bank.desk.orders.get(order.id)).state).toBe('credited');
    expect(await balance()).toBe(AMOUNT);
  });

  it('asks the gateway once while one answer is late, and once more right after it', async () => {
    const { externalId, balance } = await bank.begin(gateway);
    bank.failNextVerify(gateway, externalId, { kind: 'late' });
    const server = bank.server(gateway);
    const first = bank.comeBack(gateway, externalId);
    await server.untilWaiting();
    // The late answer will say "not paid"; the payment and a second return come meanwhile.
    bank.pay(gateway, externalId);
    expect((await bank.comeBack(gateway, externalId))?.state).not.toBe('credited');
    server.release();
    await first;
    await bank.desk.settlement.checkDue(50);
    expect(await balance()).toBe(AMOUNT);
  });

  it('keeps a paid order open that another merchant does not know, and credits it when the right one is back', async () => {
    const { order, externalId, balance } = await bank.begin(gateway);
    bank.pay(gateway, externalId);
    const code = { zarinpal: -54, zibal: 203, stripe: 404 }[gateway] ?? 0;
    bank.failNextVerify(gateway, externalId, { kind: 'code', code });
    expect(await bank.comeBack(gateway, externalId)).toMatchObject({
      state: 'returned',
      problem: expect.stringMatching(/^unreachable:/),
    });
    bank.clock.advance(16 * MINUTE_MS);
    await bank.desk.settlement.checkDue(50);
    expect((await bank.desk.orders.get(order.id)).state).toBe('credited');
    expect(await balance()).toBe(AMOUNT);
  });

  it('lets an order expire that nobody pays, and credits it all the same when the money is there', async () => {
    const { order, externalId, balance } = await bank.begin(gateway);
    bank.clock.advance(order.expiresAt.getTime() - bank.clock.now() + 1);
    await bank.desk.settlement.checkDue(50);
    expect((await bank.desk.orders.get(order.id)).state).toBe('expired');
    bank.pay(gateway, externalId);
    bank.clock.advance(24 * 60 * MINUTE_MS);
    await bank.desk.settlement.checkDue(50);
    expect((await bank.desk.orders.get(order.id)).state).toBe('credited');
    expect(await balance()).toBe(AMOUNT);
  });
});

describe('documented refusals', () => {
  it.each([
    ['zarinpal', '/request.json', -11],
    ['zibal', '/v1/request', 103],
    ['stripe', '/v1/checkout/sessions', 402],
  ])('%s does not begin: the order fails and nothing is left to ask', async (gateway, path, code) => {
    bank.server(gateway).failNext(path, { kind: 'code', code });
    await expect(bank.begin(gateway)).rejects.toMatchObject({ code: 'upstream_error' });
    const { items } = await bank.desk.orders.list({ accountId: bank.lastCustomer }, {});
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
    const { externalId, balance } = await bank.begin('zarinpal');
    bank.zarinpal.failNext('/verify.json', { kind: 'code', code });
    expect((await bank.comeBack('zarinpal', externalId))?.state).toBe(state);
    expect(await balance()).toBe(0n);
  });

  it.each([
    [203, 'returned'],
    [102, 'returned'],
    [104, 'returned'],
  ])('Zibal %i on verify leaves the order %s and credits nothing', async (code, state) => {
    const { externalId, balance } = await bank.begin('zibal');
    bank.zibal.failNext('/v1/verify', { kind: 'code', code });
    expect((await bank.comeBack('zibal', externalId))?.state).toBe(state);
    expect(await balance()).toBe(0n);
  });

  it('a gateway that says "first time" every time credits once', async () => {
    bank.zarinpal.alwaysFirstTime = true;
    const { externalId, balance } = await bank.begin('zarinpal');
    bank.zarinpal.pay(externalId);
    await Promise.all(Array.from({ length: 5 }, () => bank.comeBack('zarinpal', externalId)));
    await bank.comeBack('zarinpal', externalId);
    bank.zarinpal.alwaysFirstTime = false;
    expect(await balance()).toBe(AMOUNT);
  });
});

describe('units', () => {
  it('sends rial where rial is wanted, and cents at the rate', async () => {
    const atZarinpal = await bank.begin('zarinpal');
    expect(bank.zarinpal.sessions.get(atZarinpal.externalId)?.amount).toBe(2_500_000);
    const atZibal = await bank.begin('zibal');
    expect(bank.zibal.tracks.get(Number(atZibal.externalId))?.amount).toBe(2_500_000);
    const atStripe = await bank.begin('stripe');
    expect(bank.stripe.sessions.get(atStripe.externalId)).toMatchObject({ amount: 250, currency: 'usd' });
  });
});

describe('settings of a gateway', () => {
  const change = (options: Record<string, string | null>, secrets?: Record<string, string>) =>
    bank.desk.gateways.change('stripe', { options, ...(secrets ? { secrets } : {}) }, 'finance');

  it('never send its secrets to another address than they were entered for', async () => {
    const calls = bank.stripe.calls.length;
    for (const base_url of ['https://thief.test', 'http://127.0.0.1:9'])
      await expect(change({ base_url })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(change({ base_url: null })).rejects.toMatchObject({ options: { param: 'secrets.secret_key' } });
    // In the clear they would travel past everybody.
    const secrets = { secret_key: 'sk_test_1', webhook_secret: WEBHOOK_SECRET };
    for (const base_url of ['http://stripe.test', 'http://127.0.0.1.thief.test', 'https://a@stripe.test', 'ftp://x'])
      await expect(change({ base_url }, secrets)).rejects.toMatchObject({ options: { param: 'options.base_url' } });
    await change({ base_url: bank.stripe.origin });
    expect((await bank.begin('stripe')).externalId).not.toBe('');
    expect(bank.stripe.calls.length).toBe(calls + 1);
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
    expect(bank.stripe.sessions.get((await bank.begin('stripe')).externalId)).toMatchObject({
      amount: 200,
      currency: 'eur',
    });
    await change({ currency: null, toman_per_unit: null });
  });
});
