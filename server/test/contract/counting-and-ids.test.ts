/** Traps of coding agents: token counting in bursts, with system and tools; bare model ids; the wording they act on. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  const accounts = [
    { id: 'acme', name: 'Acme', balance: 1000, keys: [{ id: 'main', key: 'dg-test-main', rules: { rpm: 2 } }] },
  ];
  gateway = await startGateway({ config: { accounts } });
});
afterAll(() => gateway.stop());

const post = (path: string, body: object) =>
  gateway.fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
const messages = [{ role: 'user', content: 'hello' }];
const count = async (more: object = {}) => {
  const reply = await post('/api/v1/messages/count_tokens?beta=true', { model: 'mock/chat', messages, ...more });
  expect(reply.status).toBe(200);
  return ((await reply.json()) as { input_tokens: number }).input_tokens;
};

describe('count_tokens', () => {
  it('counts the system text and the tools, not only the messages', async () => {
    const bare = await count();
    const input_schema = {
      type: 'object',
      properties: { city: { type: 'string', description: 'The city to look up' } },
    };
    expect(await count({ system: 'You answer in rhymes. '.repeat(50) })).toBeGreaterThan(bare + 100);
    expect(
      await count({ tools: [{ name: 'weather', description: 'Looks up the weather', input_schema }] }),
    ).toBeGreaterThan(bare + 300);
  });

  it('asks a provider of the protocol, which counts exactly, without what only generating needs', async () => {
    gateway.vendor.next(json(200, { input_tokens: 4_321 }));
    const asked = {
      model: 'mock/claude',
      temperature: 0.5,
      svc: {},
      tools: [{ name: 'f', input_schema: { type: 'object' } }],
    };
    expect(await count(asked)).toBe(4_321);
    const { path, body } = await gateway.vendor.received(0);
    expect(path).toContain('/v1/messages/count_tokens');
    expect(body).toMatchObject({ model: 'up-model', messages, tools: [{ name: 'f' }] });
    for (const field of ['max_tokens', 'temperature', 'svc', 'stream']) expect(body).not.toHaveProperty(field);
    gateway.vendor.reset();
  });

  it('counts itself where that provider fails', async () => {
    gateway.vendor.next(json(500, { type: 'error', error: { type: 'api_error', message: 'no' } }));
    expect(await count({ model: 'mock/claude' })).toBeGreaterThan(0);
    gateway.vendor.reset();
  });

  it('takes a burst of 40 beside an RPM of 2, asks no provider and costs nothing', async () => {
    await Promise.all(Array.from({ length: 40 }, () => count()));
    expect(gateway.vendor.requests).toHaveLength(0);
    const key = (await (await gateway.fetch('/api/v1/key')).json()) as { wallet: { balance: string; held: string } };
    expect(key.wallet).toMatchObject({ balance: '1000', held: '0' });
  });
});

describe('responses/input_tokens', () => {
  const input = async (body: object): Promise<number> => {
    const reply = await post('/api/v1/responses/input_tokens', { model: 'mock/chat', ...body });
    expect(reply.status).toBe(200);
    const counted = (await reply.json()) as { object: string; input_tokens: number };
    expect(counted.object).toBe('response.input_tokens');
    return counted.input_tokens;
  };

  it('counts instructions, tools and earlier turns; asks nobody and costs nothing', async () => {
    gateway.vendor.reset();
    const bare = await input({ input: 'hello' });
    expect(await input({ input: 'hello', instructions: 'You answer in rhymes. '.repeat(50) })).toBeGreaterThan(
      bare + 100,
    );
    const stored = await post('/api/v1/responses', { model: 'mock/chat', input: 'long ago '.repeat(200) });
    const { id } = (await stored.json()) as { id: string };
    gateway.vendor.reset();
    expect(await input({ input: 'hello', previous_response_id: id })).toBeGreaterThan(bare + 200);
    expect(gateway.vendor.requests).toHaveLength(0);
  });

  it('refuses what a turn would refuse', async () => {
    const unknown = await post('/api/v1/responses/input_tokens', { model: 'mock/none', input: 'hi' });
    expect(unknown.status).toBe(404);
    const before = await post('/api/v1/responses/input_tokens', {
      model: 'mock/chat',
      input: 'hi',
      previous_response_id: 'resp_none',
    });
    expect(((await before.json()) as { error: { param: string } }).error.param).toBe('previous_response_id');
  });
});

describe('an id without its vendor', () => {
  it('is not found, in both protocols', async () => {
    for (const path of ['/api/v1/chat/completions', '/api/v1/messages']) {
      const reply = await post(path, { model: 'claude', messages, max_tokens: 5 });
      expect(reply.status).toBe(404);
      expect(((await reply.json()) as { error: { code: string } }).error.code).toBe('model_not_found');
    }
  });
});

describe('a prompt that is too long for the provider', () => {
  it('is told in the English words coding agents act on', async () => {
    const error = { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' };
    gateway.vendor.next(json(400, { type: 'error', error }));
    const reply = await post('/api/v1/messages', { model: 'mock/claude', messages, max_tokens: 5 });
    expect(reply.status).toBe(400);
    const body = (await reply.json()) as { error: { message: string; code: string } };
    expect(body.error).toMatchObject({ code: 'invalid_request', message: error.message });
  });
});
