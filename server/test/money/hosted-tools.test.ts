/** Tools that the provider runs, and its service tiers: bounded, held for, charged by report, with the official clients. */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Receipt, receiptOf, settledReceipt } from '../audio/audio-gateway.ts';
import { expectError } from '../errors/expect-error.ts';
import { faults, json, rawStream } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { wholeProof } from '../harness/whole-proof.ts';

/** A toman a token, ten a search, two a page, three a file search, thirty a session. */
const TOKENS = { input: 1_000_000, output: 1_000_000 };
const TOOLS = {
  web_search: 10_000_000,
  web_fetch: 2_000_000,
  file_search: 3_000_000,
  code_session: 30_000_000,
  image_tool_input: 1_000_000,
  image_tool_output: 2_000_000,
};
const TIERS = { flex: '0.5', priority: '2', fast: 6 };
const model = (id: string, provider: string, price: object) => ({
  id,
  routes: [{ provider, model: 'up' }],
  price,
  context: 1_000_000,
  max_output: 100,
  capabilities: ['streaming', 'tools'],
});
const MODELS = [
  model('mock/gpt', 'responses-a', { ...TOKENS, ...TOOLS }),
  model('mock/claude', 'messages-a', { ...TOKENS, ...TOOLS }),
  model('mock/bare', 'responses-a', TOKENS),
  model('mock/tiers', 'responses-a', { ...TOKENS, service_tiers: TIERS }),
  model('mock/chat-tiers', 'chat-a', { ...TOKENS, service_tiers: TIERS }),
  model('mock/claude-tiers', 'messages-a', { ...TOKENS, service_tiers: TIERS }),
  {
    ...model('mock/both', 'chat-a', { ...TOKENS, ...TOOLS }),
    routes: [
      { provider: 'chat-a', model: 'up-chat', priority: 1 },
      { provider: 'responses-a', model: 'up-responses', priority: 2 },
    ],
  },
];
const SEARCH = { type: 'web_search' };
const CLAUDE_SEARCH = { type: 'web_search_20250305', name: 'web_search' };

let gateway: TestGateway;
let openai: OpenAI;
let anthropic: Anthropic;
beforeAll(async () => {
  gateway = await startGateway({
    config: {
      settings: { discovery: false },
      models: MODELS,
      groups: [],
      accounts: [
        {
          id: 'acme',
          balance: 100_000_000,
          keys: [
            { id: 'main', key: 'dg-test-main' },
            { id: 'cheap', key: 'dg-test-cheap', rules: { max_price: { output: 1_500_000 } } },
          ],
        },
        { id: 'poor', balance: 500, keys: [{ id: 'poor', key: 'dg-test-poor' }] },
      ],
    },
  });
  openai = new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: gateway.baseUrl.replace(/\/v1$/, ''), apiKey: gateway.key, maxRetries: 0 });
});
afterAll(() => gateway.stop());
beforeEach(() => gateway.vendor.reset());

const post = (path: string, body: object, more: { key?: string; signal?: AbortSignal } = {}) =>
  gateway.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...more,
  });
const respond = (fields: object, more: { key?: string; signal?: AbortSignal } = {}) =>
  post('/api/v1/responses', { model: 'mock/gpt', input: 'hello', ...fields }, more);
const message = (fields: object, more: { key?: string } = {}) => {
  const messages = [{ role: 'user', content: 'hello' }];
  return post('/api/v1/messages', { model: 'mock/claude', max_tokens: 10, messages, ...fields }, more);
};

async function paid(response: Response): Promise<Receipt> {
  expect(response.status, await response.clone().text()).toBe(200);
  await response.text();
  return receiptOf(gateway, response);
}

const searched = (type: string, at = 0) => ({
  type: 'web_search_call',
  id: `ws_${at}`,
  status: 'completed',
  action: { type, query: 'x' },
});
const said = {
  type: 'message',
  id: 'msg_1',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'found it', annotations: [] }],
};
const answered = (output: object[], more: object = {}) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'up',
  output: [...output, said],
  usage: { input_tokens: 100, output_tokens: 10, total_tokens: 110 },
  ...more,
});
const block = (name: string, at = 0) => ({ type: 'server_tool_use', id: `srvtoolu_${at}`, name, input: {} });
const told = (content: object[], usage: object = {}) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'up',
  content: [...content, { type: 'text', text: 'found it' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 100, output_tokens: 10, ...usage },
});
const frames = (events: object[]) =>
  events.map((event) => `event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`);
const itemOf = (item: object, index = 0) => [
  { type: 'response.output_item.added', output_index: index, item: { ...item, status: 'in_progress' } },
  { type: 'response.output_item.done', output_index: index, item },
];
const delta = (index: number) => [
  {
    type: 'response.output_item.added',
    output_index: index,
    item: { ...said, content: [] },
  },
  { type: 'response.output_text.delta', output_index: index, content_index: 0, item_id: 'msg_1', delta: 'found' },
];
const created = { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } };

