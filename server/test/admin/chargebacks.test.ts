/** Chargebacks through the whole service: the credit is taken back although it is spent. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeStripe } from '../fake-bank/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { wholeProof } from '../harness/whole-proof.ts';
import { type Operator, operatorOf } from './operator.ts';

const stripe = new FakeStripe();
let gateway: TestGateway;
let operator: Operator;

beforeAll(async () => {
  await stripe.open();
  gateway = await startGateway();
  operator = await operatorOf(gateway);
});

afterAll(async () => {
  expect(await wholeProof(gateway.admin)).toMatchObject({ ok: true });
  await gateway.stop();
  await stripe.close();
});

interface Order {
  id: string;
  state: string;
  redirect_url: string;
  invoice_id: string | null;
  vat: string;
}

const begin = (name: string, amount: number | string = 50_000, account = 'acme') =>
  operator.post<Order>('/payments', { account_id: account, gateway: name, amount });

const balance = async (account = 'acme') =>
  Number((await operator.get<{ wallet: { balance: string } }>(`/accounts/${account}/transfers`)).wallet.balance);

const open = (path: string, init: RequestInit = {}) =>
  fetch(path.startsWith('http') ? path : gateway.origin + path, { redirect: 'manual', ...init });

describe('chargebacks', () => {
  it('take the credit back although it is spent, and pause the account', async () => {
    const webhook_secret = 'whsec_1';
    const secrets = { secret_key: 'sk_test_1', webhook_secret };
    await operator.patch('/payment-gateways/stripe', { enabled: true, secrets, options: { base_url: stripe.origin } });
    await operator.post('/accounts', { id: 'card', name: 'Card' });
    const { id } = await begin('stripe', 200_000, 'card');
    const session = [...stripe.sessions.keys()].at(-1) ?? '';
    stripe.pay(session);
    await operator.post(`/payments/${id}/verify`);
    expect(await balance('card')).toBe(200_000);
    await operator.post('/accounts/card/transfers', {
      id: 'spent-2',
      kind: 'adjustment',
      amount: -150_000,
      note: 'spent',
    });
    const amount = stripe.sessions.get(session)?.amount ?? 0;
    const { default: Stripe } = await import('stripe');
    let events = 0;
    const tell = async (dispute: string, event = `evt_${++events}`) => {
      const payload = JSON.stringify({
        id: event,
        type: 'charge.dispute.updated',
        data: { object: { id: dispute } },
      });
      const signature = new Stripe('sk_test_1').webhooks.generateTestHeaderString({ payload, secret: webhook_secret });
      const headers = { 'stripe-signature': signature };
      expect((await open('/pay/stripe/webhook', { method: 'POST', body: payload, headers })).status).toBe(200);
    };
    const becomes = (status: string) =>
      stripe.disputes.set('dp_1', { payment_intent: `pi_${session}`, amount, status });
    // A bank that only asks has taken nothing.
    becomes('warning_needs_response');
    await tell('dp_1');
    expect(await balance('card')).toBe(50_000);
    becomes('needs_response');
    await tell('dp_1');
    await tell('dp_1');
    await tell('dp_1', 'evt_1');
    expect(await balance('card')).toBe(-150_000);
    expect(await operator.get('/accounts/card')).toMatchObject({ rules: { paused: true } });
    const { data } = await operator.get<{ data: { event: string; data: object }[] }>('/notices');
    expect(
      data.filter(({ event }) => event.startsWith('payment.')).map(({ event, data: told }) => [event, told]),
    ).toEqual([['payment.chargeback', { order: id, dispute: 'dp_1' }]]);
    // Won: it comes back, once.
    becomes('won');
    await tell('dp_1');
    await tell('dp_1');
    expect(await balance('card')).toBe(50_000);
  });
});
