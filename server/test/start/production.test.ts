/** NODE_ENV=production: what is only for trying the service out is not there, unless the configuration names it. */
import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readEnvironment } from '../../src/config/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { Browser } from '../people/client.ts';
import { type Home, makeHome } from './server-process.ts';

const shell = promisify(execFile);
const PRODUCTION = { NODE_ENV: 'production' };

describe('what production is', () => {
  it.each([
    [{}, false],
    [{ NODE_ENV: 'development' }, false],
    [{ NODE_ENV: 'test', DARGAH_PUBLIC_URL: 'https://ai.example.ir' }, false],
    [{ NODE_ENV: ' production ' }, true],
  ])('is decided from %j as %s', (variables, expected) => {
    const { environment } = readEnvironment(variables);
    expect(environment.production).toBe(expected);
    expect([...environment.sandboxes]).toEqual(expected ? [] : ['models', 'bank', 'messenger']);
  });

  it('has the sandboxes that the environment names, and refuses a word that names none', () => {
    const named = readEnvironment({ ...PRODUCTION, DARGAH_SANDBOX: 'bank, models' });
    expect([...named.environment.sandboxes]).toEqual(['models', 'bank']);
    const wrong = readEnvironment({ ...PRODUCTION, DARGAH_SANDBOX: 'casino' });
    expect(wrong.mistakes).toEqual([expect.objectContaining({ path: 'DARGAH_SANDBOX' })]);
    for (const credit of ['-5', '1.5', 'much', '9999999999999'])
      expect(readEnvironment({ DARGAH_FIRST_CREDIT: credit }).mistakes).toHaveLength(1);
  });
});

describe('a gateway in production', () => {
  let gateway: TestGateway;
  const start = async (env: Record<string, string> = {}) => {
    gateway = await startGateway({ env: { ...PRODUCTION, ...env } });
  };
  afterEach(() => gateway?.stop());
  const read = async <T>(path: string): Promise<T> => (await (await gateway.admin('GET', path)).json()) as T;
  const sendCode = (to: string) =>
    new Browser(gateway).post<{ error?: { code: string; message: string } }>('/sign-in/codes', { to });
  const wallet = async () => {
    const { wallet: of } = await read<{ wallet: { balance: string } }>('/api/admin/accounts/operator/wallet');
    return Number(of.balance);
  };

  it('writes no code anywhere: without a messenger it is refused, in words, to everybody alike', async () => {
    await start();
    // Staff, and somebody nobody knows.
    await gateway.admin('POST', '/api/admin/staff', { to: '09121110001', role: 'support' });
    const answers = [await sendCode('09121110001'), await sendCode('09121119999'), await sendCode('a@example.ir')];
    for (const { status, body } of answers) expect([status, body.error?.code]).toEqual([503, 'messages_unavailable']);
    expect(new Set(answers.map(({ body }) => body.error?.message)).size).toBe(1);
    const options = await new Browser(gateway).get<{ mobile: boolean; email: boolean; sandbox: boolean }>('/sign-in');
    expect(options.body).toMatchObject({ mobile: false, email: false, sandbox: false });
    expect((await read<{ data: unknown[] }>('/api/admin/outbox')).data).toEqual([]);
    expect(JSON.stringify(gateway.log.lines)).not.toMatch(/\b\d{6}\b/);
  });

  it('has no bank of play money, even where an earlier start had it switched on', async () => {
    await start();
    const list = await read<{ data: { id: string }[] }>('/api/admin/payment-gateways');
    expect(list.data.map(({ id }) => id)).not.toContain('sandbox');
    expect((await gateway.admin('PATCH', '/api/admin/payment-gateways/sandbox', { enabled: true })).status).toBe(409);
    const order = { account_id: 'operator', gateway: 'sandbox', amount: 200_000 };
    expect((await gateway.admin('POST', '/api/admin/payments', order)).status).toBe(400);
    const { dataDir } = gateway;
    await gateway.stop({ keepData: true });
    gateway = await startGateway({ dataDir });
    expect((await gateway.admin('PATCH', '/api/admin/payment-gateways/sandbox', { enabled: true })).status).toBe(200);
    const open = (await (await gateway.admin('POST', '/api/admin/payments', order)).json()) as { pay_url: string };
    await gateway.stop({ keepData: true });
    gateway = await startGateway({ dataDir, env: PRODUCTION });
    expect((await gateway.admin('POST', '/api/admin/payments', order)).status).toBe(400);
    // The page of an order that is still open plays no bank any more.
    const play = new URL(open.pay_url, gateway.origin).pathname;
    expect((await fetch(gateway.origin + play)).status).toBe(404);
    expect((await fetch(`${gateway.origin}${play}/pay`, { method: 'POST' })).status).toBe(404);
    expect(await wallet()).toBe(0);
  }, 120_000);

  it('sells no simulated model, and makes neither credit nor key', async () => {
    await start();
    const models = await (await gateway.fetch('/api/v1/models')).text();
    expect(models).toContain('mock/chat');
    expect(models).not.toContain('sandbox/');
    const chat = await gateway.chat({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'hi' }] });
    expect(chat.status).toBe(404);
    expect(await wallet()).toBe(0);
    expect((await read<{ data: unknown[] }>('/api/admin/keys?account_id=operator')).data).toEqual([]);
  });

  it('has what the environment names', async () => {
    await start({ DARGAH_SANDBOX: 'models,bank,messenger', DARGAH_FIRST_CREDIT: '5000' });
    expect(await (await gateway.fetch('/api/v1/models')).text()).toContain('sandbox/echo');
    const list = await read<{ data: { id: string }[] }>('/api/admin/payment-gateways');
    expect(list.data.map(({ id }) => id)).toContain('sandbox');
    expect((await sendCode('09121110001')).status).toBe(202);
    expect(await wallet()).toBe(5_000);
    expect((await read<{ data: unknown[] }>('/api/admin/keys?account_id=operator')).data).toHaveLength(1);
  });

  it('takes a key that the environment names, without credit', async () => {
    await start({ DARGAH_BOOTSTRAP_KEY: 'dg-named-by-the-environment' });
    expect((await gateway.fetch('/api/v1/key', { key: 'dg-named-by-the-environment' })).status).toBe(200);
    expect(await wallet()).toBe(0);
  });
});