describe('a search of OpenAI', () => {
  it('is bounded, held for and charged by what the provider bills', async () => {
    const tool_usage = { web_search: { num_requests: 2 } };
    gateway.vendor.next(
      json(200, answered([searched('search'), searched('search', 1), searched('search', 2)], { tool_usage })),
    );
    const { data, response } = await openai.responses
      .create({ model: 'mock/gpt', input: 'hello', tools: [{ type: 'web_search' }] })
      .withResponse();
    expect(data.output_text).toBe('found it');
    expect(gateway.vendor.requests[0]?.body).toMatchObject({ tools: [SEARCH], max_tool_calls: 4 });
    const receipt = await receiptOf(gateway, response);
    expect(receipt).toMatchObject({ cost: '130', usage: { buckets: { web_searches: 2 } } });
    // Four searches, and what each of them may add to all that is read after it.
    expect(Number(receipt.held)).toBeGreaterThan(40 + (12_000 * 4 * 5) / 2);
  });

  it('is counted by its items where no report came; pages that are opened cost nothing', async () => {
    gateway.vendor.next(json(200, answered([searched('search'), searched('open_page', 1), searched('search', 2)])));
    expect(await paid(await respond({ tools: [SEARCH], max_tool_calls: 7 }))).toMatchObject({ cost: '130' });
    expect(gateway.vendor.requests[0]?.body).toMatchObject({ max_tool_calls: 7 });
  });

  it('that a coding agent offers by habit beside its own tools may run once', async () => {
    const own = { type: 'function', name: 'shell', parameters: { type: 'object', properties: {} } };
    gateway.vendor.next(json(200, answered([])));
    await paid(await respond({ tools: [own, SEARCH] }));
    expect(gateway.vendor.requests[0]?.body).toMatchObject({
      tools: [{ type: 'function' }, SEARCH],
      max_tool_calls: 1,
    });
  });

  it('needs a wallet that could pay for all of it', async () => {
    await expectError(await respond({ tools: [SEARCH] }, { key: 'dg-test-poor' }), 'insufficient_balance');
    expect(gateway.vendor.requests).toHaveLength(0);
  });

  it('goes to the route that speaks its protocol, whatever its place', async () => {
    gateway.vendor.next(json(200, answered([searched('search')])));
    const forced = { tools: [SEARCH], tool_choice: { type: 'web_search' } };
    expect(await paid(await respond({ model: 'mock/both', ...forced }))).toMatchObject({ cost: '120' });
    expect(gateway.vendor.requests[0]?.body).toMatchObject({ model: 'up-responses' });
  });

  it('is free when the provider fails before an answer', async () => {
    gateway.vendor.next(faults.failWith(500), faults.failWith(500), faults.failWith(500));
    const failed = await respond({ tools: [SEARCH] });
    expect([failed.status, (await receiptOf(gateway, failed)).cost]).toEqual([502, '0']);
  });

  it('is charged in a stream as it ends, and as far as it came where it breaks off', async () => {
    const done = {
      type: 'response.completed',
      response: answered([searched('search')], { tool_usage: { web_search: { num_requests: 1 } } }),
    };
    gateway.vendor.next(rawStream(frames([created, ...itemOf(searched('search')), ...delta(1), done])));
    expect(await paid(await respond({ tools: [SEARCH], stream: true }))).toMatchObject({ cost: '120' });
    gateway.vendor.next(
      rawStream(frames([created, ...itemOf(searched('search')), ...itemOf(searched('search', 1), 1), ...delta(2)])),
    );
    const cut = await respond({ tools: [SEARCH], stream: true });
    await cut.text();
    const receipt = await settledReceipt(gateway, cut.headers.get('x-svc-request-id') ?? '');
    expect(receipt).toMatchObject({ state: 'interrupted', usage: { buckets: { web_searches: 2 } } });
    const { input_fresh: input = 0, output = 0 } = receipt.usage?.buckets ?? {};
    expect([input > 0, Number(receipt.cost)]).toEqual([true, 20 + input + output]);
  });
});

