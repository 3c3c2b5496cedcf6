/**
 * Files and vector stores that lie at a provider: under the operator's key everybody's lie together, so whoever names one
 * is told that there is none, and the provider is not asked. With the account's own key they are its own.
 */
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { operatorOf } from '../admin/operator.ts';
import { expectError } from '../errors/expect-error.ts';
import { answer, json, startFakeVendor } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { Browser } from '../people/client.ts';
import { eventually } from '../services/eventually.ts';
import { openSocket } from '../sockets/spoken-socket.ts';

const OWN = 'sk-own-of-sara-1234';
const OPERATORS = 'sk-of-the-operator';
const price = { input: 1_000_000, output: 1_000_000, file_search: 3_000_000 };

let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  const vendor = await startFakeVendor();
  vi.stubEnv('OPENAI_BASE_URL', vendor.baseUrls['openai-responses']);
  const provider = (id: string, protocol: keyof typeof vendor.baseUrls, more: object = {}) => ({
    id,
    protocol,
    base_url: vendor.baseUrls[protocol],
    api_key: OPERATORS,
    ...more,
  });
  const model = (id: string, name: string) => ({
    id,
    routes: [{ provider: name, model: 'up' }],
    price,
    context: 100_000,
    max_output: 100,
    capabilities: ['streaming', 'tools', 'vision', 'files'],
  });
  gateway = await startGateway({
    vendor,
    config: {
      settings: { discovery: false },
      providers: [
        provider('openai', 'openai-responses', { vendor: 'openai' }),
        provider('chat-a', 'openai-chat'),
        provider('messages-a', 'anthropic-messages'),
        provider('gemini-a', 'gemini-generate'),
      ],
      models: [
        model('mock/gpt', 'openai'),
        model('mock/chat', 'chat-a'),
        model('mock/claude', 'messages-a'),
        model('mock/gemini', 'gemini-a'),
      ],
      groups: [],
      accounts: [{ id: 'acme', balance: 10_000_000, keys: [{ id: 'main', key: 'dg-test-main' }] }],
    },
  });
  const operator = await operatorOf(gateway);
  await operator.patch('/settings', { own_keys: true });
  const sara = new Browser(gateway);
  const { body } = await sara.signIn('09121710001', { name: 'Sara' });
  const transfer = { id: 'named', kind: 'top-up', amount: 10_000_000 };
  await gateway.admin('POST', `/api/admin/accounts/${body.accounts[0]?.id}/transfers`, transfer);
  key = (await sara.post<{ key: string }>('/keys', { name: 'k' })).body.key;
  vendor.always(json(200, { data: [{ id: 'up' }] }));
  expect((await sara.post('/provider-keys', { provider: 'openai', secret: OWN, fallback: true })).status).toBe(201);
}, 120_000);
afterAll(async () => {
  vi.unstubAllEnvs();
  await gateway?.stop();
  await gateway?.vendor.close();
});
beforeEach(() => {
  gateway.vendor.reset();
  gateway.vendor.always(answer({ text: 'found it', usage: { input: 8, output: 2 } }));
});

const post = (path: string, body: object, by?: string) =>
  gateway.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(by !== undefined && { key: by }),
  });
const search = (id = 'vs_of_somebody') => ({
  model: 'mock/gpt',
  input: 'what is in it?',
  tools: [{ type: 'file_search', vector_store_ids: [id] }],
});
const said = (...content: object[]) => [{ role: 'user', content }];
const document = { type: 'document', source: { type: 'file', file_id: 'file_1' } };

