/** What can be read: models in both protocols, the calling key, receipts, addresses that do not exist, and the machine's own. */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError, expectEveryResponse } from '../errors/expect-error.ts';
import { answer, faults } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';

let gateway: TestGateway;

const accounts = [
  {
    id: 'acme',
    balance: 100_000,
    rules: { rpm: 500, caps: { monthly: 5_000 } },
    keys: [
      {
        id: 'main',
        name: 'Main key',
        key: 'dg-test-main',
        rules: { default_model: 'mock/chat', rpm: 300, tpm: 100_000, caps: { daily: 1_000 } },
      },
      { id: 'cheap', key: 'dg-test-cheap', rules: { max_price: { input: 15_000, output: 59_999 } } },
      { id: 'one', key: 'dg-test-one', rules: { models: ['mock/claude'], stream_usage: 'always' } },
    ],
  },
  { id: 'other', balance: 1, keys: [{ id: 'other', key: 'dg-test-other' }] },
];

beforeAll(async () => {
  gateway = await startGateway({ config: { accounts } });
});
afterAll(() => gateway.stop());

type Body = Record<string, unknown>;
const read = async (path: string, key?: string) =>
  (await (await gateway.fetch(path, key === undefined ? {} : { key })).json()) as Body;

describe('GET /models', () => {
  it('is a list of both shapes at once', async () => {
    const response = await gateway.fetch('/api/v1/models');
    expectEveryResponse(response);
    const list = (await response.json()) as { data: Body[] } & Body;
    expect(list).toMatchObject({ object: 'list', has_more: false, first_id: list.data[0]?.['id'] });
    expect(list['last_id']).toBe(list.data.at(-1)?.['id']);
    const model = list.data.find(({ id }) => id === 'mock/chat');
    expect(model).toMatchObject({ object: 'model', owned_by: 'mock', type: 'model', context_length: 128_000 });
    expect(model).toMatchObject({ pricing: { currency: 'toman', input: 15_000, output: 60_000 } });
    expect(model?.['categories']).toEqual(['popular', 'economical']);
    expect(model?.['capabilities']).toContain('vision');
    expect(model?.['created']).toBeTypeOf('number');
    expect(Date.parse(String(model?.['created_at']))).not.toBeNaN();
    expect(model?.['display_name']).toBeTypeOf('string');
  });

  it('is read by both official SDKs', async () => {
    const openai = new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key, maxRetries: 0 });
    const anthropic = new Anthropic({ baseURL: `${gateway.origin}/api`, apiKey: gateway.key, maxRetries: 0 });
    const first: string[] = [];
    for await (const { id } of openai.models.list()) first.push(id);
    const second: string[] = [];
    for await (const { id } of anthropic.models.list({ limit: 1000 })) second.push(id);
    expect(first).toContain('mock/chat');
    expect(second).toEqual(first);
    expect((await openai.models.retrieve('mock/chat')).owned_by).toBe('mock');
    expect((await anthropic.models.retrieve('mock/chat')).type).toBe('model');
  });

  it('lists and shows only what the key may use', async () => {
    const list = (await read('/api/v1/models', 'dg-test-one')) as { data: Body[] };
    expect(list.data.map(({ id }) => id)).toEqual(['mock/claude']);
    await expectError(await gateway.fetch('/api/v1/models/mock/chat', { key: 'dg-test-one' }), 'model_not_found');
  });

  it.each(['mock/chat', 'mock%2Fchat', 'mock%2fchat'])('shows one: %s', async (id) => {
    expect(await read(`/api/v1/models/${id}`)).toMatchObject({ id: 'mock/chat', object: 'model' });
  });

  it.each(['chat', 'mock', 'mock/none'])('%s is not found', async (id) => {
    await expectError(await gateway.fetch(`/api/v1/models/${id}`), 'model_not_found', { param: 'model' });
  });

  it('names the id that is not there, and the nearest that the key may use', async () => {
    const { message, ...shown } = await refusal('mock/chatt');
    expect(message).toContain('mock/chatt');
    expect(shown).toMatchObject({ did_you_mean: 'mock/chat' });
    expect(await refusal('mock/chatt', 'dg-test-one')).not.toMatchObject({ did_you_mean: 'mock/chat' });
  });

  async function refusal(id: string, key?: string): Promise<Body> {
    const answered = await gateway.fetch(`/api/v1/models/${id}`, key === undefined ? {} : { key });
    expect(answered.status).toBe(404);
    return ((await answered.json()) as { error: Body }).error;
  }
});

