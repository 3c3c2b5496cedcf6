/** Limits of what a signed-in person may make us do: kept when many come at once, counted per person and account, told alike. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';
import { Browser, outbox, type Reply } from './client.ts';

let gateway: TestGateway;
let customer: Browser;
let people = 0;

beforeAll(async () => {
  gateway = await startGateway();
  await gateway.admin('PATCH', '/api/admin/payment-gateways/sandbox', { enabled: true });
  customer = await newCustomer();
}, 120_000);
afterAll(() => gateway?.stop());

async function newCustomer(more: object = {}): Promise<Browser> {
  const browser = new Browser(gateway);
  const entered = await browser.signIn(`0912190${String(1_000 + people++)}`, more);
  browser.account = entered.body.accounts[0]?.id;
  return browser;
}

const atOnce = async (count: number, call: (n: number) => Promise<Reply<unknown>>) => {
  const found: Record<number, number> = {};
  for (const { status } of await Promise.all(Array.from({ length: count }, (_, n) => call(n))))
    found[status] = (found[status] ?? 0) + 1;
  return found;
};
const told = ({ status, headers, body }: Reply<{ error: { retry_after_ms: number } }>) => {
  expect(status).toBe(429);
  expect(headers.get('retry-after')).toBe(String(Math.ceil(body.error.retry_after_ms / 1_000)));
};

describe('many at once', () => {
  it('begin no more orders than may be open', async () => {
    const begin = () => customer.post('/wallet/orders', { gateway: 'sandbox', amount: '200000' });
    expect(await atOnce(64, begin)).toEqual({ 201: 30, 429: 34 });
    told(await customer.post('/wallet/orders', { gateway: 'sandbox', amount: '200000' }));
  });

  it('add no more webhook targets than an account may have', async () => {
    const add = (n: number) => customer.post('/alerts/targets', { url: `https://hooks.example/${n}` });
    expect(await atOnce(21, add)).toEqual({ 201: 10, 409: 11 });
  });
});

describe('over and over', () => {
  it('gift codes are guessed twenty times an hour, and a right one costs nothing', async () => {
    const made = await gateway.admin('POST', '/api/admin/gift-codes', { count: 2, amount: '1000' });
    const { codes } = (await made.json()) as { codes: string[] };
    const thief = await newCustomer();
    const redeem = (code: string) => thief.post<{ error: { retry_after_ms: number } }>('/wallet/gift-codes', { code });
    expect((await redeem(codes[0] ?? '')).status).toBe(201);
    expect(await atOnce(30, (n) => redeem(`AAAAA-AAAAA-AAAAA-AAA${String(n).padStart(2, '2')}`))).toEqual({
      404: 20,
      429: 10,
    });
    told(await redeem(codes[1] ?? ''));
    expect((await customer.post('/wallet/gift-codes', { code: codes[1] ?? '' })).status).toBe(201);
  });

  it('webhook deliveries are replayed five times an hour', async () => {
    await customer.patch('/alerts/rules/balance.low', { enabled: true, channels: ['webhook'] });
    await customer.post('/alerts/test', { event: 'balance.low' });
    const { data } = (await customer.get<{ data: { id: string; channel: string }[] }>('/alerts/deliveries')).body;
    const { id = '' } = data.find(({ channel }) => channel === 'webhook') ?? {};
    const replay = () => customer.post<{ error: { retry_after_ms: number } }>(`/alerts/deliveries/${id}/replay`);
    expect(await atOnce(12, replay)).toEqual({ 200: 5, 429: 7 });
    told(await replay());
  });
});

describe('invitations', () => {
  it('are twenty a day of a person, from however many accounts', async () => {
    const thief = await newCustomer();
    const accounts = [thief.account];
    for (let n = 0; n < 4; n++) accounts.push((await thief.post<{ id: string }>('/accounts', { name: 'x' })).body.id);
    let sent = 0;
    const invite = (n: number) => {
      thief.account = accounts[n % accounts.length];
      return thief.post('/invitations', { to: `0935${String(1_000_000 + n)}`, role: 'viewer' });
    };
    for (let n = 0; n < 60; n++) if ((await invite(n)).status === 201) sent++;
    expect(sent).toBe(20);
  });

  it('say only what we say, whatever names people have', async () => {
    const evil = 'برنده شدید! https://evil.example/claim 09121234567 \u202eexample.live';
    const thief = await newCustomer({ name: evil, account_name: `${evil} www.evil.example` });
    const to = '09359999999';
    expect((await thief.post('/invitations', { to, role: 'viewer' })).status).toBe(201);
    await eventually(async () => {
      const text = (await outbox(gateway)).find((one) => one.to === to)?.text ?? '';
      expect(text).toContain('/console#invitation=');
      expect(text.match(/https?:/g)).toHaveLength(1);
      expect(text.replace(/\nhttp:\/\/localhost:\d+\/console#invitation=\w+$/, '')).not.toMatch(
        /[.@/\u202a-\u202e\u2066-\u2069]|evil\.|\d{5}/,
      );
      expect(text.length).toBeLessThan(260);
    });
  });
});