describe('other tools of OpenAI', () => {
  it('a session is one for all its calls, files and pictures have prices of their own', async () => {
    const code = { type: 'code_interpreter', container: { type: 'auto' } };
    const ran = (id: string) => ({
      type: 'code_interpreter_call',
      id,
      container_id: 'cntr_1',
      status: 'completed',
      code: '1',
    });
    const output = [
      ran('ci_1'),
      ran('ci_2'),
      { type: 'file_search_call', id: 'fs_1', status: 'completed', queries: [] },
    ];
    gateway.vendor.next(json(200, answered(output)));
    const files = { type: 'file_search', vector_store_ids: [] };
    expect(await paid(await respond({ tools: [code, files] }))).toMatchObject({ cost: String(110 + 30 + 3) });
    const drawn = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'QUJD' };
    const tool_usage = { image_gen: { input_tokens: 50, output_tokens: 200, total_tokens: 250 } };
    gateway.vendor.next(json(200, answered([drawn], { tool_usage })), json(200, answered([drawn])));
    const draw = { tools: [{ type: 'image_generation', size: '1024x1024' }] };
    expect(await paid(await respond(draw))).toMatchObject({ cost: String(110 + 50 + 2 * 200) });
    // Nobody reported its tokens: what was held for one picture is charged.
    expect(await paid(await respond(draw))).toMatchObject({ cost: String(110 + 8_000 + 2 * 8_000) });
  });

  it.each([
    ['tools.0', { model: 'mock/bare', tools: [{ type: 'file_search', vector_store_ids: [] }] }],
    ['tools.0', { model: 'mock/bare', tools: [{ type: 'shell', environment: { type: 'container_auto' } }] }],
    ['tools.0', { tools: [{ type: 'mcp', server_label: 'x', server_url: 'https://example.com' }] }],
    ['tools.0.model', { tools: [{ type: 'image_generation', model: 'gpt-image-9' }] }],
    ['tools.0.container', { tools: [{ type: 'code_interpreter', container: 'cntr_of_somebody' }] }],
    [
      'tools.0.container.memory_limit',
      { tools: [{ type: 'code_interpreter', container: { type: 'auto', memory_limit: '64g' } }] },
    ],
    [
      'tools.0.container.file_ids',
      { tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: ['file_1'] } }] },
    ],
    [
      'tools.0.environment',
      { tools: [{ type: 'shell', environment: { type: 'container_reference', container_id: 'x' } }] },
    ],
    ['max_tool_calls', { tools: [SEARCH], max_tool_calls: 1_000_000 }],
    ['max_tool_calls', { tools: [SEARCH], max_tool_calls: 'many' }],
    ['max_tool_calls', { tools: [SEARCH], max_tool_calls: 0 }],
  ])('%s is refused by name', async (param, fields) => {
    await expectError(await respond(fields), 'invalid_request', { param });
    expect(gateway.vendor.requests).toHaveLength(0);
  });

  it('a search without a price is left out, as before', async () => {
    gateway.vendor.next(json(200, answered([])));
    expect(await paid(await respond({ model: 'mock/bare', tools: [SEARCH] }))).toMatchObject({ cost: '110' });
    expect(gateway.vendor.requests[0]?.body).not.toHaveProperty('tools');
  });
});

describe('tools of Anthropic', () => {
  it('a search is bounded by its own field, charged by report, and told to the client', async () => {
    const content = [block('web_search'), block('web_search', 1), block('web_search', 2)];
    // One of the three failed, and is not billed.
    gateway.vendor.next(json(200, told(content, { server_tool_use: { web_search_requests: 2 } })));
    const { data, response } = await anthropic.messages
      .create({
        model: 'mock/claude',
        max_tokens: 10,
        messages: [{ role: 'user', content: 'hello' }],
        tools: [{ type: 'web_search_20250305', name: 'web_search' }],
      })
      .withResponse();
    expect(data.usage.server_tool_use).toMatchObject({ web_search_requests: 2 });
    expect(gateway.vendor.requests[0]?.body).toMatchObject({ tools: [{ ...CLAUDE_SEARCH, max_uses: 4 }] });
    expect(await receiptOf(gateway, response)).toMatchObject({ cost: '130' });
  });

  it('pages are bounded too, and code is a session though no counter tells of it', async () => {
    const fetch = { type: 'web_fetch_20250910', name: 'web_fetch', max_uses: 2 };
    const code = { type: 'code_execution_20250825', name: 'code_execution' };
    const content = [block('web_fetch'), block('bash_code_execution', 1), block('text_editor_code_execution', 2)];
    gateway.vendor.next(json(200, told(content)));
    expect(await paid(await message({ tools: [fetch, code] }))).toMatchObject({ cost: String(110 + 2 + 30) });
    expect(gateway.vendor.requests[0]?.body).toMatchObject({ tools: [{ ...fetch, max_content_tokens: 20_000 }, code] });
  });

  it('a stream that its reader leaves is charged what had begun', async () => {
    const start = { ...told([], { server_tool_use: { web_search_requests: 0 } }), content: [] };
    const begun = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block });
    const events = [
      { type: 'message_start', message: start },
      begun(0, block('web_search')),
      { type: 'content_block_stop', index: 0 },
      begun(1, { type: 'text', text: '' }),
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'found' } },
      { type: 'content_block_stop', index: 1 },
      // The last report forgets the search.
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 10 } },
      { type: 'message_stop' },
    ];
    gateway.vendor.next(rawStream(frames(events)), rawStream(frames(events.slice(0, 5))));
    expect(await paid(await message({ tools: [CLAUDE_SEARCH], stream: true }))).toMatchObject({ cost: '120' });
    const cut = await message({ tools: [CLAUDE_SEARCH], stream: true });
    await cut.text();
    const receipt = await settledReceipt(gateway, cut.headers.get('x-svc-request-id') ?? '');
    expect(receipt).toMatchObject({ state: 'interrupted', usage: { buckets: { web_searches: 1, input_fresh: 100 } } });
  });

  it.each([
    ['tools.0.max_uses', { tools: [{ ...CLAUDE_SEARCH, max_uses: 101 }] }],
    [
      'tools.0.max_content_tokens',
      { tools: [{ type: 'web_fetch_20250910', name: 'f', max_content_tokens: 9_999_999 }] },
    ],
    ['tools.0', { tools: [{ type: 'web_search_99', name: 'web_search' }] }],
    ['tools.0', { tools: [{ type: 'advisor_20260301', name: 'advisor' }] }],
  ])('%s is refused by name', async (param, fields) => {
    await expectError(await message(fields), 'invalid_request', { protocol: 'messages', param });
    expect(gateway.vendor.requests).toHaveLength(0);
  });
});