describe('GET /credits', () => {
  it('what was credited less what was used is the balance', async () => {
    const before = (await read('/api/v1/credits')) as { data: { total_credits: number; total_usage: number } };
    const { wallet } = (await read('/api/v1/key')) as { wallet: { balance: string } };
    expect(before.data.total_credits - before.data.total_usage).toBeCloseTo(Number(wallet.balance), 6);
    expect(before.data.total_usage).toBeGreaterThanOrEqual(0);
  });
});

describe('GET /key', () => {
  it('has every promised field', async () => {
    const key = await read('/api/v1/key');
    expect(key).toMatchObject({
      object: 'key',
      account_id: 'acme',
      name: 'Main key',
      paused: false,
      expires_at: null,
      default_model: 'mock/chat',
      models: null,
      endpoints: null,
      limits: {
        requests: { limit: 300, remaining: 300, reset_ms: 0 },
        tokens: { limit: 100_000, remaining: 100_000, reset_ms: 0 },
        account_requests: { limit: 500, remaining: 500, reset_ms: 0 },
      },
      wallet: { balance: '100000', held: '0', available: '100000' },
    });
    expect(key['id']).toBeTypeOf('string');
    expect(key['caps']).toMatchObject([
      { scope: 'key', period: 'daily', limit: '1000', spent: '0', held: '0', remaining: '1000' },
      { scope: 'account', period: 'monthly', limit: '5000', spent: '0', held: '0', remaining: '5000' },
    ]);
    for (const cap of key['caps'] as Body[]) expect(Date.parse(String(cap['resets_at']))).not.toBeNaN();
  });
});

describe('GET /requests/{id}', () => {
  const messages = [{ role: 'user', content: 'hello' }];

  it('is there right after the answer, adds up, and is the wallet’s reason', async () => {
    gateway.vendor.next(answer({ text: 'Hi.', usage: { input: 100, cached: 40, output: 10 } }));
    const response = await gateway.chat({ messages, user: 'customer-7' });
    const id = response.headers.get('x-svc-request-id');
    const receipt = await read(`/api/v1/requests/${id}`);
    expect(receipt).toMatchObject({
      object: 'request',
      id,
      endpoint: 'chat.completions',
      model: 'mock/chat',
      stream: false,
      state: 'completed',
      error: null,
      usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
      usage_source: 'upstream',
      cost: '1.8',
    });
    // 60 × 15,000 + 40 × 7,500 + 10 × 60,000
    expect(receipt['formula']).toMatch(/60 × 15000.*= 1800000 µT/);
    expect(response.headers.get('x-svc-cost')).toBe('1.8');
    expect(Number(receipt['held'])).toBeGreaterThan(0);
    expect((receipt['price'] as Body)['version']).toBeTypeOf('string');
    expect(Date.parse(String(receipt['created_at']))).not.toBeNaN();
    const [attempt] = receipt['attempts'] as Body[];
    expect(attempt).toMatchObject({ provider: 'route-1', outcome: 'ok', status: 200 });
    for (const field of ['started_at', 'first_event_ms', 'duration_ms']) expect(attempt).toHaveProperty(field);
    await eventually(async () => expect(await read('/api/v1/key')).toMatchObject({ wallet: { balance: '99998.2' } }));
    expect(await read('/api/v1/key')).toMatchObject({ caps: [{ spent: '1.8', remaining: '998.2' }, { spent: '1.8' }] });
  });

  it('tells of refused and failed requests too', async () => {
    const refused = await gateway.chat({ model: 'mock/none', messages });
    const id = refused.headers.get('x-svc-request-id');
    const receipt = await read(`/api/v1/requests/${id}`);
    expect(receipt).toMatchObject({ state: 'refused', error: { code: 'model_not_found' }, cost: '0' });
    gateway.vendor.next(faults.failWith(500), faults.failWith(500));
    const failed = await gateway.chat({ model: 'mock/gemini', messages });
    expect(await read(`/api/v1/requests/${failed.headers.get('x-svc-request-id')}`)).toMatchObject({
      state: 'failed',
      error: { code: 'upstream_error' },
      cost: '0',
    });
  });

  it("another account's is not found, like one that never was", async () => {
    const id = (await gateway.chat({ messages })).headers.get('x-svc-request-id');
    await expectError(await gateway.fetch(`/api/v1/requests/${id}`, { key: 'dg-test-other' }), 'not_found');
    await expectError(await gateway.fetch('/api/v1/requests/req_0000'), 'not_found');
  });
});

