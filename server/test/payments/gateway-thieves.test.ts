/** Returns and messages that are not what they say: forged, replayed, of another order, of another amount. */
import Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { AMOUNT, realGateways, WEBHOOK_SECRET } from './real-gateway-stage.ts';

const bank = realGateways();
let events = 0;

describe('thieves', () => {
  const refusedWith = (message: string) => bank.desk.log.lines.some((line) => line.message.includes(message));

  it('another amount is refused, logged, and moves nothing', async () => {
    const { externalId, balance } = await bank.begin('zibal');
    bank.zibal.pay(externalId, 10_000);
    expect(await bank.comeBack('zibal', externalId)).toMatchObject({ state: 'failed', problem: 'differs:amount' });
    expect(await balance()).toBe(0n);
    expect(refusedWith('a payment differs from its order')).toBe(true);
  });

  it("another order's session of the same price is refused", async () => {
    const mine = await bank.begin('stripe');
    bank.stripe.pay(mine.externalId, { reference: 'ord_somebody_else' });
    expect(await bank.comeBack('stripe', mine.externalId)).toMatchObject({ state: 'failed', problem: 'differs:order' });
    expect(await mine.balance()).toBe(0n);
  });

  it('a payment of one gateway does not open the order of another', async () => {
    const { externalId, balance } = await bank.begin('zarinpal');
    bank.zarinpal.pay(externalId);
    expect(await bank.desk.orders.returned('zibal', new Map([['trackId', externalId]]))).toBeUndefined();
    expect(await bank.desk.orders.returned('sandbox', new Map([['payment', externalId]]))).toBeUndefined();
    expect(await balance()).toBe(0n);
    expect(refusedWith('names no order of it')).toBe(true);
  });

  it('a forged return names nothing, or only wakes the question', async () => {
    const { externalId, balance } = await bank.begin('zarinpal');
    expect(await bank.desk.orders.returned('zarinpal', new Map([['Authority', 'A'.repeat(36)]]))).toBeUndefined();
    const forged = new Map([
      ['Authority', externalId],
      ['Status', 'OK'],
      ['amount', '99999999'],
      ['ref_id', '1'],
    ]);
    expect((await bank.desk.orders.returned('zarinpal', forged))?.state).toBe('returned');
    expect(await balance()).toBe(0n);
  });

  it('a gateway without its secret takes no return and no message', async () => {
    const { externalId, balance } = await bank.begin('stripe');
    bank.stripe.pay(externalId);
    const { body, headers } = signed('checkout.session.completed', { id: externalId });
    await bank.desk.gateways.change('stripe', { secrets: { webhook_secret: null } }, 'test');
    expect(await bank.desk.orders.webhook('stripe', body, headers)).toBe(false);
    // The empty secret of a shop that never set one must not verify either.
    const empty = sign(body, '');
    expect(await bank.desk.orders.webhook('stripe', body, { 'stripe-signature': empty })).toBe(false);
    expect(await bank.desk.orders.returned('stripe', new Map([['session_id', externalId]]))).toBeUndefined();
    expect(await balance()).toBe(0n);
    await bank.desk.gateways.change('stripe', { secrets: { webhook_secret: WEBHOOK_SECRET } }, 'test');
  });
});

const library = new Stripe('sk_test_1');

function sign(body: Buffer, secret: string, atMs = bank.clock.now()): string {
  const payload = body.toString();
  const timestamp = Math.floor(atMs / 1000);
  // The library refuses an empty secret; a thief would not.
  if (secret === '') return `t=${timestamp},v1=${'0'.repeat(64)}`;
  return library.webhooks.generateTestHeaderString({ payload, secret, timestamp });
}

function signed(type: string, object: object, secret = WEBHOOK_SECRET, atMs = bank.clock.now()) {
  const event = { id: `evt_${++events}`, object: 'event', type, data: { object } };
  const body = Buffer.from(JSON.stringify(event));
  return { body, headers: { 'stripe-signature': sign(body, secret, atMs) } };
}

describe("Stripe's messages", () => {
  it("are taken with Stripe's own signature and wake the question", async () => {
    const { externalId, balance } = await bank.begin('stripe');
    bank.stripe.pay(externalId);
    const { body, headers } = signed('checkout.session.completed', { id: externalId });
    expect(await bank.desk.orders.webhook('stripe', body, headers)).toBe(true);
    expect(await balance()).toBe(AMOUNT);
    // A replay within its time asks nobody, moves nothing more and is in the log.
    const calls = bank.stripe.calls.length;
    const replays = Array.from({ length: 20 }, () => bank.desk.orders.webhook('stripe', body, headers));
    expect(new Set(await Promise.all(replays))).toEqual(new Set([true]));
    expect(bank.stripe.calls.length).toBe(calls);
    expect(bank.desk.log.lines.some(({ message }) => message.includes('is not acted on again'))).toBe(true);
    expect(await balance()).toBe(AMOUNT);
  });

  it('tell of a payment that was not made: nothing is credited', async () => {
    const { externalId, balance } = await bank.begin('stripe');
    const { body, headers } = signed('checkout.session.completed', { id: externalId, payment_status: 'paid' });
    expect(await bank.desk.orders.webhook('stripe', body, headers)).toBe(true);
    expect(await balance()).toBe(0n);
  });

  it.each([
    ['another secret', () => signed('checkout.session.completed', { id: 'x' }, 'whsec_other')],
    [
      'an old signature',
      () => signed('checkout.session.completed', { id: 'x' }, WEBHOOK_SECRET, bank.clock.now() - 301_000),
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
    const refusals = () =>
      bank.desk.log.lines.filter(({ message }) => message.includes('without a valid signature')).length;
    const [calls, before] = [bank.stripe.calls.length, refusals()];
    expect(await bank.desk.orders.webhook('stripe', body, headers)).toBe(false);
    expect([bank.stripe.calls.length, refusals()]).toEqual([calls, before + 1]);
  });
});
