/** Accounts and keys, as an operator manages them over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { readDocument } from './contract.ts';
import { type Operator, operatorOf } from './operator.ts';

let gateway: TestGateway;
let operator: Operator;

beforeAll(async () => {
  gateway = await startGateway({ env: { DARGAH_OPERATOR_TOKEN: 'an-operator-token-of-the-test' } });
  operator = await operatorOf(gateway);
});
afterAll(() => gateway.stop());

const ask = (key: string, model = 'mock/chat') =>
  gateway.chat({ model, messages: [{ role: 'user', content: 'hi' }] }, { key });

describe('the door', () => {
  it('is shut without the operator token, with a wrong one, and with an API key, on every address and method', async () => {
    const { paths } = await readDocument(gateway.origin, gateway.operatorToken);
    const addresses = Object.entries(paths)
      .filter(([path]) => path.startsWith('/api/admin') && path !== '/api/admin/sign-in')
      .flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => [method.toUpperCase(), path.replace(/\{\w+\}/g, 'x')] as const),
      );
    expect(addresses.length).toBeGreaterThan(35);
    for (const [method, path] of [...addresses, ['GET', '/api/admin/nothing'], ['POST', '/api/admin']] as const) {
      for (const token of [undefined, 'wrong', gateway.key, `${gateway.operatorToken}x`]) {
        const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
        const response = await fetch(gateway.origin + path, { method, headers });
        if (path === '/api/admin') expect(response.status).toBe(404);
        else expect([response.status, method, path]).toEqual([401, method, path]);
        if (response.status === 401) expect((await errorOf(response)).code).toBe('unauthorized');
      }
    }
  });

  it('opens for DARGAH_OPERATOR_TOKEN', async () => {
    const response = await fetch(`${gateway.origin}/api/admin/health`, {
      headers: { authorization: 'Bearer an-operator-token-of-the-test' },
    });
    expect(response.status).toBe(200);
  });

  it('answers with ids and never lets a cache keep it', async () => {
    const response = await gateway.admin('GET', '/api/admin/accounts');
    expect(response.headers.get('x-svc-request-id')).toMatch(/^req_/);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const others = [
      gateway.fetch('/api/v1/key'),
      gateway.fetch('/api/v1/models'),
      gateway.fetch('/api/v1/nothing'),
      gateway.fetch('/api/v1/key', { key: 'dg-wrong' }),
      fetch(`${gateway.origin}/pay/orders/nothing`),
    ];
    for (const answer of await Promise.all(others)) {
      expect([answer.url, answer.headers.get('cache-control')]).toEqual([answer.url, 'no-store']);
      expect([answer.url, answer.headers.get('x-content-type-options')]).toEqual([answer.url, 'nosniff']);
    }
    const chat = await gateway.chat({ model: 'mock/chat', messages: [{ role: 'user', content: 'hi' }] });
    expect(chat.headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('accounts', () => {
  it('are made, read, listed page by page and changed field by field', async () => {
    const made = await operator.post('/accounts', {
      id: 'shop',
      name: 'فروشگاه',
      rules: { rpm: 100, caps: { daily: '5000.5' } },
      calendar: { month: 'gregorian' },
    });
    expect(made).toMatchObject({
      object: 'account',
      id: 'shop',
      name: 'فروشگاه',
      managed_by: 'operator',
      rules: { rpm: 100, caps: { daily: '5000.5', monthly: null, total: null } },
      calendar: { time_zone: 'Asia/Tehran', month: 'gregorian' },
    });
    expect(await operator.get('/accounts/shop')).toEqual(made);
    const changed = await operator.patch('/accounts/shop', { rules: { rpm: null }, name: 'Shop' });
    expect(changed).toMatchObject({ name: 'Shop', rules: { rpm: null, caps: { daily: '5000.5' } } });
    for (let index = 0; index < 5; index++) await operator.post('/accounts', { name: `page ${index}` });
    const ids = await operator.allPages('/accounts', 2);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThanOrEqual(7);
  });

  it('are found by beginnings of words of the id or the name, whatever their letters mean to the database', async () => {
    await operator.post('/accounts', { id: 'north-100', name: 'Caf_é 50% شمال' });
    await operator.post('/accounts', { id: 'north-200', name: 'Cafxé 50 شمال' });
    const found = (q: string) => operator.allPages(`/accounts?q=${encodeURIComponent(q)}`, 1);
    expect(await found('NORTH-')).toEqual(['north-200', 'north-100']);
    expect(await found('شمال')).toEqual(['north-200', 'north-100']);
    expect(await found(' caf_ ')).toEqual(['north-100']);
    expect(await found('50%')).toEqual(['north-100']);
    for (const nothing of ['\\', "' or '1'='1", 'nobody-has-this']) expect(await found(nothing)).toEqual([]);
    for (const refused of ['x'.repeat(255), '%00'])
      expect(await operator.refused('GET', `/accounts?q=${refused}`)).toMatchObject([400, 'q']);
  });

  it('refuse what is unknown, malformed or taken, and name the field', async () => {
    expect(await operator.refused('POST', '/accounts', { name: 'x', colour: 'red' })).toMatchObject([400, 'colour']);
    expect(await operator.refused('POST', '/accounts', {})).toMatchObject([400, 'name']);
    expect(await operator.refused('POST', '/accounts', { name: 7 })).toMatchObject([400, 'name']);
    expect(await operator.refused('POST', '/accounts', { name: 'x', rules: { rpm: -1 } })).toMatchObject([
      400,
      'rules.rpm',
    ]);
    expect(await operator.refused('POST', '/accounts', { name: 'x', rules: { caps: { weekly: 1 } } })).toMatchObject([
      400,
      'rules.caps.weekly',
    ]);
    expect(
      await operator.refused('POST', '/accounts', { name: 'x', calendar: { time_zone: 'Mars/Base' } }),
    ).toMatchObject([400, 'calendar.time_zone']);
    expect(await operator.refused('POST', '/accounts', { id: 'acme', name: 'x' })).toMatchObject([409, 'id']);
    expect(await operator.refused('GET', '/accounts/nobody')).toMatchObject([404, null]);
    expect(await operator.refused('GET', '/accounts?limit=0')).toMatchObject([400, 'limit']);
    expect(await operator.refused('GET', '/accounts?after=%21')).toMatchObject([400, 'after']);
    expect(await operator.refused('GET', '/accounts?colour=red')).toMatchObject([400, 'colour']);
  });

  it('of the configuration file stay as the file says', async () => {
    expect(await operator.refused('PATCH', '/accounts/acme', { name: 'other' })).toMatchObject([409, null]);
  });
});

describe('keys', () => {
  it('are made with a text that is shown once', async () => {
    const made = await operator.post('/keys', {
      account_id: 'shop',
      name: 'backend',
      rules: { default_model: 'mock/chat' },
    });
    const text = made['key'] as string;
    expect(text).toMatch(/^dg-[0-9A-Za-z]{49}$/);
    const { key: _, ...rest } = made;
    expect(await operator.get(`/keys/${made['id']}`)).toEqual(rest);
    const everything = JSON.stringify([
      await operator.get('/keys'),
      await operator.get('/keys?account_id=shop'),
      await operator.get('/events'),
    ]);
    expect(everything).not.toContain(text);
  });

  it('obey every change within a second', async () => {
    await operator.post('/accounts/shop/transfers', { id: 'seed-shop', kind: 'top-up', amount: 1000 });
    const { id, key } = await operator.post<Fresh>('/keys', { account_id: 'shop', name: 'watched' });
    await operator.soon(async () => (await ask(key)).status, 200);
    await operator.post(`/keys/${id}/pause`);
    await operator.soon(() => codeOf(ask(key)), 'key_paused');
    await operator.post(`/keys/${id}/resume`);
    await operator.soon(async () => (await ask(key)).status, 200);
    await operator.patch(`/keys/${id}`, { rules: { models: ['mock/two'] } });
    await operator.soon(() => codeOf(ask(key)), 'model_not_allowed');
    expect((await ask(key, 'mock/two')).status).toBe(200);
    const rotated = await operator.post<Fresh>(`/keys/${id}/rotate`);
    expect(rotated.key).not.toBe(key);
    await operator.soon(() => codeOf(ask(key)), 'invalid_api_key');
    await operator.soon(async () => (await ask(rotated.key, 'mock/two')).status, 200);
    await operator.post(`/keys/${id}/revoke`);
    await operator.soon(() => codeOf(ask(rotated.key, 'mock/two')), 'invalid_api_key');
    expect(await operator.refused('POST', `/keys/${id}/resume`)).toMatchObject([409, null]);
  });

  it('may not exceed their account, and those of the file may not be changed', async () => {
    await operator.patch('/accounts/shop', { rules: { rpm: 10 } });
    const above = { account_id: 'shop', name: 'x', rules: { rpm: 11 } };
    expect(await operator.refused('POST', '/keys', above)).toMatchObject([400, 'rules.rpm']);
    expect(await operator.refused('POST', '/keys', { account_id: 'none', name: 'x' })).toMatchObject([404, null]);
    const { data } = await operator.get<{ data: { id: string }[] }>('/keys?account_id=acme');
    expect(await operator.refused('POST', `/keys/${data[0]?.id}/revoke`)).toMatchObject([409, null]);
    await operator.patch('/accounts/shop', { rules: { rpm: null } });
  });

  it('show what they spent per period', async () => {
    const { id, key } = await operator.post<Fresh>('/keys', {
      account_id: 'shop',
      name: 'spender',
      rules: { caps: { daily: 100 } },
    });
    await operator.soon(async () => (await ask(key)).status, 200);
    await operator.soon(async () => {
      const { spend } = await operator.get<{ spend: Record<string, string>[] }>(`/keys/${id}/spend`);
      const daily = spend.find(({ period }) => period === 'daily');
      return Number(daily?.['spent']) > 0 && daily?.['limit'] === '100' && daily['held'] === '0';
    }, true);
  });
});

describe('the trail', () => {
  it('holds every act with its actor', async () => {
    const { data } = (await operator.get('/events?limit=200')) as { data: { action: string; actor: string }[] };
    const actions = new Set(data.filter(({ actor }) => actor === 'operator').map(({ action }) => action));
    for (const action of [
      'account.create',
      'account.update',
      'key.create',
      'key.pause',
      'key.resume',
      'key.rotate',
      'key.revoke',
    ])
      expect(actions).toContain(action);
    expect(actions).toContain('credit.top-up');
    const { data: own } = await operator.get<{ data: { subject: string }[] }>('/events?subject=shop');
    expect(new Set(own.map(({ subject }) => subject))).toEqual(new Set(['shop']));
  });
});

interface Fresh {
  id: string;
  key: string;
}

async function errorOf(response: Response): Promise<{ code: string; param: string | null }> {
  return ((await response.json()) as { error: { code: string; param: string | null } }).error;
}

async function codeOf(answer: Promise<Response>): Promise<string> {
  const response = await answer;
  return response.status === 200 ? 'none' : (await errorOf(response)).code;
}