describe('addresses that do not exist', () => {
  it.each([
    '/api/chat/completions',
    '/api/models',
    '/api/embeddings',
    '/api/responses',
    '/api/audio/speech',
    '/api/key',
  ])('%s says that /v1 is missing', async (path) => {
    const response = await gateway.fetch(path, { key: null, headers: { 'accept-language': 'en' } });
    const error = await expectError(response, 'not_found', { language: 'en' });
    expect(error.message).toContain('/api/v1');
  });

  it.each(['/api/v1/nothing', '/nothing.php', '/api/v2/models'])('%s is not found, key or no key', async (path) => {
    await expectError(await gateway.fetch(path), 'not_found');
    await expectError(await gateway.fetch(path, { key: null }), 'not_found');
  });

  it.each(['/api', '/api/api/hello', '/api/v1/messages', '/nothing'])('HEAD %s answers without a key', async (path) => {
    const response = await gateway.fetch(path, { method: 'HEAD', key: null });
    expect([200, 404]).toContain(response.status);
    expect(await response.text()).toBe('');
    expectEveryResponse(response);
  });

  it('a method that an address does not know is not found', async () => {
    await expectError(await gateway.fetch('/api/v1/chat/completions', { method: 'GET' }), 'not_found');
    await expectError(await gateway.fetch('/api/v1/models', { method: 'DELETE' }), 'not_found');
  });
});

describe('for machines', () => {
  it('/healthz and /readyz', async () => {
    expect(await read('/healthz')).toEqual({ status: 'ok' });
    expect(await read('/readyz')).toMatchObject({ status: 'ready', draining: false, database: 'ok' });
    expect(await read('/readyz')).toMatchObject({
      journal: { accepting: true, writing: true, set_aside: 0 },
      poster: { consecutive_failures: 0 },
      upstream: { running: expect.any(Number), connected: expect.any(Number), queued: 0 },
    });
  });

  it('what operators call is counted as theirs, and what was set aside is shown to them', async () => {
    expect((await gateway.admin('GET', '/api/admin/accounts/no-such-account')).status).toBe(404);
    const text = await (await gateway.admin('GET', '/metrics')).text();
    expect(text).toMatch(/dargah_refusals_total\{[^}]*endpoint="operator"[^}]*\} [1-9]/);
    expect(text).toContain('dargah_charges_set_aside 0');
    expect(await (await gateway.admin('GET', '/api/admin/charges/set-aside')).json()).toMatchObject({ data: [] });
  });

  it.each(['/healthz', '/readyz', '/metrics'])('%s carries an id and rates like every response', async (path) => {
    expectEveryResponse(await gateway.fetch(path, { key: null }));
  });

  it('/metrics has every promised series', async () => {
    await gateway.chat({ messages: [{ role: 'user', content: 'hi' }] });
    await gateway.chat({ model: 'mock/none', messages: [{ role: 'user', content: 'hi' }] });
    const response = await gateway.admin('GET', '/metrics');
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
    const text = await response.text();
    const series: [what: string, line: RegExp][] = [
      ['requests', /^dargah_requests_total\{[^}]*endpoint="chat.completions"[^}]*\} [1-9]/m],
      ['latency', /^dargah_request_duration_seconds_bucket\{/m],
      ['time to first token', /^dargah_time_to_first_token_seconds_count\{[^}]*\} [1-9]/m],
      ['tokens', /^dargah_tokens_total\{[^}]*bucket="output"[^}]*\} [1-9]/m],
      ['cost', /^dargah_cost_toman_total\{[^}]*model="mock\/chat"[^}]*\} [\d.]+/m],
      ['upstream attempts', /^dargah_upstream_attempts_total\{[^}]*outcome="ok"[^}]*\} [1-9]/m],
      ['admission refusals', /^dargah_refusals_total\{[^}]*reason="model_not_found"[^}]*\} [1-9]/m],
      ['journal depth', /^dargah_journal_depth \d/m],
      ['event-loop lag', /^dargah_event_loop_lag_seconds [\d.]+/m],
    ];
    for (const [what, line] of series) expect(line.test(text), what).toBe(true);
    expect(text).not.toMatch(/dg-|up-chat|hello/);
  });
});

