/** Access that staff close: what refuses, what ends, what stays, who may. A customer, a thief with the key, and staff in each role play it. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createGate, faults } from '../fake-vendor/index.ts';
import { MovedClock } from '../harness/moved-clock.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { receiptOf } from '../money/receipts.ts';
import { Browser } from '../people/client.ts';
import { eventually } from '../services/eventually.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const REASON = 'Unusual requests from many countries.';
const hello = { model: 'mock/plain', messages: [{ role: 'user', content: 'hello' }] };

const clock = new MovedClock();
let gateway: TestGateway;
let customer: Browser;
let account: string;
let key: { id: string; key: string };
const staff: Record<'owner' | 'support' | 'finance', Browser> = {} as never;

const at = (path: string) => `/api/admin/accounts/${account}${path}`;
const block = (browser: Browser, hours: number | null) =>
  browser.send<{ error?: { code: string } }>('POST', at('/block'), { reason: REASON, hours });
const unblock = (browser: Browser) => browser.send('POST', at('/unblock'), { reason: 'it was theirs' });
const asked = async () => (await gateway.chat(hello, { key: key.key })).status;

beforeAll(async () => {
  gateway = await startGateway({ clock, config: { settings: { discovery: false, charge_interrupted: false } } });
  customer = new Browser(gateway);
  account = (await customer.signIn('09121800000', { name: 'Sara' })).body.accounts[0]?.id ?? '';
  await gateway.admin('POST', at('/transfers'), { id: 'r', kind: 'top-up', amount: 100_000 });
  key = (await customer.post<{ id: string; key: string }>('/keys', { name: 'k' })).body;
  for (const [index, role] of (['owner', 'support', 'finance'] as const).entries()) {
    await gateway.admin('POST', '/api/admin/staff', { to: `0912181000${index}`, role });
    staff[role] = new Browser(gateway);
    await staff[role].signIn(`0912181000${index}`);
  }
}, 120_000);
afterAll(() => gateway?.stop());
beforeEach(async () => {
  gateway.vendor.reset();
  await gateway.admin('POST', at('/unblock'), { reason: 'the next test' });
  await eventually(async () => expect(await asked()).toBe(200));
});

describe('a block', () => {
  it('refuses every key with its own code, tells when it ends and not why, and leaves the money', async () => {
    expect((await block(staff.support, 24)).status).toBe(200);
    const refused = await gateway.chat(hello, { key: key.key, headers: { 'accept-language': 'en' } });
    const { error } = (await refused.json()) as { error: { code: string; message: string; blocked_until: string } };
    expect([refused.status, error.code]).toEqual([403, 'account_blocked']);
    const left = Date.parse(error.blocked_until) - clock.now();
    expect(Math.round(left / HOUR)).toBe(24);
    expect(error.message).not.toContain('countries');
    for (const path of ['/key', '/models', '/knowledge_bases'])
      expect([path, (await gateway.fetch(`/api/v1${path}`, { key: key.key })).status]).toEqual([path, 403]);
    expect((await customer.get<{ balance: string }>('/wallet')).body.balance).not.toBe('0');
  });

  it('ends a running stream with an error frame and charges what was delivered, whatever is done with broken ones', async () => {
    const gate = createGate();
    gateway.vendor.always(faults.stallAfter(3, gate, { text: 'one two three four five six seven eight nine' }));
    const response = await gateway.chat({ ...hello, stream: true }, { key: key.key });
    const reader = response.body?.getReader();
    let text = new TextDecoder().decode((await reader?.read())?.value);
    expect((await staff.support.send<{ running: number }>('GET', at('/desk'))).body.running).toBe(1);
    await block(staff.support, 1);
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read())
      text += new TextDecoder().decode(piece.value);
    expect(text).toContain('"account_blocked"');
    expect(await gateway.vendor.requests.at(-1)?.ended).toBe('aborted');
    gate.open();
    await unblock(staff.support);
    await eventually(async () => expect(await asked()).toBe(200));
    const receipt = await receiptOf(gateway, response, key.key);
    expect(receipt).toMatchObject({ state: 'interrupted', usage_source: 'estimated' });
    expect(Number(receipt.cost)).toBeGreaterThan(0);
  });

  it('ends an answer that has not begun, free of charge, and asks no other route', async () => {
    const gate = createGate();
    gateway.vendor.always(faults.stallBeforeHeaders(gate));
    const before = gateway.vendor.requests.length;
    const waiting = gateway.chat(hello, { key: key.key });
    await gate.reached;
    await block(staff.support, 1);
    const response = await waiting;
    expect([response.status, await response.text()]).toEqual([403, expect.stringContaining('account_blocked')]);
    expect(gateway.vendor.requests.length).toBe(before + 1);
    gate.open();
    await unblock(staff.support);
    await eventually(async () => expect(await asked()).toBe(200));
    expect(await receiptOf(gateway, response, key.key)).toMatchObject({ state: 'failed', cost: '0' });
  });

  it('shows its people the reason, lets them write a ticket and change nothing else', async () => {
    await block(staff.owner, null);
    // A second code to one number is not sent within a minute.
    clock.moved += 2 * MINUTE;
    const again = new Browser(gateway);
    const { body } = await again.signIn('09121800000');
    expect(body.accounts[0]).toMatchObject({ id: account, blocked: { reason: REASON, until: null } });
    const made = await again.post<{ error: { code: string } }>('/keys', { name: 'another' });
    expect([made.status, made.body.error.code]).toEqual([403, 'account_blocked']);
    const ticket = { category: 'account', subject: 'why', text: 'It is us.' };
    expect((await again.post('/tickets', ticket)).status).toBe(201);
    const notices = (await again.get<{ data: { event: string; text: { en: string } }[] }>('/notices')).body.data;
    expect(notices.find(({ event }) => event === 'account.blocked')?.text.en).toContain(REASON);
    const log = (await again.get<{ data: { action: string; detail: { reason?: string } }[] }>('/trail')).body.data;
    expect(log.find(({ action }) => action === 'account.block')?.detail.reason).toBe(REASON);
  });

  it('stops management keys too', async () => {
    const made = await customer.post<{ key: string }>('/management-keys', { name: 'm', resources: { keys: 'read' } });
    expect(made.status).toBe(201);
    const headers = { authorization: `Bearer ${made.body.key}` };
    const list = () => fetch(`${gateway.origin}/api/console/keys`, { headers });
    expect((await list()).status).toBe(200);
    await block(staff.support, 1);
    expect((await list()).status).toBe(403);
  });
});

describe('who may block', () => {
  it('support for a day, once, and not what an owner decided', async () => {
    for (const hours of [null, 25]) expect((await block(staff.support, hours)).status).toBe(403);
    expect((await block(staff.finance, 1)).status).toBe(403);
    expect((await block(staff.support, 24)).status).toBe(200);
    // A chain of days would be an open end.
    expect((await block(staff.support, 24)).status).toBe(409);
    expect((await block(staff.owner, null)).status).toBe(200);
    expect((await unblock(staff.support)).status).toBe(403);
    expect(await asked()).toBe(403);
    expect((await unblock(staff.owner)).status).toBe(200);
    expect((await unblock(staff.owner)).status).toBe(409);
  });

  it('an owner alone, where no customer is', async () => {
    await gateway.admin('POST', '/api/admin/accounts', { id: 'house', name: 'House' });
    const send = (browser: Browser) =>
      browser.send('POST', '/api/admin/accounts/house/block', { reason: REASON, hours: 1 });
    expect([(await send(staff.support)).status, (await send(staff.owner)).status]).toEqual([403, 200]);
  });
});

describe('a block with an end', () => {
  it('ends by itself', async () => {
    await block(staff.support, 2);
    expect(await asked()).toBe(403);
    clock.moved += 2 * HOUR + 1_000;
    expect(await asked()).toBe(200);
    expect(await (await gateway.admin('GET', at('/desk'))).json()).toMatchObject({ block: null });
  });
});

describe('closing an account', () => {
  it('asks for a zero balance and a reason; then nothing of it opens anything', async () => {
    const close = (browser: Browser) =>
      browser.send<{ error?: { code: string; message: string }; closed_at?: string }>('POST', at('/close'), {
        reason: 'asked for by letter',
      });
    // Earlier tests moved the clock past the end of sessions.
    clock.moved += 3 * MINUTE;
    await staff.finance.signIn('09121810002');
    await staff.owner.signIn('09121810000');
    expect((await close(staff.finance)).status).toBe(403);
    // What was asked a moment ago is charged a moment later, so two looks may tell two balances.
    await eventually(async () => {
      const refused = await close(staff.owner);
      expect([refused.status, refused.body.error?.code]).toEqual([409, 'conflict']);
      const { body: wallet } = await customer.get<{ balance: string }>('/wallet');
      expect(refused.body.error?.message).toContain(wallet.balance.split('.')[0]);
    });
    await eventually(async () => {
      const { balance } = (await customer.get<{ balance: string }>('/wallet')).body;
      const rest = { kind: 'correction', amount: `-${balance}`, reason: 'other', note: 'paid out' };
      expect((await staff.owner.send('POST', at('/credit'), { number: `rest ${balance}`, ...rest })).status).toBe(201);
    });
    const closed = await close(staff.owner);
    expect([closed.status, closed.body.closed_at]).toEqual([200, expect.any(String)]);
    expect((await close(staff.owner)).status).toBe(409);
    expect(await asked()).toBe(401);
    const { body: history } = await staff.owner.send<{ data: { action: string; detail: object }[] }>(
      'GET',
      at('/history'),
    );
    expect(history.data.find(({ action }) => action === 'account.close')?.detail).toEqual({
      reason: 'asked for by letter',
    });
  });
});
