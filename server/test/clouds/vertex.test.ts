/** Google Vertex: Gemini and Anthropic's models behind one service account, its embeddings, its errors. */
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestGateway } from '../harness/start-gateway.ts';
import { type CloudGateway, postJson, startBehindCloud } from './cloud-gateway.ts';
import { type FakeCloud, sse } from './fake-cloud.ts';

interface Refused {
  error: { param?: string };
}

const HELLO = [{ role: 'user', content: 'Say hello.' }];
const GEMINI = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hello.' }] }, finishReason: 'STOP', avgLogprobs: -0.1 }],
  usageMetadata: {
    promptTokenCount: 4,
    candidatesTokenCount: 2,
    totalTokenCount: 6,
    trafficType: 'ON_DEMAND',
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: 4 }],
  },
  modelVersion: 'gemini-2.5-flash',
  createTime: '2026-10-10T15:56:46.229905Z',
  responseId: 'vizpaJGEDvXZnvgPisGa2A0',
};
const CLAUDE = {
  id: 'msg_vrtx_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5-20250929',
  content: [{ type: 'text', text: 'Hello.' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 4, cache_creation_input_tokens: 0, cache_read_input_tokens: 3, output_tokens: 2 },
};
const CLAUDE_STREAM = sse(
  {
    type: 'message_start',
    message: { ...CLAUDE, content: [], stop_reason: null, usage: { input_tokens: 4, output_tokens: 1 } },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello.' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
);
const GOOGLE = '/v1/projects/my-project/locations/global/publishers/google';
const ANTHROPIC = '/v1/projects/my-project/locations/us-east5/publishers/anthropic';
const SECRET_LINE = /[A-Za-z0-9+/]{60,}/;

let cloud: FakeCloud;
let gateway: TestGateway;
let stop: CloudGateway['stop'];
let account: string;

beforeAll(async () => {
  ({ cloud, gateway, stop } = await startBehindCloud((cloud) => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    account = JSON.stringify(
      {
        type: 'service_account',
        project_id: 'my-project',
        private_key_id: 'a1b2c3d4e5f6a1b2c3d4',
        client_email: 'gateway@my-project.iam.gserviceaccount.com',
        private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
        token_uri: `${cloud.origin}/token`,
      },
      null,
      2,
    );
    const price = { input: 1_000_000, output: 1_000_000, cache_read: 1_000_000 };
    const capabilities = ['tools', 'streaming', 'vision', 'json_schema'];
    return {
      providers: [
        { id: 'vx', vendor: 'vertex', base_url: cloud.origin + GOOGLE, api_key: account },
        { id: 'vx-claude', vendor: 'vertex-anthropic', base_url: cloud.origin + ANTHROPIC, api_key: account },
      ],
      models: [
        { id: 'google/flash', routes: [{ provider: 'vx', model: 'gemini-2.5-flash' }], price, capabilities },
        {
          id: 'anthropic/claude',
          routes: [{ provider: 'vx-claude', model: 'claude-sonnet-4-5@20250929' }],
          price,
          capabilities,
        },
        {
          id: 'google/embed',
          kind: 'embedding',
          routes: [{ provider: 'vx', model: 'text-embedding-005' }],
          price: { input: 1_000_000 },
        },
      ],
    };
  }));
});
afterAll(() => stop?.());
beforeEach(() => {
  cloud.reset();
  cloud.answer = ({ path }) => ({ body: path.includes('/anthropic/') ? CLAUDE : GEMINI });
});

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  postJson(gateway, path, body, headers);

describe('Gemini', () => {
  it('is asked in the project’s place with a token, whole and streamed', async () => {
    const whole = await gateway.chat({ model: 'google/flash', messages: HELLO });
    expect(await whole.json()).toMatchObject({
      choices: [{ message: { content: 'Hello.' } }],
      usage: { total_tokens: 6, cost: 6 },
    });
    cloud.answer = () =>
      sse(
        {
          ...GEMINI,
          candidates: [{ content: GEMINI.candidates[0]?.content }],
          usageMetadata: { trafficType: 'ON_DEMAND' },
        },
        GEMINI,
      );
    const streamed = await gateway.chat({ model: 'google/flash', messages: HELLO, stream: true });
    expect(await streamed.text()).toContain('"content":"Hello."');
    expect(cloud.asked.map(({ path }) => path)).toEqual([
      `${GOOGLE}/models/gemini-2.5-flash:generateContent`,
      `${GOOGLE}/models/gemini-2.5-flash:streamGenerateContent?alt=sse`,
    ]);
    expect(cloud.asked[0]?.headers['authorization']).toMatch(/^Bearer token-\d+$/);
    expect(cloud.tokens.length).toBeLessThanOrEqual(1);
  });

  it('is told of calls and results without ids, which Vertex pairs by name', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'divide', arguments: '{"a":10}' } };
    await gateway.chat({
      model: 'google/flash',
      messages: [
        ...HELLO,
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content: '5' },
      ],
      tools: [{ type: 'function', function: { name: 'divide', parameters: { type: 'object', properties: {} } } }],
    });
    const { contents } = JSON.parse(cloud.asked[0]?.text ?? '{}');
    expect(contents[1].parts[0].functionCall).toEqual({ name: 'divide', args: { a: 10 } });
    expect(contents[2].parts[0].functionResponse).toEqual({ name: 'divide', response: { output: '5' } });
  });

  it('makes embeddings by its own method, charged by what it counts', async () => {
    cloud.answer = () => ({
      body: {
        predictions: [1, 2].map((value) => ({
          embeddings: { statistics: { token_count: 3, truncated: false }, values: [value] },
        })),
      },
    });
    const response = await post('/api/v1/embeddings', { model: 'google/embed', input: ['a', 'b'], dimensions: 1 });
    expect(await response.json()).toMatchObject({
      data: [{ embedding: [1] }, { embedding: [2] }],
      usage: { prompt_tokens: 6, cost: 6 },
    });
    expect(cloud.asked[0]?.path).toBe(`${GOOGLE}/models/text-embedding-005:predict`);
    expect(JSON.parse(cloud.asked[0]?.text ?? '')).toEqual({
      instances: [{ content: 'a' }, { content: 'b' }],
      parameters: { outputDimensionality: 1 },
    });
  });
});

