/** The password that the first start printed: what whoever has seen it can do with it, before and after it is replaced. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { digestOf, FIRST_PASSWORD_SETTING, REPLACED } from '../../src/platform/operator-token.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { openEmbeddedAt } from '../services/embedded-database.ts';
import { Browser, codeTo } from './client.ts';

const CHOSEN = 'the operator chose this one';

const clock = { moved: 0, now: () => Date.now() + clock.moved, monotonicMs: () => performance.now() };

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startGateway({ clock });
}, 120_000);
afterEach(() => gateway?.stop());

async function enter(password: string): Promise<{ browser: Browser; status: number }> {
  const browser = new Browser(gateway);
  const { status } = await browser.send('POST', '/api/admin/sign-in', { password });
  return { browser, status };
}

const replace = (browser: Browser, current: string, password = CHOSEN) =>
  browser.send<{ error: { param?: string } }>('PUT', '/api/console/me/password', { current, password });

/** Every way in that takes a secret in a header. */
async function asToken(secret: string): Promise<number[]> {
  const gifts = JSON.stringify({ count: 1, amount: 50_000 });
  const json = { 'content-type': 'application/json' };
  const asked = [
    ['GET', '/api/admin/accounts', undefined],
    ['POST', '/api/admin/gift-codes', gifts],
    ['POST', '/api/admin/operator-tokens', JSON.stringify({ name: 'mine', scopes: ['credit'] })],
    ['POST', '/api/admin/staff', JSON.stringify({ to: '09121110000', role: 'owner' })],
    ['GET', '/metrics', undefined],
    ['GET', '/api/console/keys', undefined],
    ['GET', '/api/v1/key', undefined],
  ] as const;
  const statuses: number[] = [];
  for (const [method, path, body] of asked)
    for (const header of [{ authorization: `Bearer ${secret}` }, { 'x-api-key': secret }]) {
      const sent = { method, headers: { ...header, ...json }, ...(body === undefined ? {} : { body }) };
      statuses.push((await fetch(gateway.origin + path, sent)).status);
    }
  return [...new Set(statuses)];
}

