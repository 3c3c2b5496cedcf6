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

  it('alone is in our messages and in passkeys, whatever a caller says the host is', async () => {
    const evil = 'evil.example';
    const { cookie, account } = await enter('09121700004', evil);
    const own = { cookie: cookie.split(';')[0] ?? '', 'x-svc-account': account };
    const to = 'second-guest@example.com';
    await post(evil, '/invitations', { to, role: 'viewer' }, own);
    await post(evil, '/me/methods/codes', { to: '09121700005' }, own);
    const { options } = (await post(evil, '/sign-in/passkey/options', {}, {})).body as { options: { rpId: string } };
    expect(options.rpId).toBe('ai.example.ir');
    const begun = (await post(evil, '/me/passkeys/options', {}, own)).body as { options: { rp: { id: string } } };
    expect(begun.options.rp.id).toBe('ai.example.ir');
    await eventually(async () => {
      const messages = await outbox(gateway);
      const of = (whom: string) => messages.find((one) => one.to === whom)?.text;
      expect(of('09121700004')).toMatch(/\n@ai\.example\.ir #\d{6}$/);
      expect(of('09121700005')).toMatch(/\n@ai\.example\.ir #\d{6}$/);
      expect(of(to)).toContain('\nhttps://ai.example.ir/console#invitation=');
      expect(JSON.stringify(messages)).not.toContain(evil);
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

it('is the one that the server listens on where none is named, and never the Host of a caller', async () => {
  const plain = await startGateway();
  try {
    const to = '09121700006';
    const call = request(`${plain.origin}/api/console/sign-in/codes`, {
      method: 'POST',
      headers: { host: 'evil.example', 'content-type': 'application/json' },
      agent: false,
    });
    call.end(JSON.stringify({ to }));
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    expect([answer.statusCode, ((await json(answer)) as { sent: boolean }).sent]).toEqual([202, true]);
    await eventually(async () => {
      const text = (await outbox(plain)).find((one) => one.to === to)?.text;
      expect(text).toMatch(/\n@localhost #\d{6}$/);
    });
  } finally {
    await plain.stop();
  }
});
