/** Two cash desks with paid orders to give back: at Stripe, and at a bank that sends the money again when it is asked again. */
import { afterAll, beforeAll, expect } from 'vitest';
import { wholeToman } from '../../src/payments/amounts.ts';
import { HandClock } from '../admission/hand-clock.ts';
import { FakeStripe } from '../fake-bank/index.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';
import { type CashDesk, makeAccount, openCashDesk, proveBooks } from './cash-desk.ts';
import { ScriptedGateway } from './scripted-gateway.ts';

export const AMOUNT = wholeToman(250_000n);
export const clock = new HandClock();
export const stripe = new FakeStripe();
export const forgetful = new ScriptedGateway('bank-b', false);
/** Orders whose refund was told. */
export const notes: string[] = [];
export let temporary: TemporaryDatabase;
export let desk: CashDesk;
export let other: CashDesk;
let accounts = 0;

export const open = (db = temporary.db, scripted = false) =>
  openCashDesk({
    db,
    clock,
    onRefunded: ({ id }) => void notes.push(id),
    ...(scripted ? { scripted: async (id: string) => (id === 'bank-b' ? forgetful.port : undefined) } : {}),
  });

/** Opens everything for the tests of a file, and proves the books after them. */
export function playRefunds(): void {
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
}

/** A credited order. */
export async function paid(gateway: 'stripe' | 'bank-b') {
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
    refund: (byHand = false) => at.refunds.refund(id, { reason: 'wants it back', byHand: byHand }, 'finance'),
    settle: (sent: boolean) => at.refunds.settle(id, { sent, note: 'seen there' }, 'finance'),
    order: () => at.orders.get(id),
    sent: () => stripe.refunds.filter((one) => one.payment_intent === `pi_${externalId}`),
  };
}