describe('Anthropic’s models', () => {
  it('are asked by the address, with the version in the body, for clients of either protocol', async () => {
    const chat = await gateway.chat({ model: 'anthropic/claude', messages: HELLO });
    expect(await chat.json()).toMatchObject({ choices: [{ message: { content: 'Hello.' } }], usage: { cost: 9 } });
    cloud.answer = () => CLAUDE_STREAM;
    const relayed = await post(
      '/api/v1/messages',
      { model: 'anthropic/claude', max_tokens: 50, messages: HELLO, stream: true, service_tier: 'auto' },
      { 'anthropic-beta': 'interleaved-thinking-2025-05-14', 'anthropic-version': '2023-06-01' },
    );
    expect(await relayed.text()).toContain('"text":"Hello."');
    expect(cloud.asked.map(({ path }) => path)).toEqual([
      `${ANTHROPIC}/models/claude-sonnet-4-5@20250929:rawPredict`,
      `${ANTHROPIC}/models/claude-sonnet-4-5@20250929:streamRawPredict`,
    ]);
    const [first, second] = cloud.asked.map(({ text }) => JSON.parse(text));
    expect(first).toMatchObject({ anthropic_version: 'vertex-2023-10-16', messages: [{ role: 'user' }] });
    expect(Object.keys(first)).not.toContain('model');
    expect(Object.keys(first)).not.toContain('stream');
    expect(second).toMatchObject({ anthropic_version: 'vertex-2023-10-16', stream: true, max_tokens: 50 });
    expect(Object.keys(second)).not.toContain('service_tier');
    expect(cloud.asked[1]?.headers['anthropic-beta']).toBe('interleaved-thinking-2025-05-14');
  });

  it('have their tokens counted there', async () => {
    cloud.answer = () => ({ body: { input_tokens: 42 } });
    const response = await post('/api/v1/messages/count_tokens', { model: 'anthropic/claude', messages: HELLO });
    expect(await response.json()).toEqual({ input_tokens: 42 });
    expect(cloud.asked[0]?.path).toBe(`${ANTHROPIC}/models/count-tokens:rawPredict`);
    expect(JSON.parse(cloud.asked[0]?.text ?? '')).toMatchObject({ model: 'claude-sonnet-4-5@20250929' });
  });
});

