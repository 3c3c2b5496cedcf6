/** What people who just began run into: slips that must be named, and answers that must say what is meant. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
}, 120_000);
afterAll(() => gateway.stop());

const messages = [{ role: 'user', content: 'hello' }];

interface Refusal {
  error: { message: string; code: string; param?: string; [detail: string]: unknown };
}

async function refusal(response: Response): Promise<Refusal['error'] & { status: number }> {
  const { error } = (await response.json()) as Refusal;
  return { ...error, status: response.status };
}

async function newKey(rules: object): Promise<{ status: number; id: string; key: string; error?: Refusal['error'] }> {
  const response = await gateway.admin('POST', '/api/admin/keys', { account_id: 'acme', name: 'rules', rules });
  return { status: response.status, ...((await response.json()) as { id: string; key: string }) };
}

const english = { headers: { 'accept-language': 'en' } };

describe('a slip in svc', () => {
  it.each([
    [{ knowledge_bases: ['kb_1'] }, 'svc.knowledge_bases', 'svc.knowledge_base_ids'],
    [{ routing: { onlyy: ['x'] } }, 'svc.routing.onlyy', 'svc.routing.only'],
    [{ routing: { max_price: { imput: 1 } } }, 'svc.routing.max_price.imput', 'svc.routing.max_price.input'],
  ])('%j is refused by name, with what was probably meant', async (svc, param, near) => {
    const refused = await refusal(await gateway.chat({ model: 'mock/chat', messages, svc }, english));
    expect(refused).toMatchObject({ status: 400, code: 'invalid_request', param });
    expect(refused.message).toContain(near);
  });
});

describe('a model that does not exist', () => {
  it('is named in the refusal, with the nearest one that the key may use', async () => {
    const refused = await refusal(await gateway.chat({ model: 'mock/chatt', messages }));
    expect(refused).toMatchObject({ status: 404, code: 'model_not_found', did_you_mean: 'mock/chat' });
    expect(refused.message).toContain('«mock/chatt»');
    expect(refused.message).toContain('«mock/chat»');
  });

  it('suggests nothing that the key may not use', async () => {
    const { key } = await newKey({ models: ['mock/claude'] });
    const refused = await refusal(await gateway.chat({ model: 'mock/chatt', messages }, { key }));
    expect(refused.message).not.toContain('«mock/chat»');
  });

  it('is refused in rules, of a key and of an account', async () => {
    const models = await newKey({ models: ['mock/chat', 'mock/chatt'] });
    expect(models).toMatchObject({ status: 400, error: { param: 'rules.models.1' } });
    expect(models.error?.message).toContain('mock/chat');
    expect(await newKey({ models: ['group:no-such'] })).toMatchObject({ status: 400 });
    expect(await newKey({ default_model: 'nobody/nothing' })).toMatchObject({ status: 400 });
    const account = await gateway.admin('PATCH', '/api/admin/accounts/acme', { rules: { models: ['x/y'] } });
    expect(account.status).toBe(400);
  });
});

describe('a caller from an address that is not allowed', () => {
  it('learns which address that is', async () => {
    const { key } = await newKey({ ips: ['203.0.113.7'] });
    const refused = await refusal(await gateway.chat({ model: 'mock/chat', messages }, { key }));
    expect(refused).toMatchObject({ status: 403, code: 'ip_not_allowed', ip: '127.0.0.1' });
    expect(refused.message).toContain('127.0.0.1');
  });
});

describe('a key with a list of endpoints', () => {
  it('may always read its own rules and receipts', async () => {
    const { key } = await newKey({ endpoints: ['embeddings'] });
    expect((await gateway.fetch('/api/v1/key', { key })).status).toBe(200);
    expect((await gateway.fetch('/api/v1/requests/req_unknown', { key })).status).toBe(404);
    expect((await gateway.chat({ model: 'mock/chat', messages }, { key })).status).toBe(403);
  });
});

describe('a wrong base address', () => {
  it.each([
    ['/v1/chat/completions', '/api/v1/chat/completions'],
    ['/api/chat/completions', '/api/v1/chat/completions'],
    ['/api/v1/v1/messages', '/api/v1/messages'],
    ['/v1/messages/count_tokens', '/api/v1/messages/count_tokens'],
    ['/openai/v1/embeddings', '/api/v1/embeddings'],
    ['/chat/completions', '/api/v1/chat/completions'],
    ['/api/v1/chat/completions/chat/completions', '/api/v1/chat/completions'],
    ['/api/responses?x=1', '/api/v1/responses'],
    ['/v1/knowledge_bases', '/api/v1/knowledge_bases'],
    ['/v1/conversations', '/api/v1/conversations'],
  ])('%s gets a 404 that names %s', async (path, right) => {
    const refused = await refusal(await gateway.fetch(path, { method: 'POST', body: '{}', ...english }));
    expect(refused).toMatchObject({ status: 404, code: 'not_found', correct_path: right });
    expect(refused.message).toContain(right);
  });

  it('is not suspected behind an address that means nothing', async () => {
    const refused = await refusal(await gateway.fetch('/api/v1/nothing'));
    expect(refused).toMatchObject({ status: 404, code: 'not_found' });
    expect(refused).not.toHaveProperty('correct_path');
  });
});

describe('a refused request', () => {
  it('keeps its model in the log, and is counted apart from answered ones', async () => {
    const { key, id: keyId } = await newKey({ models: ['mock/chat'] });
    expect((await gateway.chat({ model: 'mock/chat', messages }, { key })).status).toBe(200);
    expect((await gateway.chat({ model: 'mock/claude', messages }, { key })).status).toBe(403);
    expect((await gateway.chat({ model: 'no/such', messages }, { key })).status).toBe(404);
    const listed = async () => {
      const response = await gateway.admin('GET', `/api/admin/requests?key_id=${keyId}`);
      const { data } = (await response.json()) as { data: { model: string; state: string }[] };
      return data.map(({ model, state }) => `${model} ${state}`).sort();
    };
    await eventually(async () =>
      expect(await listed()).toEqual(['mock/chat completed', 'mock/claude refused', 'no/such refused']),
    );
    const usage = await gateway.admin('GET', '/api/admin/usage?from=1405/01/01&to=1500-01-01&group_by=key,model');
    const { data } = (await usage.json()) as { data: { key_id: string; model: string }[] };
    const ofKey = data.filter((row) => row.key_id === keyId).sort((a, b) => a.model.localeCompare(b.model));
    expect(ofKey).toMatchObject([
      { model: '', requests: 0, refused: 1 },
      { model: 'mock/chat', requests: 1, refused: 0 },
      { model: 'mock/claude', requests: 0, refused: 1 },
    ]);
  });
});

describe('a receipt', () => {
  it('names no supplier to a customer, unless the operator says so', async () => {
    const answered = await gateway.chat({ model: 'mock/chat', messages });
    const id = answered.headers.get('x-svc-request-id') ?? '';
    const receipt = async () => (await gateway.fetch(`/api/v1/requests/${id}`)).text();
    const full = await (await gateway.admin('GET', `/api/admin/requests/${id}`)).json();
    const { provider } = full as { provider: string };
    expect(JSON.stringify(full)).toContain(`"provider":"${provider}"`);
    const hidden = await receipt();
    expect(hidden).toContain('"provider":"route-1"');
    expect(hidden).not.toContain(provider);
    expect((await gateway.admin('PATCH', '/api/admin/settings', { suppliers_shown: true })).status).toBe(200);
    expect(await receipt()).toContain(`"provider":"${provider}"`);
    await gateway.admin('PATCH', '/api/admin/settings', { suppliers_shown: false });
  });
});

describe('settings', () => {
  it('are shown as they apply, with where they come from', async () => {
    const view = (await (await gateway.admin('GET', '/api/admin/settings')).json()) as {
      exchange_rate: string;
      sources: Record<string, string>;
      limits: Record<string, number>;
    };
    expect(view).toMatchObject({ exchange_rate: '100000', margin: '0.1' });
    expect(view.sources).toMatchObject({ exchange_rate: 'default', suppliers_shown: 'database' });
    expect(view.limits['log_retention_days']).toBe(90);
    expect(view.sources['log_retention_days']).toBe('default');
  });

  it('an exchange rate alone applies, and the margin stays', async () => {
    const refresh = await gateway.admin('POST', '/api/admin/catalog/refresh', { exchange_rate: 120_000 });
    expect(refresh.status).toBe(200);
    const view = await (await gateway.admin('GET', '/api/admin/settings')).json();
    expect(view).toMatchObject({ exchange_rate: '120000', margin: '0.1', sources: { exchange_rate: 'database' } });
  });
});

describe('dates', () => {
  it.each([
    ['1406/01/01', '2027-03-20T20:30:00.000Z'],
    ['۱۴۰۶-۰۱-۰۱', '2027-03-20T20:30:00.000Z'],
    ['1406-01-01 12:00', '2027-03-21T08:30:00.000Z'],
    ['2027-03-21', '2027-03-20T20:30:00.000Z'],
    ['2027-03-21T00:00:00Z', '2027-03-21T00:00:00.000Z'],
  ])('%s is understood', async (given, meant) => {
    const { id } = await newKey({ expires_at: given });
    const shown = (await (await gateway.admin('GET', `/api/admin/keys/${id}`)).json()) as { rules: object };
    expect(shown.rules).toMatchObject({ expires_at: meant });
  });

  it.each(['1406/07/31', '2027-02-30', '1406-13-01', 'tomorrow', '1406/01/01 25:00'])(
    '%s is refused',
    async (given) => {
      expect(await newKey({ expires_at: given })).toMatchObject({ status: 400, error: { param: 'rules.expires_at' } });
    },
  );
});
