/** What a thief would try: guessing codes, passwords and sessions, foreign origins, planted sessions, farming credit. */
import { generateSync } from 'otplib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MovedClock } from '../harness/moved-clock.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';
import { Browser, codeTo, outbox } from './client.ts';

let gateway: TestGateway;
const clock = new MovedClock();
beforeAll(async () => {
  gateway = await startGateway({ clock, config: { settings: { trusted_proxies: ['127.0.0.0/8'] } } });
});
afterAll(() => gateway.stop());
// Limits count in whole hours: each test begins one, so that none runs across its end.
beforeEach(() => {
  clock.moved += 3_600_000 - (clock.now() % 3_600_000) + 1_000;
});

const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

describe('codes', () => {
  it('give a network five tries, also when a thousand come at once, and then not even the right one works', async () => {
    const browser = new Browser(gateway);
    const to = '09121500001';
    await browser.post('/sign-in/codes', { to });
    const code = await codeTo(gateway, to);
    const guesses = Array.from({ length: 40 }, () =>
      new Browser(gateway).post<{ error: { code: string } }>('/sign-in/code', { to, code: wrong(code) }),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(35);
    expect((await browser.post('/sign-in/code', { to, code })).status).toBe(429);
  });

  it('say when to come back, in the header and in the body alike', async () => {
    const to = '09121500002';
    const order = () =>
      new Browser(gateway).post<{ error: { message: string; retry_after_ms: number } }>('/sign-in/codes', { to });
    expect((await order()).status).toBe(202);
    const agree = ({ headers, body, status }: Awaited<ReturnType<typeof order>>) => {
      expect(status).toBe(429);
      expect(headers.get('retry-after')).toBe(String(Math.ceil(body.error.retry_after_ms / 1_000)));
      expect(headers.get('retry-after-ms')).toBe(String(body.error.retry_after_ms));
      return body.error.retry_after_ms;
    };
    expect(agree(await order())).toBeLessThanOrEqual(60_000);
    // The code was used: strangers wait for the next message longer than a minute, and are told how long.
    const code = await codeTo(gateway, to);
    const person = new Browser(gateway);
    expect((await person.post('/sign-in/code', { to, code })).status).toBe(200);
    await person.remove('/me/sessions');
    const stranger = await new Browser(gateway).send<{ error: { message: string; retry_after_ms: number } }>(
      'POST',
      '/api/console/sign-in/codes',
      { to },
      { 'x-forwarded-for': '203.0.113.9' },
    );
    expect(agree(stranger)).toBeGreaterThan(500_000);
  });

  it('work once, and ten minutes', async () => {
    const to = '09121500003';
    await new Browser(gateway).post('/sign-in/codes', { to });
    const code = await codeTo(gateway, to);
    expect((await new Browser(gateway).post('/sign-in/code', { to, code })).status).toBe(200);
    expect((await new Browser(gateway).post('/sign-in/code', { to, code })).status).toBe(401);
    clock.moved += 61_000;
    await new Browser(gateway).post('/sign-in/codes', { to });
    const late = await codeTo(gateway, to);
    clock.moved += 601_000;
    expect((await new Browser(gateway).post('/sign-in/code', { to, code: late })).status).toBe(401);
  });

  it('are sent once in ten minutes to a number that nobody has signed in with from there', async () => {
    const to = '09121500004';
    const sent: unknown[] = [];
    for (let minute = 0; minute < 21; minute++) {
      const { status, body } = await new Browser(gateway).post<{ sent: boolean }>('/sign-in/codes', { to });
      sent.push(status === 202 && body.sent);
      clock.moved += 61_000;
    }
    const minutes = sent.flatMap((one, minute) => (one === true ? [minute] : []));
    expect(minutes).toEqual([0, 10, 20]);
    await eventually(async () => expect((await outbox(gateway)).filter((one) => one.to === to)).toHaveLength(3));
  });

  it('are asked for in every way a number is written, and are one number', async () => {
    const browser = new Browser(gateway);
    const sent = await browser.post<{ to: string; channel: string }>('/sign-in/codes', { to: '+۹۸ ۹۱۲ ۱۵۰ ۰۰۰۵' });
    expect(sent.body).toMatchObject({ to: '09121500005', channel: 'sms' });
    const code = await codeTo(gateway, '09121500005');
    const persian = code.replace(/\d/g, (digit) => '۰۱۲۳۴۵۶۷۸۹'[Number(digit)] ?? '');
    expect((await browser.post('/sign-in/code', { to: '0098 912 1500005', code: persian })).status).toBe(200);
    const wrongNumber = await browser.post<{ error: { param: string } }>('/sign-in/codes', { to: '0212345' });
    expect([wrongNumber.status, wrongNumber.body.error.param]).toEqual([400, 'to']);
  });

  it('tell nobody whether a number is known when sign-up is closed', async () => {
    await new Browser(gateway).signIn('09121500006');
    await gateway.admin('PATCH', '/api/admin/settings', { registration: 'closed' });
    clock.moved += 61_000;
    const known = await new Browser(gateway).post<Record<string, unknown>>('/sign-in/codes', { to: '09121500006' });
    const unknown = await new Browser(gateway).post<Record<string, unknown>>('/sign-in/codes', { to: '09121500007' });
    expect({ ...known.body, to: '' }).toEqual({ ...unknown.body, to: '' });
    expect(known.status).toBe(unknown.status);
    await eventually(async () =>
      expect((await outbox(gateway)).filter(({ to }) => to === '09121500006')).toHaveLength(2),
    );
    expect((await outbox(gateway)).some(({ to }) => to === '09121500007')).toBe(false);
    await gateway.admin('PATCH', '/api/admin/settings', { registration: 'open' });
  });
});

describe('sessions', () => {
  it('are new at every sign-in: one that was planted before is worth nothing afterwards', async () => {
    const thief = new Browser(gateway);
    await thief.signIn('09121500010');
    const victim = new Browser(gateway);
    victim.cookie = thief.cookie;
    const planted = thief.cookie;
    await victim.signIn('09121500011');
    expect(victim.cookie).not.toBe(planted);
    expect((await thief.get('/me')).status).toBe(401);
    const made = new Browser(gateway);
    made.cookie = `dargah=${'A'.repeat(43)}`;
    await made.signIn('09121500012');
    expect(made.cookie).not.toContain('A'.repeat(43));
  });

  it('are listed, ended one by one, and all but this on a new password', async () => {
    const first = new Browser(gateway);
    await first.signIn('09121500013');
    clock.moved += 61_000;
    const second = new Browser(gateway);
    await second.signIn('09121500013');
    clock.moved += 61_000;
    const third = new Browser(gateway);
    await third.signIn('09121500013');
    const list = await first.get<{ data: { id: string; current: boolean }[] }>('/me/sessions');
    expect(list.body.data).toHaveLength(3);
    const mine = (await second.get<{ data: { id: string; current: boolean }[] }>('/me/sessions')).body.data.find(
      ({ current }) => current,
    );
    expect((await first.remove(`/me/sessions/${mine?.id}`)).status).toBe(200);
    expect((await second.get('/me')).status).toBe(401);
    expect((await first.send('PUT', '/api/console/me/password', { password: 'correct horse battery' })).status).toBe(
      200,
    );
    expect((await first.get('/me')).status).toBe(200);
    expect((await third.get('/me')).status).toBe(401);
    const stranger = new Browser(gateway);
    await stranger.signIn('09121500014');
    const theirs = (await stranger.get<{ data: { id: string }[] }>('/me/sessions')).body.data[0];
    expect((await first.remove(`/me/sessions/${theirs?.id}`)).status).toBe(404);
    expect((await stranger.get('/me')).status).toBe(200);
  });

  it('renew the cookie with the session, so that a browser in daily use is never signed out', async () => {
    const browser = new Browser(gateway);
    await browser.signIn('09121500016');
    const { cookie } = browser;
    expect((await browser.get('/me')).headers.get('set-cookie')).toBeNull();
    clock.moved += 6 * 60_000;
    const renewed = (await browser.get('/keys')).headers.get('set-cookie');
    expect(renewed).toBe(`${cookie}; HttpOnly; SameSite=Lax; Path=/; Max-Age=2592000`);
    expect((await browser.get('/keys')).headers.get('set-cookie')).toBeNull();
    clock.moved += 6 * 60_000;
    const ended = (await browser.post('/sign-out')).headers.get('set-cookie');
    expect(ended).toBe('dargah=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0');
  });

  it('come over https in a cookie that no other host and no plain connection can set or read', async () => {
    const https = { 'x-forwarded-proto': 'https', origin: gateway.origin.replace('http:', 'https:') };
    const browser = new Browser(gateway);
    const to = '09121500017';
    await browser.post('/sign-in/codes', { to });
    const code = await codeTo(gateway, to);
    const entered = await browser.send('POST', '/api/console/sign-in/code', { to, code }, https);
    expect(entered.headers.get('set-cookie')).toMatch(
      /^__Host-dargah=[0-9A-Za-z]{43}; HttpOnly; SameSite=Lax; Path=\/; Max-Age=2592000; Secure$/,
    );
    expect((await browser.send('GET', '/api/console/me', undefined, https)).status).toBe(200);
    const planted = { ...https, cookie: (browser.cookie ?? '').replace('__Host-', '') };
    expect((await browser.send('GET', '/api/console/me', undefined, planted)).status).toBe(401);
  });

  it('end thirty days after their last use', async () => {
    const browser = new Browser(gateway);
    await browser.signIn('09121500015');
    clock.moved += 29 * 86_400_000;
    expect((await browser.get('/me')).status).toBe(200);
    clock.moved += 29 * 86_400_000;
    expect((await browser.get('/me')).status).toBe(200);
    clock.moved += 31 * 86_400_000;
    expect((await browser.get('/me')).status).toBe(401);
  });
});

describe('changes by cookie', () => {
  const headers = (extra: Record<string, string>) => extra;
  it('are refused from a foreign origin, from a foreign site, without an origin, and as a form', async () => {
    const browser = new Browser(gateway);
    await browser.signIn('09121500020');
    const attempt = async (extra: Record<string, string>, without: string[] = []) => {
      const all: Record<string, string> = {
        origin: gateway.origin,
        'content-type': 'application/json',
        cookie: browser.cookie ?? '',
        ...headers(extra),
      };
      for (const name of without) delete all[name];
      const response = await fetch(`${gateway.origin}/api/console/keys`, {
        method: 'POST',
        headers: all,
        body: '{"name":"csrf"}',
      });
      return response.status;
    };
    expect(await attempt({ origin: 'https://evil.example' })).toBe(403);
    expect(await attempt({ origin: 'null' })).toBe(403);
    expect(await attempt({ 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await attempt({}, ['origin'])).toBe(403);
    expect(await attempt({ 'content-type': 'text/plain' })).toBe(400);
    expect(await attempt({ 'content-type': 'application/x-www-form-urlencoded' })).toBe(400);
    expect((await browser.get<{ data: object[] }>('/keys')).body.data).toHaveLength(0);
    expect(await attempt({})).toBe(201);
    expect(await attempt({ 'sec-fetch-site': 'same-origin' }, ['origin'])).toBe(201);
    const signIn = await fetch(`${gateway.origin}/api/console/sign-in/codes`, {
      method: 'POST',
      headers: { origin: 'https://evil.example', 'content-type': 'application/json' },
      body: '{"to":"09121500021"}',
    });
    expect(signIn.status).toBe(403);
  });
});

describe('passwords', () => {
  it('are limited per person, and a wrong one, an unknown number and no password sound alike', async () => {
    const browser = new Browser(gateway);
    await browser.signIn('09121500030');
    await browser.send('PUT', '/api/console/me/password', { password: 'correct horse battery' });
    const answers = await Promise.all(
      ['09121500030', '09121599999'].map((to) =>
        new Browser(gateway).post('/sign-in/password', { to, password: 'wrong-wrong' }),
      ),
    );
    expect(answers[0]?.status).toBe(401);
    expect(answers[0]?.body).toEqual(answers[1]?.body);
    const right = () =>
      new Browser(gateway).post('/sign-in/password', { to: '09121500030', password: 'correct horse battery' });
    expect((await right()).status).toBe(200);
    for (let i = 0; i < 9; i++)
      await new Browser(gateway).post('/sign-in/password', { to: '09121500030', password: `guess ${i} guess` });
    expect((await right()).status).toBe(429);
    const weak = await browser.send<{ error: { param: string } }>('PUT', '/api/console/me/password', {
      password: 'short',
    });
    expect([weak.status, weak.body.error.param]).toEqual([400, 'password']);
  });

  it('that are forgotten are replaced by a code: sessions end, it is told, and the second factor is still asked for', async () => {
    const to = '09121500031';
    const owner = new Browser(gateway);
    await owner.signIn(to);
    await owner.send('PUT', '/api/console/me/password', { password: 'correct horse battery' });
    const { secret } = (await owner.post<{ secret: string }>('/me/second-factor')).body;
    const app = generateSync({ secret, epoch: Math.floor(clock.now() / 1000) });
    expect((await owner.post('/me/second-factor/confirm', { code: app })).status).toBe(200);
    clock.moved += 61_000;
    const begun = clock.now();
    const thief = new Browser(gateway);
    await thief.post('/sign-in/codes', { to });
    const code = await codeTo(gateway, to);
    const reset = async (tried: string) =>
      (await thief.post('/sign-in/password/reset', { to, code: tried, password: 'another staple entirely' })).status;
    expect(await reset(wrong(code))).toBe(401);
    expect((await owner.get('/me')).status).toBe(200);
    expect(await reset(code)).toBe(200);
    expect(await reset(code)).toBe(401);
    expect((await owner.get('/me')).status).toBe(401);
    const enter = (password: string) =>
      thief.post<{ second_factor: object | null }>('/sign-in/password', { to, password });
    expect((await enter('correct horse battery')).status).toBe(401);
    const entered = await enter('another staple entirely');
    expect([entered.status, entered.body.second_factor === null]).toEqual([200, false]);
    expect((await thief.get('/me')).status).toBe(401);
    await eventually(async () => {
      const told = (await outbox(gateway)).filter((one) => one.to === to && Date.parse(one.at) >= begun);
      expect(told.filter(({ text }) => text.includes('/console/end-sessions#'))).toHaveLength(1);
    });
  });
});