describe('a service tier', () => {
  it.each([
    ['priority', 'priority', 220],
    ['fast', 'priority', 220],
    ['priority', 'default', 110],
    ['priority', undefined, 220],
    ['flex', 'flex', 55],
    ['flex', undefined, 110],
    ['auto', 'priority', 220],
    ['auto', 'default', 110],
    ['default', 'priority', 110],
  ])('%s that is served as %s costs %i', async (service_tier, reported, cost) => {
    gateway.vendor.next(json(200, answered([], reported === undefined ? {} : { service_tier: reported })));
    const plain = await paid(await respond({ model: 'mock/tiers', service_tier, max_output_tokens: 50 }));
    expect(plain).toMatchObject({ cost: String(cost) });
    expect(gateway.vendor.requests[0]?.body).toMatchObject({ service_tier });
    expect(Number(plain.held)).toBeGreaterThanOrEqual(cost === 220 || service_tier === 'priority' ? 100 : 50);
  });

  it('is told in streams and in both other protocols', async () => {
    const done = { type: 'response.completed', response: answered([], { service_tier: 'priority' }) };
    gateway.vendor.next(rawStream(frames([created, ...delta(0), done])));
    const asked = { model: 'mock/tiers', service_tier: 'priority', stream: true };
    expect(await paid(await respond(asked))).toMatchObject({ cost: '220' });
    const choices = [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }];
    const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
    gateway.vendor.next(
      json(200, { id: 'c', object: 'chat.completion', model: 'up', choices, usage, service_tier: 'priority' }),
    );
    const messages = [{ role: 'user', content: 'hello' }];
    const chat = { model: 'mock/chat-tiers', messages, service_tier: 'priority' };
    expect(await paid(await post('/api/v1/chat/completions', chat))).toMatchObject({ cost: '220' });
    gateway.vendor.next(json(200, told([], { speed: 'fast', service_tier: 'standard' })));
    expect(await paid(await message({ model: 'mock/claude-tiers', speed: 'fast' }))).toMatchObject({ cost: '660' });
  });

  it('that has no price is refused by its field, and one above what a key allows by the key', async () => {
    await expectError(await respond({ service_tier: 'priority' }), 'invalid_request', { param: 'service_tier' });
    await expectError(await respond({ model: 'mock/tiers', service_tier: 'ultrafast' }), 'invalid_request', {
      param: 'service_tier',
    });
    const dear = { model: 'mock/tiers', service_tier: 'priority' };
    await expectError(await respond(dear, { key: 'dg-test-cheap' }), 'price_above_limit');
    expect(gateway.vendor.requests).toHaveLength(0);
  });
});

describe('the simulator', () => {
  it('searches for both clients without a key, no more often than it may', async () => {
    const asked = { model: 'sandbox/tools', input: 'search 9 times', max_tool_calls: 3 };
    const answer = await openai.responses.create({ ...asked, tools: [{ type: 'web_search' }] });
    expect(answer.output_text).toContain('searched 3 time(s)');
    const stream = anthropic.messages.stream({
      model: 'sandbox/tools',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'search 2 times' }],
      tools: [{ type: 'web_search_20250305', name: 'web_search' }],
    });
    const last = await stream.finalMessage();
    expect(last.usage.server_tool_use).toMatchObject({ web_search_requests: 2 });
  });

  it('balances in the books with all the others', async () => {
    expect(await wholeProof((method, path) => gateway.admin(method, path))).toMatchObject({ ok: true });
  });
});
