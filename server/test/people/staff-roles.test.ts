/** What staff must not get beyond its role: texts of keys, costs, contacts, and an account that it looked at before. */
import { generateSync } from 'otplib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { MovedClock } from '../harness/moved-clock.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { Browser } from './client.ts';

const hello = { model: 'mock/chat', messages: [{ role: 'user', content: 'hello' }] };
const CUSTOMER = '09121900000';

let gateway: TestGateway;
let customer: Browser;
let account: string;
let key: { id: string; key: string };
const staff: Record<string, Browser> = {};

const personOf = async (browser: Browser) => (await browser.get<{ person: { id: string } }>('/me')).body.person.id;
const adminJson = async <T>(browser: Browser, path: string) => (await browser.send<T>('GET', `/api/admin${path}`)).body;

/** A model whose cost to us is known. */
const MODEL = {
  id: 'mock/chat',
  routes: [{ provider: 'chat-a', model: 'up-model', cost: { input: 10_000, output: 40_000 } }],
  price: { input: 15_000, output: 60_000 },
  context: 128_000,
  max_output: 16_384,
};

beforeAll(async () => {
  gateway = await startGateway({ config: { models: [MODEL], groups: [] } });
  customer = new Browser(gateway);
  const { body } = await customer.signIn(CUSTOMER, { name: 'Sara' });
  account = body.accounts[0]?.id ?? '';
  await gateway.admin('PATCH', `/api/admin/accounts/${account}`, { name: CUSTOMER });
  await gateway.admin('POST', `/api/admin/accounts/${account}/transfers`, { id: 'r', kind: 'top-up', amount: 100_000 });
  key = (await customer.post<{ id: string; key: string }>('/keys', { name: 'k' })).body;
  expect((await gateway.chat(hello, { key: key.key })).status).toBe(200);
  for (const [index, role] of ['owner', 'finance', 'support', 'viewer'].entries()) {
    const to = `0912191000${index}`;
    await gateway.admin('POST', '/api/admin/staff', { to, role });
    const browser = new Browser(gateway);
    await browser.signIn(to);
    staff[role] = browser;
  }
}, 120_000);
afterAll(() => gateway?.stop());

describe('the text of a customer’s key', () => {
  it.each(['owner', 'finance', 'support', 'viewer'])('is never given to staff in the role %s', async (role) => {
    const browser = staff[role] as Browser;
    const made = await browser.send('POST', '/api/admin/keys', { account_id: account, name: 'mine' });
    const rotated = await browser.send('POST', `/api/admin/keys/${key.id}/rotate`);
    expect([made.status, rotated.status]).toEqual([403, 403]);
    expect(JSON.stringify([made.body, rotated.body])).not.toContain('dg-');
    expect((await gateway.chat(hello, { key: key.key })).status).toBe(200);
  });

  it('is given to an owner of the service for an account without customers, and to the operator’s token', async () => {
    const own = await gateway.admin('POST', '/api/admin/accounts', { id: 'house', name: 'House' });
    expect(own.status).toBe(201);
    const made = await (staff['owner'] as Browser).send('POST', '/api/admin/keys', { account_id: 'house', name: 'h' });
    expect(made.status).toBe(201);
    expect((await gateway.admin('POST', '/api/admin/keys', { account_id: account, name: 'api' })).status).toBe(201);
  });

  it('does not keep support from stopping the key', async () => {
    const support = staff['support'] as Browser;
    expect((await support.send('POST', `/api/admin/keys/${key.id}/pause`)).status).toBe(200);
    expect((await support.send('POST', `/api/admin/keys/${key.id}/resume`)).status).toBe(200);
    expect((await support.send('PATCH', `/api/admin/keys/${key.id}`, { rules: { rpm: 5 } })).status).toBe(403);
  });
});