describe('a start in production', () => {
  let home: Home;
  beforeEach(async () => {
    home = await makeHome();
  });
  afterEach(() => home.remove());

  it('says so, prints no secret, and keeps the password alone in a file of its owner', {
    timeout: 120_000,
  }, async () => {
    const server = await home.start({ env: PRODUCTION });
    expect(server.output()).toContain('Mode: production (NODE_ENV=production).');
    expect(server.output()).toMatch(/no messenger is set up/);
    const path = join(home.dataDir, 'first-secrets.txt');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const text = await readFile(path, 'utf8');
    const password = /operator password\s+(\S+)/.exec(text)?.[1] ?? '';
    expect(password).toMatch(/^[0-9A-Za-z]{24}$/);
    expect(text).not.toMatch(/API key|curl|dg-/);
    expect(server.output()).not.toContain(password);
    expect(server.output()).not.toMatch(/API key|curl|dg-/);
    const refused = await fetch(`${server.origin}/api/console/sign-in/codes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: server.origin },
      body: JSON.stringify({ to: '09121110001' }),
    });
    expect(refused.status).toBe(503);
    expect(await server.stop()).toBe(0);
    expect(server.output()).not.toMatch(/\b\d{6}\b/);
  });

  it('with a credit that is named keeps a key and a line that works', { timeout: 120_000 }, async () => {
    const server = await home.start({ env: { ...PRODUCTION, DARGAH_FIRST_CREDIT: '250000' } });
    const text = await readFile(join(home.dataDir, 'first-secrets.txt'), 'utf8');
    const line = text.split('\n').find((one) => one.trim().startsWith('curl ')) ?? '';
    const { stdout } = await shell('sh', ['-c', `${line} --silent --fail-with-body`]);
    expect(JSON.parse(stdout)).toMatchObject({ object: 'key', account_id: 'operator' });
    expect(server.output()).not.toMatch(/dg-/);
    expect(await server.stop()).toBe(0);
  });

  it('elsewhere says that it is none, and warns where its address is one for customers', {
    timeout: 120_000,
  }, async () => {
    const server = await home.start({ env: { DARGAH_PUBLIC_URL: 'https://ai.example.ir' } });
    expect(server.output()).toContain('Mode: development.');
    expect(server.output()).toContain('warning  https://ai.example.ir');
    expect(await server.stop()).toBe(0);
  });
});
