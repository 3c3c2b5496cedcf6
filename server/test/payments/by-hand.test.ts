/** Gift codes, bank transfers and the play bank. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wholeToman } from '../../src/payments/amounts.ts';
import { findSandboxPayment, playSandboxPayment } from '../../src/payments/index.ts';
import { HandClock } from '../admission/hand-clock.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';
import { type CashDesk, makeAccount, openCashDesk, proveBooks } from './cash-desk.ts';

const clock = new HandClock();
let temporary: TemporaryDatabase;
let desk: CashDesk;

beforeAll(async () => {
  temporary = await openTemporaryDatabase();
  desk = openCashDesk({ db: temporary.db, clock, vatBasisPoints: 1000 });
  for (const id of ['ali', 'sara', 'off', 'wire', 'play']) await makeAccount(temporary.db, id);
});
afterAll(async () => {
  await proveBooks(desk.books);
  await desk.close();
  await temporary.remove();
});

const balance = async (id: string) => (await desk.books.wallet(id)).posted;
const begin = (accountId: string, gateway: string) =>
  desk.orders.begin({
    accountId,
    gateway,
    amount: wholeToman(100_000n),
    createdBy: 'test',
    language: 'fa',
    origin: 'https://x.test',
  });

describe('gift codes', () => {
  const gift = async (expiresAt?: Date) => {
    const { codes } = await desk.gifts.make({ count: 1, amount: wholeToman(5_000n), expiresAt }, 'finance');
    return codes[0] ?? '';
  };

  it('are made in bulk, all different, and only their digests are kept', async () => {
    const { codes } = await desk.gifts.make({ count: 500, amount: wholeToman(1n) }, 'finance');
    expect(new Set(codes).size).toBe(500);
    const [dump] = await temporary.db.query<{ all: string }>(`select string_agg(g::text, ' ') as all from gift_code g`);
    for (const code of codes.slice(0, 20)) {
      expect(dump?.all).not.toContain(code);
      expect(dump?.all).not.toContain(code.replaceAll('-', ''));
    }
  });

  it('are used once, also by two customers at the same time', async () => {
    const code = await gift();
    const tries = await Promise.allSettled(
      ['ali', 'sara', 'ali', 'sara'].map((id) => desk.gifts.redeem(code.toLowerCase().replaceAll('-', ' '), id, id)),
    );
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await balance('ali')) + (await balance('sara'))).toBe(wholeToman(5_000n));
  });

  it('end with their day, or when they are revoked', async () => {
    const old = await gift(new Date(clock.now() + 1_000));
    clock.advance(1_000);
    await expect(desk.gifts.redeem(old, 'ali', 'ali')).rejects.toMatchObject({ code: 'not_found' });
    await expect(gift(new Date(clock.now()))).rejects.toMatchObject({ options: { param: 'expires_at' } });
    const taken = await gift();
    const { items } = await desk.gifts.list({ limit: 1 });
    await desk.gifts.revoke(items[0]?.id ?? '', 'finance');
    await expect(desk.gifts.redeem(taken, 'ali', 'ali')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('gift codes that are switched off', () => {
  it('are refused and stay usable until they are on again', async () => {
    const { codes } = await desk.gifts.make({ count: 1, amount: wholeToman(7_000n) }, 'finance');
    const redeem = () => desk.gifts.redeem(codes[0] ?? '', 'off', 'off');
    await desk.gateways.change('gift-code', { enabled: false }, 'owner');
    await expect(redeem()).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await balance('off')).toBe(0n);
    await desk.gateways.change('gift-code', { enabled: true }, 'owner');
    await redeem();
    expect(await balance('off')).toBe(wholeToman(7_000n));
  });
});

describe('bank transfers', () => {
  it('wait for staff, who confirm once', async () => {
    await desk.gateways.change('bank-transfer', { enabled: true, options: { instructions: 'IR06 0960' } }, 'owner');
    const order = await begin('wire', 'bank-transfer');
    expect(order).toMatchObject({ state: 'sent', redirectUrl: null, vat: wholeToman(10_000n) });
    expect(order.payable).toEqual({ units: 110_000n, unit: 'IRT' });
    await desk.orders.verifyAgain(order.id, 'finance');
    expect(await balance('wire')).toBe(0n);
    await desk.orders.confirmTransfer(order.id, 'track 77', 'finance');
    expect(await balance('wire')).toBe(wholeToman(100_000n));
    await expect(desk.orders.confirmTransfer(order.id, 'track 77', 'finance')).rejects.toMatchObject({
      code: 'conflict',
    });
    expect((await desk.orders.events(order.id)).map(({ to }) => to)).toEqual(['created', 'sent', 'paid', 'credited']);
  });

  it('pay for one order: the same receipt does not confirm a second', async () => {
    const before = await balance('wire');
    const [one, two] = [await begin('wire', 'bank-transfer'), await begin('ali', 'bank-transfer')];
    await desk.orders.confirmTransfer(one.id, 'track 78', 'finance');
    await expect(desk.orders.confirmTransfer(two.id, ' track 78 ', 'finance')).rejects.toMatchObject({
      code: 'conflict',
    });
    expect((await desk.orders.get(two.id)).state).toBe('sent');
    expect((await balance('wire')) - before).toBe(wholeToman(100_000n));
    const both = [await begin('wire', 'bank-transfer'), await begin('wire', 'bank-transfer')];
    const tries = await Promise.allSettled(
      both.map(({ id }) => desk.orders.confirmTransfer(id, 'track 79', 'finance')),
    );
    expect(tries.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it.each([
    ['140511-2277', '۱۴۰۵۱۱۲۲۷۷'],
    ['٣٣٣ ٤٤٤ ٥٥٥', '333444555'],
    ['AB–98\u200c7', 'AB987'],
    ['７７１１２２', '771122'],
    ['ＡＢ−５５', 'AB55'],
    ['৪৪৬৬', '4466'],
  ])('know a receipt however its number is written: %s is %s', async (first, second) => {
    const [one, two] = [await begin('wire', 'bank-transfer'), await begin('ali', 'bank-transfer')];
    await desk.orders.confirmTransfer(one.id, first, 'finance');
    await expect(desk.orders.confirmTransfer(two.id, second, 'finance')).rejects.toMatchObject({ code: 'conflict' });
    expect((await desk.orders.get(two.id)).state).toBe('sent');
    await expect(desk.orders.confirmTransfer(two.id, ' - ', 'finance')).rejects.toMatchObject({
      options: { param: 'reference' },
    });
  });

  it('are the only orders that staff confirm by hand', async () => {
    await desk.gateways.change('bank-transfer', { enabled: false }, 'owner');
    const order = await begin('play', 'sandbox');
    await expect(desk.orders.confirmTransfer(order.id, 'x', 'finance')).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('the play bank', () => {
  it('pays, and refuses, as its page was told', async () => {
    const paid = await begin('play', 'sandbox');
    expect(paid.redirectUrl).toBe(`https://x.test/sandbox-bank/${paid.externalId}`);
    await playSandboxPayment(temporary.db, paid.externalId ?? '', 'paid');
    const refused = await begin('play', 'sandbox');
    await playSandboxPayment(temporary.db, refused.externalId ?? '', 'refused');
    for (const { externalId } of [paid, refused])
      await desk.orders.returned('sandbox', new Map([['payment', externalId ?? '']]));
    expect((await desk.orders.get(paid.id)).state).toBe('credited');
    expect((await desk.orders.get(refused.id)).state).toBe('failed');
    expect(await balance('play')).toBe(wholeToman(100_000n));
    expect((await findSandboxPayment(temporary.db, paid.externalId ?? ''))?.state).toBe('paid');
  });

  it('is gone as soon as a real gateway is there, unless the operator wants it', async () => {
    for (const [id, secrets] of [
      ['bank-transfer', undefined],
      ['zibal', { merchant: 'm' }],
    ] as const) {
      expect((await begin('play', 'sandbox')).state).toBe('sent');
      await desk.gateways.change(id, { enabled: true, secrets }, 'owner');
      await expect(begin('play', 'sandbox'), id).rejects.toMatchObject({ code: 'invalid_request' });
      await desk.gateways.change(id, { enabled: false }, 'owner');
    }
    await desk.gateways.change('zibal', { enabled: true }, 'owner');
    await desk.gateways.change('sandbox', { enabled: true }, 'owner');
    expect((await begin('play', 'sandbox')).state).toBe('sent');
  });

  it('refuses amounts that no bank takes', async () => {
    for (const amount of [0n, -5n, 1_500_000n, 2_000_000_000_000_000n]) {
      const order = { accountId: 'play', gateway: 'sandbox', amount: amount as never, createdBy: 'test' };
      await expect(desk.orders.begin({ ...order, language: 'fa', origin: 'https://x.test' })).rejects.toMatchObject({
        code: 'invalid_request',
      });
    }
  });
});