describe('what is shown', () => {
  it('is without costs and without the price’s origin for support and viewers', async () => {
    interface Receipt {
      id: string;
      provider_cost: string | null;
      price_origin?: unknown;
      attempts: { provider_cost?: unknown }[];
    }
    const first = async (browser: Browser) => {
      const [row] = (await adminJson<{ data: Receipt[] }>(browser, `/requests?account_id=${account}`)).data;
      return [row, await adminJson<Receipt>(browser, `/requests/${row?.id}`)] as [Receipt, Receipt];
    };
    await vi.waitFor(async () => expect((await first(staff['owner'] as Browser))[0].id).toBeTruthy());
    const [row, whole] = await first(staff['finance'] as Browser);
    expect([row.provider_cost, whole.provider_cost].every((cost) => cost !== null)).toBe(true);
    for (const role of ['support', 'viewer']) {
      const seen = await first(staff[role] as Browser);
      expect(seen.map(({ provider_cost: cost }) => cost)).toEqual([null, null]);
      expect(seen[1].price_origin).toBeNull();
      expect(seen.flatMap(({ attempts }) => attempts).every((attempt) => !('provider_cost' in attempt))).toBe(true);
    }
  });

  it('has contacts masked for viewers, wherever they stand', async () => {
    const seen = async (role: string) =>
      JSON.stringify([
        await adminJson(staff[role] as Browser, `/accounts/${account}`),
        await adminJson(staff[role] as Browser, `/accounts?q=${account}`),
        await adminJson(staff[role] as Browser, '/events?limit=200'),
      ]);
    expect(await seen('support')).toContain(CUSTOMER);
    const masked = await seen('viewer');
    expect(masked).toContain('0912•••0000');
    expect(masked).not.toMatch(/09\d{9}/);
  });
});

describe('a demotion', () => {
  it.each(['viewer', 'finance'])('to %s ends the look at a customer’s console at once', async (role) => {
    const to = role === 'viewer' ? '09121920001' : '09121920002';
    await gateway.admin('POST', '/api/admin/staff', { to, role: 'support' });
    const browser = new Browser(gateway);
    await browser.signIn(to);
    await browser.send('POST', `/api/admin/accounts/${account}/view-as`, { reason: 'a ticket' });
    browser.account = account;
    expect((await browser.get('/wallet')).status).toBe(200);
    const id = await personOf(browser);
    await gateway.admin('PATCH', `/api/admin/staff/${id}`, { role });
    expect((await browser.get('/wallet')).status).toBe(404);
    await gateway.admin('PATCH', `/api/admin/staff/${id}`, { role: 'support' });
    // Promoted again, they must say again why they look.
    expect((await browser.get('/wallet')).status).toBe(404);
  });

  it('out of staff ends every session', async () => {
    const to = '09121920003';
    await gateway.admin('POST', '/api/admin/staff', { to, role: 'support' });
    const browser = new Browser(gateway);
    await browser.signIn(to);
    await gateway.admin('DELETE', `/api/admin/staff/${await personOf(browser)}`);
    expect((await browser.get('/me')).status).toBe(401);
  });
});

describe('in production', () => {
  it('staff without a second factor enrol one first, though an older version had it switched off', async () => {
    const clock = new MovedClock();
    const before = await startGateway({ clock });
    await before.admin('PATCH', '/api/admin/settings', { staff_second_factor: false });
    await before.admin('POST', '/api/admin/staff', { to: '09121930001', role: 'owner' });
    await before.stop({ keepData: true });
    vi.stubEnv('NODE_ENV', 'production');
    const operatorToken = 'an-operator-token-of-the-test';
    const env = { DARGAH_OPERATOR_TOKEN: operatorToken };
    const started = await startGateway({ clock, env, dataDir: before.dataDir }).finally(() => vi.unstubAllEnvs());
    const admin: TestGateway['admin'] = (method, path) =>
      fetch(started.origin + path, { method, headers: { authorization: `Bearer ${operatorToken}` } });
    const live: TestGateway = { ...started, operatorToken, admin };
    try {
      const browser = new Browser(live);
      await browser.signIn('09121930001');
      const me = await browser.get<{ staff: { second_factor_missing: boolean } }>('/me');
      expect(me.body.staff.second_factor_missing).toBe(true);
      for (const path of ['/accounts', '/settings', '/staff', '/live'])
        expect([path, (await browser.send('GET', `/api/admin${path}`)).status]).toEqual([path, 403]);
      const { body: setup } = await browser.post<{ secret: string }>('/me/second-factor');
      const code = generateSync({ secret: setup.secret, epoch: Math.floor(clock.now() / 1000) });
      expect((await browser.post('/me/second-factor/confirm', { code })).status).toBe(200);
      expect((await browser.send('GET', '/api/admin/accounts')).status).toBe(200);
      const off = await browser.send('PATCH', '/api/admin/settings', { staff_second_factor: false });
      expect(off.status).toBe(409);
    } finally {
      await live.stop();
    }
  }, 120_000);
});