describe('a refusal', () => {
  const refused = (code: number, status: string, message: string) => ({
    status: code,
    body: [{ error: { code, status, message, details: [] } }],
  });

  it('of a token is mended once, and never told with the key', async () => {
    cloud.answer = ({ headers }) =>
      headers['authorization'] === first ? refused(401, 'UNAUTHENTICATED', 'expired') : { body: CLAUDE };
    const first = cloud.asked[0]?.headers['authorization'] ?? (await tokenNow());
    cloud.reset();
    const response = await gateway.chat({ model: 'anthropic/claude', messages: HELLO, svc: { debug: 'upstream' } });
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(cloud.asked).toHaveLength(2);
    expect(cloud.tokens).toHaveLength(1);
    expect(text).not.toMatch(SECRET_LINE);
    expect(text).not.toContain('token-');
    expect(text).toContain('publishers/anthropic');
  });

  it('in Google’s form is understood for Anthropic’s models too', async () => {
    cloud.answer = () => refused(400, 'INVALID_ARGUMENT', 'max_tokens: must be positive');
    expect((await gateway.chat({ model: 'anthropic/claude', messages: HELLO })).status).toBe(400);
    cloud.answer = () => refused(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded');
    const busy = await gateway.chat({ model: 'anthropic/claude', messages: HELLO });
    expect(busy.status).toBe(502);
    expect(await busy.text()).not.toContain('Quota');
  });
});

/** The token that is in use. */
async function tokenNow(): Promise<string> {
  const answer = cloud.answer;
  cloud.answer = () => ({ body: CLAUDE });
  await gateway.chat({ model: 'anthropic/claude', messages: HELLO });
  cloud.answer = answer;
  return cloud.asked.at(-1)?.headers['authorization'] ?? '';
}

it('an operator connects it by project and region, sees its account’s last letters and never its key', async () => {
  const made = await gateway.admin('POST', '/api/admin/providers', {
    id: 'own-vx',
    vendor: 'vertex',
    region: 'europe-west4',
    api_key: account,
  });
  const shown = await made.text();
  expect(made.status, shown).toBe(201);
  expect(JSON.parse(shown)).toMatchObject({
    base_url:
      'https://europe-west4-aiplatform.googleapis.com/v1/projects/my-project/locations/europe-west4/publishers/google',
    auth: 'google-service-account',
    credentials: [{ last4: 'c3d4' }],
  });
  expect(shown).not.toMatch(SECRET_LINE);
  const moved = await gateway.admin('PATCH', '/api/admin/providers/own-vx', { project: 'other', region: 'eu' });
  expect(await moved.json()).toMatchObject({
    base_url: 'https://aiplatform.eu.rep.googleapis.com/v1/projects/other/locations/eu/publishers/google',
  });
  const wrong: [object, string][] = [
    [{ vendor: 'vertex', api_key: 'AIza-no-account', project: 'p' }, 'api_key'],
    [{ vendor: 'vertex', api_key: account, project: 'p/../x' }, 'project'],
    [{ vendor: 'vertex', api_key: account, resource: 'x' }, 'resource'],
    [{ vendor: 'azure-openai', api_key: 'key' }, 'resource'],
    [{ vendor: 'vertex', api_key: account, base_url: 'http://169.254.169.254/latest' }, 'base_url'],
    [{ protocol: 'openai-chat', base_url: 'http://metadata.google.internal/v1' }, 'base_url'],
    [
      {
        vendor: 'vertex',
        project: 'p',
        api_key: account.replace(`${cloud.origin}/token`, 'http://169.254.169.254/token'),
      },
      'api_key',
    ],
  ];
  for (const [body, param] of wrong) {
    const refused = await gateway.admin('POST', '/api/admin/providers', { id: 'wrong', ...body });
    expect(refused.status, param).toBe(400);
    expect(((await refused.json()) as Refused).error.param, JSON.stringify(Object.keys(body))).toBe(param);
  }
  const second = await gateway.admin('POST', '/api/admin/providers/own-vx/credentials', { secret: 'no account' });
  expect(((await second.json()) as Refused).error.param).toBe('secret');
  expect((await gateway.admin('POST', '/api/admin/providers/own-vx/credentials', { secret: account })).status).toBe(
    201,
  );
});
