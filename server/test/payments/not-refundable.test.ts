/** What cannot be refunded: credit that no money came for, and money that the card holder has back already. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wholeToman } from '../../src/payments/amounts.ts';
import { HandClock } from '../admission/hand-clock.ts';
import { FakeStripe } from '../fake-bank/index.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';
import { type CashDesk, makeAccount, openCashDesk, proveBooks } from './cash-desk.ts';
import { ScriptedGateway } from './scripted-gateway.ts';

const AMOUNT = wholeToman(250_000n);
const clock = new HandClock();
const stripe = new FakeStripe();

/** Sends the money again when it is asked again. */
const forgetful = new ScriptedGateway('bank-b', false);
const notes: string[] = [];
let temporary: TemporaryDatabase;
let desk: CashDesk;
let other: CashDesk;
let accounts = 0;

const open = (db = temporary.db, scripted = false) =>
  openCashDesk({
    db,
    clock,
    onRefunded: async (_tx, { id }) => void notes.push(id),
    ...(scripted ? { scripted: async (id: string) => (id === 'bank-b' ? forgetful.port : undefined) } : {}),
  });

beforeAll(async () => {
  await stripe.open();
  temporary = await openTemporaryDatabase();
  desk = open();
  other = open(temporary.db, true);
  const secrets = { secret_key: 'sk_test_1', webhook_secret: 'whsec_1' };
  await desk.gateways.change('stripe', { enabled: true, secrets, options: { base_url: stripe.origin } }, 'test');
});

afterAll(async () => {
  await proveBooks(desk.books);
  await Promise.all([desk.close(), other.close()]);
  await temporary.remove();
  await stripe.close();
});

/** A credited order. */
async function paid(gateway: 'stripe' | 'bank-b') {
  const accountId = `r${++accounts}`;
  await makeAccount(temporary.db, accountId);
  const at = gateway === 'stripe' ? desk : other;
  const input = { accountId, gateway, amount: AMOUNT, createdBy: 'test', language: 'fa' as const };
  const { id, externalId } = await at.orders.begin({ ...input, origin: 'https://x.test' });
  if (gateway === 'stripe') stripe.pay(externalId ?? '');
  else Object.assign(forgetful.payments.get(externalId ?? '') ?? {}, { paid: 'right' });
  await at.orders.verifyAgain(id, 'test');
  const balance = async () => (await desk.books.wallet(accountId)).posted;
  expect(await balance()).toBe(AMOUNT);
  return {
    id,
    intent: `pi_${externalId}`,
    balance,
    refund: (byHand = false) => at.refunds.refund(id, 'wants it back', byHand, 'finance'),
    settle: (sent: boolean) => at.refunds.settle(id, sent, 'seen there', 'finance'),
    order: () => at.orders.get(id),
    sent: () => stripe.refunds.filter((one) => one.payment_intent === `pi_${externalId}`),
  };
}

describe('what cannot be refunded', () => {
  it('is the credit of a gift code: no money came', async () => {
    await makeAccount(temporary.db, 'gifted');
    const { codes } = await desk.gifts.make({ count: 1, amount: AMOUNT }, 'finance');
    const { id } = await desk.gifts.redeem(codes[0] ?? '', 'gifted', 'test');
    for (const byHand of [true, false])
      await expect(desk.refunds.refund(id, 'wants money', byHand, 'finance')).rejects.toMatchObject({
        code: 'conflict',
      });
    expect((await desk.books.wallet('gifted')).posted).toBe(AMOUNT);
  });

  it('is what a card holder took back at the bank, until we win it', async () => {
    const { id, intent, refund, balance } = await paid('stripe');
    await desk.books.transfer({
      id: `more-${id}`,
      kind: 'top-up',
      accountId: (await desk.orders.get(id)).accountId,
      amount: AMOUNT,
    });
    const gateway = await desk.gateways.evenIfOff('stripe');
    if (!gateway) throw new Error('no gateway');
    const dispute = async (status: string) => {
      stripe.disputes.set('dp_r', { payment_intent: intent, amount: status === 'won' ? 120 : 250, status });
      await desk.refunds.dispute(gateway, 'dp_r');
    };
    await dispute('needs_response');
    expect(await balance()).toBe(AMOUNT);
    for (const byHand of [true, false]) await expect(refund(byHand)).rejects.toMatchObject({ code: 'conflict' });
    expect(await balance()).toBe(AMOUNT);
    // Another amount than before takes nothing more, and what comes back is what was taken.
    stripe.disputes.set('dp_r', { payment_intent: intent, amount: 100, status: 'under_review' });
    await desk.refunds.dispute(gateway, 'dp_r');
    expect(await balance()).toBe(AMOUNT);
    await dispute('won');
    expect(await balance()).toBe(AMOUNT + AMOUNT);
    expect((await refund()).refund?.state).toBe('sent');
    // One that comes after the refund takes nothing more.
    stripe.disputes.set('dp_late', { payment_intent: intent, amount: 250, status: 'lost' });
    await desk.refunds.dispute(gateway, 'dp_late');
    expect(await balance()).toBe(AMOUNT);
  });

  it('nor is the credit of a refund that was not sent, while the card holder has the money', async () => {
    const { id, intent, refund, settle, order, balance } = await paid('stripe');
    stripe.failNext('/v1/refunds', { kind: 'code', code: 402 });
    expect((await refund()).refund?.state).toBe('refused');
    const gateway = await desk.gateways.evenIfOff('stripe');
    if (!gateway) throw new Error('no gateway');
    const dispute = async (status: string) => {
      stripe.disputes.set('dp_n', { payment_intent: intent, amount: 250, status });
      await desk.refunds.dispute(gateway, 'dp_n');
    };
    await dispute('warning_needs_response');
    expect(desk.chargebacks).not.toContain(`dp_n of ${id}`);
    await dispute('needs_response');
    await dispute('under_review');
    const { accountId } = await order();
    expect(desk.chargebacks.slice(-2)).toEqual([`dp_n of ${id}`, `paused ${accountId}`]);
    const noted = async () =>
      (await desk.orders.events(id)).filter(({ cause }) => cause === 'dispute').map(({ detail }) => detail['outcome']);
    expect(await noted()).toEqual(['refunded-before']);
    await expect(settle(false)).rejects.toMatchObject({ code: 'conflict' });
    expect([(await order()).state, await balance()]).toEqual(['refunded', 0n]);
    await dispute('won');
    expect(await noted()).toEqual(['refunded-before', 'won']);
    await settle(false);
    expect([(await order()).state, await balance()]).toEqual(['credited', AMOUNT]);
    // Told once more: it stays won, and the order can be refunded.
    await dispute('won');
    expect(await balance()).toBe(AMOUNT);
    expect((await refund()).refund?.state).toBe('sent');
  });

  it('a dispute and the end of a refund at one moment: never both the credit and the money', async () => {
    const gateway = await desk.gateways.evenIfOff('stripe');
    if (!gateway) throw new Error('no gateway');
    for (let n = 0; n < 4; n++) {
      const { intent, refund, settle, order, balance } = await paid('stripe');
      stripe.failNext('/v1/refunds', { kind: 'code', code: 402 });
      await refund();
      stripe.disputes.set(`dp_race${n}`, { payment_intent: intent, amount: 250, status: 'lost' });
      await Promise.allSettled([settle(false), desk.refunds.dispute(gateway, `dp_race${n}`)]);
      await desk.refunds.dispute(gateway, `dp_race${n}`);
      expect(await balance(), (await order()).state).toBe(0n);
    }
  });
});
