/** A customer's first day, over HTTP and nothing else: signs up, makes a key, calls, reads the receipt, shares the account, leaves. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';
import { Browser, outbox } from './client.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

describe('a customer', () => {
  it('signs up, makes a key, calls chat, reads the receipt, shares the account and closes it', async () => {
    const sara = new Browser(gateway);
    const entered = await sara.signIn('09121110001', { name: 'Sara', account_name: 'Acme' });
    expect(entered.status).toBe(200);
    expect(entered.body.new_account).toBe(true);
    const [account] = entered.body.accounts;
    expect(account).toMatchObject({ name: 'Acme', role: 'owner' });
    const cookie = entered.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^dargah=[0-9A-Za-z]{43}; HttpOnly; SameSite=Lax; Path=\/; Max-Age=2592000$/);

    await gateway.admin('POST', `/api/admin/accounts/${account?.id}/transfers`, {
      id: 'top-up-acme',
      kind: 'top-up',
      amount: 100_000,
    });
    const made = await sara.post<{ id: string; key: string }>('/keys', { name: 'backend' });
    expect(made.status).toBe(201);
    const answer = await gateway.chat(
      { model: 'mock/chat', messages: [{ role: 'user', content: 'hi' }] },
      { key: made.body.key },
    );
    expect(answer.status).toBe(200);
    const requestId = answer.headers.get('x-svc-request-id') ?? '';
    const receipt = await eventually(async () => {
      const found = await sara.get<{ state: string; attempts: { provider: null }[] }>(`/requests/${requestId}`);
      expect(found.body.state).toBe('completed');
      return found.body;
    });
    expect(receipt.attempts[0]?.provider).toBeNull();
    await eventually(async () => {
      const list = await sara.get<{ data: { id: string }[] }>('/requests');
      expect(list.body.data.map(({ id }) => id)).toEqual([requestId]);
      const series = await sara.get<{ total: { requests: number } }>('/usage/series');
      expect(series.body.total.requests).toBe(1);
      const byKey = await sara.get<{ data: { name: string; requests: number }[] }>('/usage/breakdown?by=key');
      expect(byKey.body.data).toMatchObject([{ name: 'backend', requests: 1 }]);
    });

    const invited = await sara.post<{ invitation: string }>('/invitations', { to: 'Omid@Example.com', role: 'viewer' });
    expect(invited.status).toBe(201);
    await eventually(async () => {
      expect((await outbox(gateway)).some(({ to, kind }) => to === 'omid@example.com' && kind === 'invitation')).toBe(
        true,
      );
    });
    const omid = new Browser(gateway);
    const joined = await omid.signIn('omid@example.com', { name: 'Omid', invitation: invited.body.invitation });
    expect(joined.body.accounts).toMatchObject([{ id: account?.id, role: 'viewer' }]);
    expect((await omid.post('/keys', { name: 'sneaky' })).status).toBe(403);
    expect((await omid.get('/keys')).status).toBe(200);

    const changed = await sara.patch(`/members/${joined.body.person.id}`, { role: 'developer' });
    expect(changed.status).toBe(200);
    expect((await omid.post('/keys', { name: 'mine' })).status).toBe(201);
    expect((await omid.patch(`/members/${entered.body.person.id}`, { role: 'viewer' })).status).toBe(403);
    expect((await sara.post('/account/leave')).status).toBe(409);

    expect((await sara.post('/account/transfer-ownership', { member_id: joined.body.person.id })).status).toBe(200);
    expect((await omid.get<{ role: string }>('/account')).body.role).toBe('owner');
    expect((await sara.post('/account/close', { confirm: 'Acme' })).status).toBe(403);
    expect((await omid.post('/account/close', { confirm: 'acme' })).status).toBe(400);
    const lines = (await omid.send<string>('GET', '/api/console/account/export')).body.trim().split('\n');
    const kinds = new Set(lines.map((line) => (JSON.parse(line) as { kind: string }).kind));
    expect(kinds).toEqual(new Set(['account', 'member', 'key', 'transfer', 'request']));
    expect(lines.join('')).not.toContain(made.body.key);

    const closed = await omid.post<{ keys_revoked: number }>('/account/close', { confirm: 'Acme' });
    expect(closed.body.keys_revoked).toBe(2);
    await eventually(async () => {
      const refused = await gateway.chat(
        { model: 'mock/chat', messages: [{ role: 'user', content: 'hi' }] },
        { key: made.body.key },
      );
      expect(refused.status).toBe(401);
    });
    expect((await omid.post('/keys', { name: 'late' })).status).toBe(409);
    expect((await sara.post('/account/leave')).status).toBe(409);
  });

  it('rotates a key with an overlap that is seen and ended early', async () => {
    const browser = new Browser(gateway);
    const { body } = await browser.signIn('09121110002');
    await gateway.admin('POST', `/api/admin/accounts/${body.accounts[0]?.id}/transfers`, {
      id: 'top-up-rotate',
      kind: 'top-up',
      amount: 100_000,
    });
    const first = await browser.post<{ id: string; key: string }>('/keys', { name: 'k' });
    const works = async (key: string) => (await gateway.fetch('/api/v1/key', { key })).status;
    expect(await works(first.body.key)).toBe(200);
    const second = await browser.post<{ key: string; overlap: { last4: string } }>(`/keys/${first.body.id}/rotate`);
    expect(second.body.overlap.last4).toBe(first.body.key.slice(-4));
    expect([await works(first.body.key), await works(second.body.key)]).toEqual([200, 200]);
    const ended = await browser.post<{ overlap: null }>(`/keys/${first.body.id}/end-overlap`);
    expect(ended.body.overlap).toBeNull();
    await eventually(async () =>
      expect([await works(first.body.key), await works(second.body.key)]).toEqual([401, 200]),
    );
  });

  it('does by a management key what its rules cover, and no more', async () => {
    const browser = new Browser(gateway);
    await browser.signIn('09121110003');
    const made = await browser.post<{ id: string; key: string }>('/management-keys', {
      name: 'terraform',
      resources: { keys: 'write', requests: 'read' },
    });
    expect(made.body.key).toMatch(/^dgm-[0-9A-Za-z]{43}$/);
    const bearer = (path: string, method = 'GET', body?: object) =>
      new Browser(gateway).send(method, `/api/console${path}`, body, {
        authorization: `Bearer ${made.body.key}`,
        origin: 'https://elsewhere.example',
      });
    expect((await bearer('/keys', 'POST', { name: 'by script' })).status).toBe(201);
    expect((await bearer('/requests')).status).toBe(200);
    expect((await bearer('/wallet')).status).toBe(403);
    expect((await bearer('/members')).status).toBe(403);
    expect((await bearer('/me')).status).toBe(401);
    expect((await bearer('/management-keys')).status).toBe(403);
    await browser.remove(`/management-keys/${made.body.id}`);
    expect((await bearer('/keys')).status).toBe(401);
    const api = await browser.post<{ key: string }>('/keys', { name: 'api' });
    const withApiKey = await new Browser(gateway).send('GET', '/api/console/keys', undefined, {
      authorization: `Bearer ${api.body.key}`,
    });
    expect(withApiKey.status).toBe(401);
  });

  it('plays in the playground without ever holding a key', async () => {
    const browser = new Browser(gateway);
    const { body } = await browser.signIn('09121110004');
    await gateway.admin('POST', `/api/admin/accounts/${body.accounts[0]?.id}/transfers`, {
      id: 'top-up-play',
      kind: 'top-up',
      amount: 100_000,
    });
    const ground = await browser.get<{ key: { id: string; playground: boolean } }>('/playground');
    expect(ground.body.key.playground).toBe(true);
    expect(JSON.stringify(ground.body)).not.toContain('dgp-');
    const answer = await browser.post<{ choices: object[] }>('/playground/chat', {
      model: 'mock/chat',
      messages: [{ role: 'user', content: 'hi' }],
    });
    expect(answer.status).toBe(200);
    expect(answer.body.choices).toHaveLength(1);
    await eventually(async () => {
      const list = await browser.get<{ data: { key_id: string }[] }>('/requests');
      expect(list.body.data.map(({ key_id }) => key_id)).toEqual([ground.body.key.id]);
    });
    expect((await browser.patch('/playground', { daily: 0 })).status).toBe(200);
    await eventually(async () => {
      const refused = await browser.post<{ error: { code: string } }>('/playground/chat', {
        model: 'mock/chat',
        messages: [{ role: 'user', content: 'hi' }],
      });
      expect([refused.status, refused.body.error.code]).toEqual([402, 'spend_cap_reached']);
    });
  });
});

describe('staff', () => {
  it('signs in with a password and is the real actor of the trail', async () => {
    const operator = new Browser(gateway);
    const entered = await operator.send<{ staff: string }>('POST', '/api/admin/sign-in', {
      password: await gateway.ownPassword(),
    });
    expect([entered.status, entered.body.staff]).toEqual([200, 'owner']);
    const me = await operator.get<{ person: { id: string } }>('/me');
    await operator.send('POST', '/api/admin/accounts', { id: 'by-staff', name: 'By staff' });
    const auditLog = await operator.send<{ data: { actor: string }[] }>('GET', '/api/admin/events?subject=by-staff');
    expect(auditLog.body.data[0]?.actor).toBe(`staff:${me.body.person.id}`);

    const added = await operator.send('POST', '/api/admin/staff', { to: '09121110005', role: 'support' });
    expect(added.status).toBe(201);
    const support = new Browser(gateway);
    expect((await support.signIn('09121110005')).body.staff).toBe('support');
    expect((await support.send('GET', '/api/admin/accounts')).status).toBe(200);
    const money = { id: 'x', kind: 'top-up', amount: 5 };
    expect((await support.send('POST', '/api/admin/accounts/by-staff/transfers', money)).status).toBe(403);
    expect((await support.send('GET', '/api/admin/outbox')).status).toBe(403);

    expect((await support.send('GET', '/api/console/keys', undefined, { 'x-svc-account': 'by-staff' })).status).toBe(
      404,
    );
    const viewing = await support.send('POST', '/api/admin/accounts/by-staff/view-as', { reason: 'ticket 12' });
    expect(viewing.status).toBe(200);
    support.account = 'by-staff';
    expect((await support.get('/keys')).status).toBe(200);
    expect((await support.post('/keys', { name: 'no' })).status).toBe(403);
    await support.send('DELETE', '/api/admin/view-as');
    expect((await support.get('/keys')).status).toBe(404);
  });

  it('can switch the operator token off, and still signs in', async () => {
    const operator = new Browser(gateway);
    await operator.send('POST', '/api/admin/sign-in', { password: await gateway.ownPassword() });
    expect((await operator.send('PATCH', '/api/admin/settings', { operator_tokens: false })).status).toBe(200);
    expect((await gateway.admin('GET', '/api/admin/accounts')).status).toBe(401);
    expect((await operator.send('GET', '/api/admin/accounts')).status).toBe(200);
    await operator.send('PATCH', '/api/admin/settings', { operator_tokens: true });
    expect((await gateway.admin('GET', '/api/admin/accounts')).status).toBe(200);
  });
});