describe('the first password', () => {
  it('is no token, before it is replaced, after it, and after a reset', async () => {
    expect(await asToken(gateway.firstPassword)).toEqual([401]);
    const { browser } = await enter(gateway.firstPassword);
    await replace(browser, gateway.firstPassword);
    expect(await asToken(gateway.firstPassword)).toEqual([401]);
    expect(await asToken(CHOSEN)).toEqual([401]);
    const reset = await gateway.admin('POST', '/api/admin/operators/reset-password');
    const { operator_password: given } = (await reset.json()) as { operator_password: string };
    expect(await asToken(given)).toEqual([401]);
  });

  it('opens its own replacement and nothing else', async () => {
    const { browser } = await enter(gateway.firstPassword);
    const me = await browser.get<{ password_change_required: boolean; staff: { role: string } }>('/me');
    expect(me.body).toMatchObject({ password_change_required: true, staff: { role: 'owner' } });
    const document = (await (await gateway.admin('GET', '/api/admin/openapi.json')).json()) as {
      paths: Record<string, Record<string, { 'x-access': { door: string; beforePassword?: true } }>>;
    };
    const doors = ['person', 'console', 'operator'];
    let walked = 0;
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, { 'x-access': access }] of Object.entries(methods)) {
        if (!doors.includes(access.door) || access.beforePassword) continue;
        const at = path.replace(/\{\w+\}/g, 'nothing');
        const body = method === 'get' || method === 'delete' ? undefined : {};
        const { status, body: said } = await browser.send<{ error?: { code: string } }>(method.toUpperCase(), at, body);
        expect([method, path, status, said.error?.code]).toEqual([method, path, 403, 'password_change_required']);
        walked++;
      }
    expect(walked).toBeGreaterThan(150);
    // An account of the console cannot be opened by naming one either, and nobody has become staff on the way.
    expect((await browser.send('POST', '/api/console/sign-out')).status).toBe(200);
  });

  it('is replaced by another only, and then nothing of it works', async () => {
    const { browser } = await enter(gateway.firstPassword);
    const other = (await enter(gateway.firstPassword)).browser;
    const same = await replace(browser, gateway.firstPassword, gateway.firstPassword);
    expect([same.status, same.body.error.param]).toEqual([400, 'password']);
    expect((await replace(browser, 'not the one')).status).toBe(401);
    expect((await replace(browser, gateway.firstPassword)).status).toBe(200);
    expect((await browser.send('GET', '/api/admin/accounts')).status).toBe(200);
    // Whoever else had come in with it is out.
    expect((await other.get('/me')).status).toBe(401);
    expect((await enter(gateway.firstPassword)).status).toBe(401);
    const again = await enter(CHOSEN);
    expect(again.status).toBe(200);
    expect((await again.browser.get<{ password_change_required: boolean }>('/me')).body.password_change_required).toBe(
      false,
    );
    expect((await replace(again.browser, gateway.firstPassword)).status).toBe(401);
  });

  it('does not pass where staff must have a second factor', async () => {
    await gateway.admin('PATCH', '/api/admin/settings', { staff_second_factor: true });
    expect(await asToken(gateway.firstPassword)).toEqual([401]);
    const { browser } = await enter(gateway.firstPassword);
    await replace(browser, gateway.firstPassword);
    const refused = await browser.send<{ error: { code: string } }>('POST', '/api/admin/gift-codes', {});
    expect([refused.status, refused.body.error.code]).toEqual([403, 'second_factor_required']);
  });

  it('that a reset gave must be replaced as well, and ends what was signed in', async () => {
    const { browser } = await enter(await gateway.ownPassword());
    expect((await browser.send('GET', '/api/admin/accounts')).status).toBe(200);
    const reset = await browser.send<{ operator_password: string }>('POST', '/api/admin/operators/reset-password', {});
    const given = reset.body.operator_password;
    expect((await browser.get('/me')).status).toBe(401);
    expect((await enter(await gateway.ownPassword())).status).toBe(401);
    const next = await enter(given);
    const refused = await next.browser.send<{ error: { code: string } }>('GET', '/api/admin/accounts');
    expect([next.status, refused.status, refused.body.error.code]).toEqual([200, 403, 'password_change_required']);
    expect((await replace(next.browser, given)).status).toBe(200);
    expect((await next.browser.send('GET', '/api/admin/accounts')).status).toBe(200);
    expect((await enter(given)).status).toBe(401);
  });

  it('need not be known to somebody who came in with a code just now', async () => {
    const { browser } = await enter(await gateway.ownPassword());
    const to = '09121110077';
    await browser.post('/me/methods/codes', { to });
    expect((await browser.post('/me/methods', { to, code: await codeTo(gateway, to) })).status).toBe(201);
    await gateway.admin('POST', '/api/admin/operators/reset-password');
    // The next code may be sent.
    clock.moved += 15 * 60_000;
    const byCode = new Browser(gateway);
    await byCode.signIn(to);
    expect((await byCode.send('GET', '/api/admin/accounts')).status).toBe(403);
    expect((await byCode.send('PUT', '/api/console/me/password', { password: CHOSEN })).status).toBe(200);
    expect((await byCode.send('GET', '/api/admin/accounts')).status).toBe(200);
  });
});

describe('a database of version 0.1.0', () => {
  const readDigest = async (write?: string): Promise<unknown> => {
    const db = await openEmbeddedAt(gateway.dataDir);
    if (write !== undefined)
      await db.query('update setting set value = to_jsonb($2::text) where key = $1', [FIRST_PASSWORD_SETTING, write]);
    const [row] = await db.query<{ value: unknown }>('select value from setting where key = $1', [
      FIRST_PASSWORD_SETTING,
    ]);
    await db.close();
    return row?.value;
  };

  it('whose first password was replaced forgets it at the start, so that 0.1.0 beside takes it no more', async () => {
    const { dataDir, firstPassword } = gateway;
    await gateway.ownPassword();
    await gateway.stop({ keepData: true });
    // That version left the digest where it was.
    await readDigest(digestOf(firstPassword));
    gateway = await startGateway({ dataDir });
    expect(gateway.firstPassword).toBe('');
    expect((await enter(firstPassword)).status).toBe(401);
    expect(await asToken(firstPassword)).toEqual([401]);
    await gateway.stop({ keepData: true });
    expect(await readDigest()).toBe(REPLACED);
    // The setting is still there: neither version takes the next start for a first one.
    gateway = await startGateway({ dataDir });
    expect(gateway.firstPassword).toBe('');
  }, 120_000);

  it('whose first password is in use lets it in to be replaced, sessions of before included', async () => {
    const { dataDir, firstPassword } = gateway;
    const before = (await enter(firstPassword)).browser;
    await gateway.stop({ keepData: true });
    gateway = await startGateway({ dataDir });
    const old = new Browser(gateway);
    old.cookie = before.cookie;
    expect((await old.send('GET', '/api/admin/accounts')).status).toBe(403);
    const { browser } = await enter(firstPassword);
    expect((await browser.send('GET', '/api/admin/accounts')).status).toBe(403);
    expect((await replace(browser, firstPassword)).status).toBe(200);
    expect((await browser.send('GET', '/api/admin/accounts')).status).toBe(200);
  }, 120_000);
});
