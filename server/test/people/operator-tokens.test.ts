/** Named operator tokens: what each scope opens, over the whole operator API, and how they end. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OPERATOR_SCOPES, type OperatorScope } from '@dargah/core/operator-scopes.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeVendor } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { postgresMissing, startPostgres } from '../services/postgres.ts';
import { Browser } from './client.ts';

interface Token {
  id: string;
  name: string;
  token: string;
  state: string;
  scopes: string[];
  source: string;
  last4: string | null;
  expires_at: string;
  last_used_at: string | null;
}

const DAY = 86_400_000;
const clock = {
  moved: 0,
  now: () => Date.parse('2026-11-15T08:00:00Z') + clock.moved,
  monotonicMs: () => performance.now(),
};

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ clock });
}, 120_000);
afterAll(() => gateway?.stop());

async function make(body: object): Promise<{ status: number; token: Token; param: string | undefined }> {
  const reply = await gateway.admin('POST', '/api/admin/operator-tokens', body);
  const answer = (await reply.json()) as Token & { error?: { param?: string } };
  return { status: reply.status, token: answer, param: answer.error?.param };
}

async function list(): Promise<Token[]> {
  return ((await (await gateway.admin('GET', '/api/admin/operator-tokens')).json()) as { data: Token[] }).data;
}

async function call(token: string, method: string, path: string, body?: object, origin = gateway.origin) {
  const reply = await fetch(origin + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'accept-language': 'en', 'content-type': 'application/json' },
    ...(method === 'GET' || method === 'DELETE' ? {} : { body: JSON.stringify(body ?? {}) }),
  });
  return { status: reply.status, text: await reply.text() };
}

describe('an operator token', () => {
  it('is shown once, listed without its text, and tells when it was last used', async () => {
    const { status, token } = await make({ name: 'nightly report', scopes: ['read'] });
    expect([status, token.state, token.scopes]).toEqual([201, 'live', ['read']]);
    expect(token.token).toMatch(/^dgo-[0-9A-Za-z]{43}$/);
    expect(Date.parse(token.expires_at) - clock.now()).toBe(90 * DAY);
    expect((await call(token.token, 'GET', '/api/admin/accounts')).status).toBe(200);
    const listed = await list();
    expect(JSON.stringify(listed)).not.toContain(token.token);
    const own = listed.find(({ id }) => id === token.id);
    expect(own).toMatchObject({ last4: token.token.slice(-4), last_used_at: new Date(clock.now()).toISOString() });
    const events = await (await gateway.admin('GET', `/api/admin/events?subject=${token.id}`)).text();
    expect(events).toContain('operator_token.create');
    expect(events).not.toContain(token.token);
  });

  it('stands beside the one of the environment, which is listed too', async () => {
    const [environment] = (await list()).filter(({ source }) => source === 'environment');
    expect(environment).toMatchObject({ id: 'environment', name: 'environment', state: 'live' });
    expect(environment?.scopes).toEqual([...OPERATOR_SCOPES]);
    expect(environment?.last_used_at).not.toBeNull();
    expect((await gateway.admin('DELETE', '/api/admin/operator-tokens/environment')).status).toBe(404);
    expect((await make({ name: 'environment', scopes: ['read'] })).param).toBe('name');
  });

  it('has a name of its own, scopes that exist and an end within a year', async () => {
    expect((await make({ name: 'shop', scopes: ['credit'] })).status).toBe(201);
    expect((await make({ name: ' shop ', scopes: ['read'] })).status).toBe(409);
    const refusals = [
      [{ name: '  ', scopes: ['read'] }, 'name'],
      [{ name: 'a', scopes: [] }, 'scopes'],
      [{ name: 'a', scopes: ['everything'] }, 'scopes.0'],
      [{ name: 'a', scopes: ['read'], expires_at: '2026-11-15T07:00:00Z' }, 'expires_at'],
      [{ name: 'a', scopes: ['read'], expires_at: '2027-11-18T00:00:00Z' }, 'expires_at'],
      [{ name: 'a', scopes: ['read'], expires_at: null }, 'expires_at'],
    ] as const;
    for (const [body, param] of refusals)
      expect([body, await make(body)]).toMatchObject([body, { status: 400, param }]);
  });

  it('ends by its time and by an owner', async () => {
    const day = new Date(clock.now() + DAY).toISOString();
    const { token: short } = await make({ name: 'a day', scopes: ['read'], expires_at: day });
    const { token: long } = await make({ name: 'revoked', scopes: ['read'] });
    const statuses = async () =>
      Promise.all([short, long].map(async ({ token }) => (await call(token, 'GET', '/api/admin/accounts')).status));
    expect(await statuses()).toEqual([200, 200]);
    clock.moved += DAY - 1;
    expect(await statuses()).toEqual([200, 200]);
    clock.moved += 1;
    expect(await statuses()).toEqual([401, 200]);
    const revoked = await gateway.admin('DELETE', `/api/admin/operator-tokens/${long.id}`);
    expect(((await revoked.json()) as Token).state).toBe('revoked');
    expect(await statuses()).toEqual([401, 401]);
    const states = Object.fromEntries((await list()).map(({ name, state }) => [name, state]));
    expect(states).toMatchObject({ 'a day': 'expired', revoked: 'revoked' });
    // The name is free again.
    expect((await make({ name: 'revoked', scopes: ['read'] })).status).toBe(201);
  });

  it('is refused where tokens are switched off, and opens no metrics, console or model', async () => {
    const { token } = await make({ name: 'elsewhere', scopes: [...OPERATOR_SCOPES] });
    const elsewhere = ['/metrics', '/api/console/keys', '/api/console/me', '/api/v1/key'];
    for (const path of elsewhere) expect([path, (await call(token.token, 'GET', path)).status]).toEqual([path, 401]);
    const owner = new Browser(gateway);
    await owner.send('POST', '/api/admin/sign-in', { password: await gateway.ownPassword() });
    await gateway.admin('PATCH', '/api/admin/settings', { operator_tokens: false });
    expect((await call(token.token, 'GET', '/api/admin/accounts')).status).toBe(401);
    await owner.send('PATCH', '/api/admin/settings', { operator_tokens: true });
    expect((await call(token.token, 'GET', '/api/admin/accounts')).status).toBe(200);
  });

  it('is made by owners alone', async () => {
    for (const [index, role] of ['finance', 'support', 'viewer'].entries()) {
      const to = `0912150000${index}`;
      await gateway.admin('POST', '/api/admin/staff', { to, role });
      const staff = new Browser(gateway);
      await staff.signIn(to);
      const body = { name: `of ${role}`, scopes: ['read'] };
      expect((await staff.send('POST', '/api/admin/operator-tokens', body)).status).toBe(403);
      expect((await staff.send('GET', '/api/admin/operator-tokens')).status).toBe(403);
    }
  });

  it('is the actor of what it does', async () => {
    const { token } = await make({ name: 'accountant', scopes: ['accounts'] });
    expect((await call(token.token, 'POST', '/api/admin/accounts', { id: 'by-token', name: 'By token' })).status).toBe(
      201,
    );
    const events = await gateway.admin('GET', '/api/admin/events?subject=by-token');
    expect(await events.text()).toContain(`"actor":"operator-token:${token.id}"`);
  });
});

describe('the scopes of a token', () => {
  interface Operation {
    method: string;
    path: string;
    access: { door: string; scope?: OperatorScope };
  }
  let operations: Operation[];
  const label = ({ method, path }: Operation) => `${method} ${path}`;
  beforeAll(async () => {
    const document = (await (await gateway.admin('GET', '/api/admin/openapi.json')).json()) as {
      paths: Record<string, Record<string, { 'x-access': Operation['access'] }>>;
    };
    operations = Object.entries(document.paths)
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, { 'x-access': access }]) => ({
          method: method.toUpperCase(),
          path: path.replace(/\{\w+\}/g, 'nothing'),
          access,
        })),
      )
      .filter(({ access }) => access.door === 'operator');
  });

  it('are said by routes, and by none that would let somebody in or outlive the token', () => {
    const closed = operations.filter(({ access }) => access.scope === undefined).map(label);
    for (const needed of [
      'POST /api/admin/staff',
      'PATCH /api/admin/staff/nothing',
      'DELETE /api/admin/staff/nothing',
      'GET /api/admin/operator-tokens',
      'POST /api/admin/operator-tokens',
      'DELETE /api/admin/operator-tokens/nothing',
      'POST /api/admin/operators/reset-password',
      'POST /api/admin/secrets/rotate',
      'PATCH /api/admin/settings',
      'PATCH /api/admin/payment-gateways/nothing',
      'GET /api/admin/outbox',
      'POST /api/admin/accounts/nothing/view-as',
      'PATCH /api/admin/people/nothing',
    ])
      expect(closed).toContain(needed);
    expect(operations.length).toBeGreaterThan(100);
    const money = operations.filter(({ access }) => access.scope === 'credit').map(label);
    expect(money).toContain('POST /api/admin/gift-codes');
    expect(money).toContain('POST /api/admin/accounts/nothing/transfers');
  });

  /** They last, or ask providers. */
  const SLOW = /\/live|\/refresh|catalog\/providers/;

  it.each(OPERATOR_SCOPES)('hold for %s over every route', async (scope) => {
    const { token } = await make({ name: `walks with ${scope}`, scopes: [scope] });
    for (const operation of operations) {
      const may = operation.access.scope === scope;
      if (may && SLOW.test(operation.path)) continue;
      const { status, text } = await call(token.token, operation.method, operation.path);
      expect([label(operation), status === 403, status === 401]).toEqual([label(operation), !may, false]);
      if (!may) expect(text).toContain(operation.access.scope === undefined ? 'No token' : operation.access.scope);
    }
    // Nothing of the walk has let anybody in.
    const staff = (await (await gateway.admin('GET', '/api/admin/staff')).json()) as { data: { role: string }[] };
    expect(staff.data.filter(({ role }) => role === 'owner')).toHaveLength(1);
  });
});

