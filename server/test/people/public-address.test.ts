/** Behind a proxy that ends https: the public address alone says that callers came by it, and proxies of the environment count. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';
import { codeTo, outbox, type SignedIn } from './client.ts';

let gateway: TestGateway;
let itself: string;
beforeAll(async () => {
  gateway = await startGateway({
    env: { DARGAH_PUBLIC_URL: 'https://AI.example.ir/', DARGAH_TRUSTED_PROXIES: '127.0.0.0/8, ::1' },
  });
  itself = new URL(gateway.origin).host;
});
afterAll(() => gateway.stop());

type Headers = Record<string, string>;

/** As a proxy passes it on: `fetch` would write a Host of its own. */
async function post(host: string, path: string, body: object, headers: Headers) {
  const all = { host, origin: `https://${host}`, 'content-type': 'application/json', ...headers };
  const call = request(`${gateway.origin}/api/console${path}`, { method: 'POST', headers: all, agent: false });
  call.end(JSON.stringify(body));
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  return { cookie: answer.headers['set-cookie']?.[0] ?? '', body: (await json(answer)) as never };
}

async function enter(to: string, host: string, headers: Headers = {}) {
  await post(host, '/sign-in/codes', { to }, headers);
  const code = await codeTo(gateway, to);
  const { body, cookie } = await post(host, '/sign-in/code', { to, code }, headers);
  return { cookie, account: (body as SignedIn).accounts[0]?.id ?? '' };
}

describe('the public address', () => {
  it('gives a cookie for https alone, and links of that origin', async () => {
    const host = 'ai.example.ir';
    const { cookie, account } = await enter('09121700001', host);
    expect(cookie).toMatch(/^__Host-dargah=.+; Secure$/);
    const to = 'guest@example.com';
    const own = { cookie: cookie.split(';')[0] ?? '', 'x-svc-account': account };
    await post(host, '/invitations', { to, role: 'viewer' }, own);
    await eventually(async () => {
      const message = (await outbox(gateway)).find((one) => one.to === to);
      expect(message?.text).toContain(`https://${host}/console#invitation=`);
    });
  });

  it('takes no change from a page of the same name that came without TLS', async () => {
    const host = 'ai.example.ir';
    const order = (origin: string) => post(host, '/sign-in/codes', { to: '09121700009' }, { origin });
    expect((await order(`http://${host}`)).body).toMatchObject({ error: { code: 'foreign_origin' } });
    expect((await order(`https://${host}`)).body).toMatchObject({ to: '09121700009' });
  });

  it('says nothing of calls under another name', async () => {
    expect((await enter('09121700002', itself)).cookie).toMatch(/^dargah=[^;]+; HttpOnly; .*Max-Age=\d+$/);
  });
});

it('believes the proxies that DARGAH_TRUSTED_PROXIES lists', async () => {
  const { cookie } = await enter('09121700003', itself, { 'x-forwarded-proto': 'https' });
  expect(cookie).toMatch(/^__Host-dargah=.+; Secure$/);
});
