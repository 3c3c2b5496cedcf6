/** Fields that change what a provider charges must not reach it at the normal price. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startFakeVendor } from '../fake-vendor/index.ts';
import { defaultConfig } from '../harness/default-config.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';

const messages = [{ role: 'user', content: 'hello' }];
const CHAT = { path: '/api/v1/chat/completions', body: { model: 'mock/chat', messages, max_tokens: 16 } };
const MESSAGES = { path: '/api/v1/messages', body: { model: 'mock/claude', messages, max_tokens: 16 } };
const RESPONSES = {
  path: '/api/v1/responses',
  body: { model: 'mock/responses', input: 'hello', max_output_tokens: 16 },
};
const TRANSLATED = { path: '/api/v1/messages', body: { model: 'mock/chat', messages, max_tokens: 16 } };
/** Models that are served in another protocol than the one they are asked in. */
const FOREIGN = {
  chat: { path: CHAT.path, body: { ...CHAT.body, model: 'mock/claude' } },
  messages: TRANSLATED,
  responses: { path: RESPONSES.path, body: { ...RESPONSES.body, model: 'mock/claude' } },
};
const added = (definition: object) => ({ type: 'tool_addition', tool: { type: 'tool_definition', definition } });
const addedInline = (definition: object) => [
  { role: 'user', content: [{ type: 'text', text: 'hello' }, added(definition)] },
];
const compacted = (definition: object) => [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'hello' },
      { type: 'compaction', content: 'before', tool_changes: [added(definition)] },
    ],
  },
];
const brought = (type: string, tool: object) => ({
  input: [
    { role: 'user', content: 'hello' },
    { type, call_id: 'c', execution: 'client', tools: [tool] },
  ],
});
const EMBEDDINGS = { path: '/api/v1/embeddings', body: { model: 'mock/embed', input: 'hello' } };