describe('under the operator’s key', () => {
  const param = 'tools.0.vector_store_ids';

  it.each([[search()], [{ ...search(), stream: true }], [{ ...search(), background: true }], [search('')]])(
    'a vector store is not found, whoever has made it: %j',
    async (body) => {
      await expectError(await post('/api/v1/responses', body), 'not_found', { param });
      expect(gateway.vendor.requests).toEqual([]);
    },
  );

  it('the answer to an id of somebody else is that to an id of nobody', async () => {
    const told = async (id: string) => {
      const { error } = (await (await post('/api/v1/responses', search(id))).json()) as {
        error: Record<string, unknown>;
      };
      const { request_id: _, ...rest } = error;
      return JSON.stringify(rest).replaceAll(id, 'ID');
    };
    expect(await told('vs_of_somebody')).toBe(await told('vs_of_nobody'));
  });

  it('a vector store is not found over a WebSocket either', async () => {
    const socket = await openSocket(`${gateway.baseUrl}/responses`, { key: gateway.key });
    const end = await socket.turn({ type: 'response.create', ...search() });
    expect(JSON.stringify(end)).toContain('vs_of_somebody');
    expect(['error', 'response.failed']).toContain(end['type']);
    expect(gateway.vendor.requests).toEqual([]);
    socket.socket.close();
    await socket.closed;
  });

  it('nor in a line of a batch', async () => {
    const client = new OpenAI({ apiKey: gateway.key, baseURL: gateway.baseUrl, maxRetries: 0 });
    const line = { custom_id: 'a', method: 'POST', url: '/v1/responses', body: search() };
    const file = await toFile(Buffer.from(JSON.stringify(line)), 'lines.jsonl');
    const { id: input_file_id } = await client.files.create({ file, purpose: 'batch' });
    const { id } = await client.batches.create({
      input_file_id,
      endpoint: '/v1/responses',
      completion_window: '24h',
    });
    const errors = await eventually(async () => {
      const { error_file_id } = await client.batches.retrieve(id);
      expect(error_file_id).toBeTruthy();
      return (await client.files.content(error_file_id ?? '')).text();
    });
    expect(JSON.parse(errors)).toMatchObject({
      response: { status_code: 404, body: { error: { code: 'not_found' } } },
    });
    expect(gateway.vendor.requests).toEqual([]);
  });

  it.each([
    ['/api/v1/responses', { model: 'mock/gpt', input: said({ type: 'input_file', file_id: 'file_1' }) }],
    ['/api/v1/responses', { model: 'mock/gpt', input: said({ type: 'input_image', file_id: 'file_1' }) }],
    ['/api/v1/chat/completions', { model: 'mock/chat', messages: said({ type: 'file', file: { file_id: 'file_1' } }) }],
    ['/api/v1/messages', { model: 'mock/claude', max_tokens: 9, messages: said(document) }],
    [
      '/api/v1/messages',
      { model: 'mock/claude', max_tokens: 9, messages: said({ type: 'container_upload', file_id: 'file_1' }) },
    ],
    [
      '/api/v1/messages',
      {
        model: 'mock/claude',
        max_tokens: 9,
        messages: [
          ...said({ type: 'text', text: 'read it' }),
          { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'read', input: {} }] },
          ...said({ type: 'tool_result', tool_use_id: 't', content: [document] }),
        ],
        tools: [{ name: 'read', input_schema: { type: 'object' } }],
      },
    ],
    ...[
      'files/of-somebody',
      'https://generativelanguage.googleapis.com/v1beta/files/x',
      'gs://of-the-operator/x.pdf',
    ].map((fileUri): [string, object] => [
      '/api/v1beta/models/mock/gemini:generateContent',
      { contents: [{ role: 'user', parts: [{ fileData: { fileUri, mimeType: 'application/pdf' } }] }] },
    ]),
  ])('a file is not found: %s %j', async (path, body) => {
    const reply = await post(path, body);
    expect(reply.status, await reply.clone().text()).toBe(404);
    expect(gateway.vendor.requests).toEqual([]);
  });

  it('nor is its length told: the count is our own', async () => {
    const reply = await post('/api/v1/messages/count_tokens', { model: 'mock/claude', messages: said(document) });
    expect(reply.status).toBe(200);
    expect(gateway.vendor.requests).toEqual([]);
  });
});

it('with the account’s own key its stores are asked, and never with the operator’s key behind it', async () => {
  await eventually(async () => {
    gateway.vendor.reset();
    gateway.vendor.always(answer({ text: 'found it', usage: { input: 8, output: 2 } }));
    expect((await post('/api/v1/responses', search('vs_of_sara'), key)).status).toBe(200);
  });
  expect(gateway.vendor.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${OWN}`]);
  gateway.vendor.reset();
  gateway.vendor.always(json(500, { error: { message: 'down' } }));
  expect((await post('/api/v1/responses', search('vs_of_sara'), key)).status).toBe(502);
  const asked = new Set(gateway.vendor.requests.map(({ headers }) => headers.authorization));
  expect([...asked]).toEqual([`Bearer ${OWN}`]);
});