describe.skipIf(postgresMissing())('a token that was revoked on one replica', () => {
  it('is refused by the other with the next call', { timeout: 180_000 }, async () => {
    const [service, vendor] = await Promise.all([startPostgres(), startFakeVendor()]);
    const place = await mkdtemp(join(tmpdir(), 'dargah-tokens-'));
    const env = { DATABASE_URL: await service.createDatabase() };
    const one = await startGateway({ vendor, env, dataDir: join(place, 'one') });
    const two = await startGateway({ vendor, env, dataDir: join(place, 'two') });
    try {
      const body = { name: 'everywhere', scopes: ['read'] };
      const made = (await (await one.admin('POST', '/api/admin/operator-tokens', body)).json()) as Token;
      const asked = async ({ origin }: TestGateway) =>
        (await call(made.token, 'GET', '/api/admin/accounts', undefined, origin)).status;
      expect([await asked(one), await asked(two)]).toEqual([200, 200]);
      await one.admin('DELETE', `/api/admin/operator-tokens/${made.id}`);
      expect([await asked(two), await asked(one)]).toEqual([401, 401]);
    } finally {
      await one.stop({ keepData: true });
      await two.stop({ keepData: true });
      await Promise.all([vendor.close(), service.remove()]);
      await rm(place, { recursive: true, force: true });
    }
  });
});