describe('after a restart', () => {
  it('receipts and the wallet are as they were', async () => {
    const id = (await gateway.chat({ messages: [{ role: 'user', content: 'once' }] })).headers.get('x-svc-request-id');
    const before = await read(`/api/v1/requests/${id}`);
    await eventually(async () => expect(await read('/readyz')).toMatchObject({ journal: { depth: 0 } }));
    const { wallet } = await read('/api/v1/key');
    const { vendor, dataDir } = gateway;
    await gateway.stop({ keepData: true });
    // The first stop has closed the vendor; receipts need none.
    gateway = await startGateway({ config: { accounts }, dataDir });
    expect(await read(`/api/v1/requests/${id}`)).toEqual(before);
    expect((await read('/api/v1/key'))['wallet']).toEqual(wallet);
    expect(vendor.openSockets).toBe(0);
  });
});

describe('GET /prices', () => {
  interface Prices {
    data: { model: string; from: string; pricing: { input?: number; version: string } }[];
  }
  const prices = async (query: string, key?: string) =>
    (await read(`/api/v1/prices${query}`, key)) as unknown as Prices;

  it('lists the changes of what the key may use, newest first, and those of one model', async () => {
    const all = await prices('');
    expect(new Set(all.data.map(({ model }) => model))).toContain('mock/chat');
    expect(all.data.map(({ from }) => from)).toEqual(
      all.data
        .map(({ from }) => from)
        .sort()
        .reverse(),
    );
    const one = await prices('?model=mock/chat');
    const model = await read('/api/v1/models/mock/chat');
    expect(one.data).toMatchObject([{ object: 'price', model: 'mock/chat', pricing: model['pricing'] }]);
    expect((await prices('?model=mock/chat&since=2990-01-01')).data).toEqual([]);
    expect((await prices('?limit=1')).data).toHaveLength(1);
    expect(new Set((await prices('', 'dg-test-one')).data.map(({ model: id }) => id))).toEqual(
      new Set(['mock/claude']),
    );
  });

  it('refuses a model that is not there, and a time that is none', async () => {
    await expectError(await gateway.fetch('/api/v1/prices?model=mock/none'), 'model_not_found', { param: 'model' });
    await expectError(await gateway.fetch('/api/v1/prices?since=soon'), 'invalid_request', { param: 'since' });
  });
});

describe('a key with a highest price', () => {
  it('names it, and lists no model that is dearer', async () => {
    expect(await read('/api/v1/key', 'dg-test-cheap')).toMatchObject({
      max_price: { input: '15000', output: '59999' },
    });
    const ids = ((await read('/api/v1/models', 'dg-test-cheap'))['data'] as { id: string }[]).map(({ id }) => id);
    expect(ids).not.toContain('mock/chat');
    expect(ids).toContain('mock/embed');
  });

  it('is refused by name, with both prices', async () => {
    const refused = await gateway.chat({ model: 'mock/chat', messages: [] }, { key: 'dg-test-cheap' });
    expect(refused.status).not.toBe(200);
    const body = { model: 'mock/chat', messages: [{ role: 'user', content: 'x' }] };
    const error = await expectError(await gateway.chat(body, { key: 'dg-test-cheap' }), 'price_above_limit');
    expect(error).toMatchObject({ side: 'output', price: '60000', limit: '59999' });
    expect(error.message).toContain('59999');
  });
});

describe('a key with stream_usage', () => {
  it('says so, and the last chunk of its streams tells usage unless the request declines', async () => {
    expect(await read('/api/v1/key')).toMatchObject({ stream_usage: null });
    expect(await read('/api/v1/key', 'dg-test-one')).toMatchObject({ stream_usage: 'always' });
    const streamed = async (key: string, more: Body = {}) => {
      const body = { model: 'mock/claude', messages: [{ role: 'user', content: 'hi' }], stream: true, ...more };
      return (await gateway.chat(body, { key })).text();
    };
    expect(await streamed('dg-test-one')).toContain('"total_tokens"');
    expect(await streamed('dg-test-one', { stream_options: { include_usage: false } })).not.toContain('"total_tokens"');
    expect(await streamed('dg-test-main')).not.toContain('"total_tokens"');
  });
});