describe('fields that cost more', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    const vendor = await startFakeVendor();
    const defaults = defaultConfig(vendor) as { providers: { id: string }[]; models: object[] };
    const open = { ...defaults.providers[0], id: 'open', quirks: { pass_fields: ['all'] } };
    gateway = await startGateway({
      vendor,
      config: {
        ...defaults,
        providers: [...defaults.providers, open],
        models: [
          ...defaults.models,
          { ...defaults.models[0], id: 'mock/open', routes: [{ provider: 'open', model: 'up' }] },
        ],
      },
    });
  });
  afterAll(async () => {
    await gateway?.stop();
    await gateway?.vendor.close();
  });
  beforeEach(() => gateway.vendor.reset());

  const send = (to: { path: string; body: object }, more: object, headers: Record<string, string> = {}) =>
    gateway.fetch(to.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ ...to.body, ...more }),
    });

  it.each([
    ['plugins', CHAT, { plugins: [{ id: 'web' }] }],
    ['models', CHAT, { models: ['openai/dear'] }],
    ['route', CHAT, { route: 'fallback' }],
    ['provider', CHAT, { provider: { order: ['dear'] } }],
    ['web_search_options', CHAT, { web_search_options: {} }],
    ['search_parameters', CHAT, { search_parameters: { mode: 'on' } }],
    ['extra_body', CHAT, { extra_body: { plugins: [{ id: 'web' }] } }],
    ['something_new', CHAT, { something_new: true }],
    ['container', MESSAGES, { container: 'c_1' }],
    ['inference_geo', MESSAGES, { inference_geo: 'us' }],
    ['something_new', RESPONSES, { something_new: true }],
    ['something_new', EMBEDDINGS, { something_new: true }],
  ])('%s is dropped with a warning', async (field, to, more) => {
    const response = await send(to, more);
    expect(response.status, await response.clone().text()).toBe(200);
    expect(gateway.vendor.requests[0]?.body).not.toHaveProperty(field);
    expect(gateway.vendor.requests[0]?.body).toHaveProperty('model');
    expect(response.headers.get('x-svc-warnings')).toContain(`${field} dropped`);
  });

  it.each([
    ['service_tier', CHAT, { service_tier: 'priority' }],
    ['service_tier', RESPONSES, { service_tier: 'priority' }],
    ['service_tier', MESSAGES, { service_tier: 'priority' }],
    ['speed', MESSAGES, { speed: 'fast' }],
    ['tools.0', CHAT, { tools: [{ type: 'web_search' }] }],
    ['tools.0', MESSAGES, { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
    ['tools.0', MESSAGES, { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] }],
    ['tools.0', MESSAGES, { tools: [{ type: 'mcp_toolset', mcp_server_name: 'x' }] }],
    [
      'messages.0.content.1.tool',
      MESSAGES,
      { messages: addedInline({ type: 'web_search_20250305', name: 'web_search' }) },
    ],
    ['messages.0.content.1.tool', MESSAGES, { messages: addedInline({ type: 'mcp_toolset', mcp_server_name: 'x' }) }],
    ['messages.0.content.1.tool', MESSAGES, { messages: compacted({ type: 'code_execution_20250825', name: 'x' }) }],
    ['tools.0', CHAT, { tools: [{ type: 'image_generation' }] }],
    ['tools.0', CHAT, { tools: [{ type: 'mcp', server_label: 'x' }] }],
    ['tools.0', CHAT, { tools: [{ type: 'code_interpreter' }] }],
    ['tools.0', CHAT, { tools: [{ google_search: {} }] }],
    ['tools.0', RESPONSES, { tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'web_search' }] }] }],
    ['tools.0', RESPONSES, { tools: [{ type: 'image_generation' }] }],
    ['tools.0', RESPONSES, { tools: [{ type: 'mcp', server_label: 'x', server_url: 'https://example.com' }] }],
    ['tools.0', RESPONSES, { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }],
    ['input.1.tools.0', RESPONSES, brought('tool_search_output', { type: 'web_search' })],
    ['input.1.tools.0', RESPONSES, brought('additional_tools', { type: 'image_generation' })],
    [
      'input.1.tools.0.tools.0',
      RESPONSES,
      brought('tool_search_output', { type: 'namespace', name: 'n', tools: [{ type: 'code_interpreter' }] }),
    ],
  ])('%s is refused by name', async (param, to, more) => {
    const response = await send(to, more);
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { code: string; param: string } };
    expect(error.code).toBe('invalid_request');
    expect(error.param.replaceAll(/[[\].]+/g, '.')).toContain(param);
    expect(gateway.vendor.requests).toHaveLength(0);
  });

  it.each([
    ['web_search', FOREIGN.chat, { type: 'web_search' }],
    ['image_generation', FOREIGN.chat, { type: 'image_generation' }],
    ['web_search', FOREIGN.messages, { type: 'web_search_20250305', name: 'web_search' }],
    ['code execution', FOREIGN.messages, { type: 'code_execution_20250825', name: 'code_execution' }],
    ['mcp', FOREIGN.messages, { type: 'mcp_toolset', mcp_server_name: 'x' }],
    ['image_generation', FOREIGN.responses, { type: 'image_generation' }],
    ['mcp', FOREIGN.responses, { type: 'mcp', server_label: 'x', server_url: 'https://example.com' }],
    ['code_interpreter', FOREIGN.responses, { type: 'code_interpreter', container: { type: 'auto' } }],
    ['file_search', FOREIGN.responses, { type: 'file_search', vector_store_ids: [] }],
  ])('%s is refused by name also where the request is translated', async (_name, to, tool) => {
    const response = await send(to, { tools: [tool] });
    expect(response.status, await response.clone().text()).toBe(400);
    const { error } = (await response.json()) as { error: { code: string; param: string } };
    expect(error).toMatchObject({ code: 'invalid_request', param: expect.stringMatching(/^tools\.0/) });
    expect(gateway.vendor.requests).toHaveLength(0);
  });

  it('servers of tools are dropped, or refused where the request is translated', async () => {
    const mcp_servers = [{ type: 'url', url: 'https://example.com', name: 'x' }];
    const response = await send(MESSAGES, { mcp_servers });
    expect(response.status).toBe(200);
    expect(gateway.vendor.requests[0]?.body).not.toHaveProperty('mcp_servers');
    expect(response.headers.get('x-svc-warnings')).toContain('mcp_servers dropped');
    expect((await send(FOREIGN.messages, { mcp_servers })).status).toBe(400);
  });

  it('a function that a message brings along passes', async () => {
    const definition = { name: 'f', input_schema: { type: 'object' } };
    const response = await send(MESSAGES, { messages: addedInline(definition) });
    expect(response.status, await response.clone().text()).toBe(200);
  });

  it('a function that a search of the client found passes', async () => {
    const tool = { type: 'function', name: 'f', parameters: { type: 'object' } };
    const response = await send(RESPONSES, brought('tool_search_output', tool));
    expect(response.status, await response.clone().text()).toBe(200);
    expect(gateway.vendor.requests[0]?.body['input']).toMatchObject([{ role: 'user' }, { tools: [tool] }]);
  });

  it('a plain tier passes', async () => {
    expect((await send(CHAT, { service_tier: 'default' })).status).toBe(200);
    expect(gateway.vendor.requests[0]?.body['service_tier']).toBe('default');
  });

  it('a tool that an agent offers by habit is dropped, and the rest of its tools stays', async () => {
    const tools = [{ type: 'web_search' }, { type: 'function', name: 'f', parameters: { type: 'object' } }];
    const response = await send(RESPONSES, { tools });
    expect(response.status).toBe(200);
    expect(gateway.vendor.requests[0]?.body['tools']).toMatchObject([{ type: 'function', name: 'f' }]);
    expect(response.headers.get('x-svc-warnings')).toContain('web_search');
  });

  it('a translated request brings none of them along', async () => {
    const response = await send(TRANSLATED, { speed: 'standard', container: 'c_1' });
    expect(response.status).toBe(200);
    expect(gateway.vendor.requests[0]?.body).not.toHaveProperty('container');
  });

  it('betas that cost more are taken out of their header, others stay', async () => {
    const betas = 'fast-mode-2026-02-01, interleaved-thinking-2025-05-14,context-1m-2025-08-07';
    const response = await send(MESSAGES, {}, { 'anthropic-beta': betas });
    expect(response.status).toBe(200);
    expect(gateway.vendor.requests[0]?.headers['anthropic-beta']).toBe('interleaved-thinking-2025-05-14');
    expect(response.headers.get('x-svc-warnings')).toContain('fast-mode');
  });

  it.each([
    'Context-1M-2025-08-07',
    ' CONTEXT-1M-2025-08-07 ',
    'context_1m-2025-08-07',
    'interleaved-thinking-2025-05-14;context-1m-2025-08-07',
    'interleaved-thinking-2025-05-14 context-1m-2025-08-07',
    '"context-1m-2025-08-07"',
    ',,Fast-Mode-2026-02-01,',
  ])('betas are known however they are written: %s', async (betas) => {
    await (await send(MESSAGES, {}, { 'anthropic-beta': betas })).text();
    expect(gateway.vendor.requests[0]?.headers['anthropic-beta'] ?? '').toMatch(
      /^(?:interleaved-thinking-2025-05-14)?$/,
    );
  });

  it('a provider that is set to pass all gets all of them', async () => {
    const to = { path: CHAT.path, body: { ...CHAT.body, model: 'mock/open' } };
    const response = await send(to, { plugins: [{ id: 'web' }], service_tier: 'priority' });
    expect(response.status).toBe(200);
    expect(gateway.vendor.requests[0]?.body).toMatchObject({ plugins: [{ id: 'web' }], service_tier: 'priority' });
  });
});
