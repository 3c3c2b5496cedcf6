/** What answers of this round show on their receipts: the guarantee, own keys, `auto`, data policies, tools, tiers, continuations. */
import { expect } from 'vitest';
import { answer, faults, json } from '../fake-vendor/index.ts';
import type { TestGateway } from '../harness/start-gateway.ts';
import type { Browser } from '../people/client.ts';
import { eventually } from '../services/eventually.ts';

export interface Answered {
  guaranteed: string;
  routed: string;
  continued: string;
  searched: string;
}

const MESSAGES = [{ role: 'user', content: 'نشانی شعبهٔ شیراز؟' }];
const price = { input: 30_000, output: 240_000 };
const cost = { input: 20_000, output: 160_000 };
const route = (provider: string, priority = 1) => ({ provider, model: 'up', priority, cost });

async function staff(gateway: TestGateway, method: string, path: string, body: object): Promise<void> {
  const answered = await gateway.admin(method, `/api/admin${path}`, body);
  expect(answered.ok, `${path}: ${await answered.text()}`).toBe(true);
}

async function sell(gateway: TestGateway): Promise<void> {
  const own = { vendor: 'openai', base_url: gateway.vendor.baseUrls['openai-chat'], api_key: 'sk-service-0000' };
  await staff(gateway, 'POST', '/providers', { id: 'openai', ...own });
  await staff(gateway, 'PATCH', '/providers/openai', {
    data_policy: { training: false, retention_days: 30, region: 'de' },
  });
  const model = (id: string, routes: object[], more: object = {}) =>
    staff(gateway, 'POST', '/models', {
      id,
      routes,
      price: { ...price, ...more },
      context: 128_000,
      max_output: 4_096,
      capabilities: ['tools', 'json_schema', 'streaming', 'prefill'],
    });
  await model('openai/gpt-5-nano', [route('openai')]);
  await model('openai/gpt-5.1', [route('openai'), route('chat-b', 2)]);
  const tools = { web_search: 10_000_000, code_session: 30_000_000, service_tiers: { flex: '0.5', priority: '2' } };
  await model('openai/gpt-5-search', [route('responses-a')], tools);
  await staff(gateway, 'PATCH', '/settings', {
    own_keys: true,
    auto_models: ['anthropic/claude-sonnet-4.5', 'openai/gpt-5.1', 'openai/gpt-5-nano', 'mock/plain'],
  });
}

/** Asks, and gives the receipt's name once it is there. */
async function ask(gateway: TestGateway, customer: Browser, key: string, path: string, body: object): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const init = { key, method: 'POST', headers, body: JSON.stringify(body) };
  const answered = await gateway.fetch(`/api/v1/${path}`, init);
  expect(answered.ok, await answered.text()).toBe(true);
  const id = answered.headers.get('x-svc-request-id') ?? '';
  await eventually(async () => expect((await customer.get(`/requests/${id}`)).status).toBe(200));
  return id;
}

export async function routeAnswers(gateway: TestGateway, customer: Browser, key: string): Promise<Answered> {
  await sell(gateway);
  const { vendor } = gateway;
  const chat = (body: object) => ask(gateway, customer, key, 'chat/completions', { messages: MESSAGES, ...body });
  vendor.next(
    faults.cutAfter(4, 'reset', { text: 'شعبهٔ شیراز در خیابان زند است.', pieces: 9 }),
    answer({ text: ' است.', usage: { input: 900, output: 40 } }),
  );
  const continued = await chat({ model: 'openai/gpt-5.1', stream: true, svc: { routing: { continue: true } } });
  vendor.reset();
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const strict = { name: 'place', strict: true, schema: { ...schema, additionalProperties: false } };
  vendor.choose(() => answer({ text: '{"city": 7', usage: { input: 900, output: 40 } }));
  const guaranteed = await chat({
    model: 'deepseek/deepseek-chat',
    response_format: { type: 'json_schema', json_schema: strict },
    svc: { guarantee: true },
  });
  vendor.reset();
  const found = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } };
  const content = [{ type: 'output_text', text: 'خیابان زند', annotations: [] }];
  vendor.next(
    json(200, {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      status: 'completed',
      model: 'up',
      service_tier: 'flex',
      output: [found, { type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content }],
      usage: { input_tokens: 4_100, output_tokens: 310, total_tokens: 4_410 },
      tool_usage: { web_search: { num_requests: 1 } },
    }),
  );
  const searched = await ask(gateway, customer, key, 'responses', {
    model: 'openai/gpt-5-search',
    input: 'نشانی شعبهٔ شیراز؟',
    tools: [{ type: 'web_search' }],
    service_tier: 'flex',
  });
  await eventually(async () =>
    expect(
      (await customer.post('/provider-keys', { provider: 'openai', secret: 'sk-of-the-customer-7f3A' })).status,
    ).toBe(201),
  );
  // What the vendor publishes: with a key of one's own the operator's terms do not hold.
  const data = { no_training: true, max_retention_days: 30 };
  const routed = await chat({ model: 'auto', max_tokens: 60, svc: { routing: { data } } });
  return { guaranteed, routed, continued, searched };
}
