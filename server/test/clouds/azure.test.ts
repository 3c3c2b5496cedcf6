/** Azure OpenAI: both of its addresses, keys and applications of Entra, deployments as models, and what its filters answer. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestGateway } from '../harness/start-gateway.ts';
import { type CloudGateway, startBehindCloud } from './cloud-gateway.ts';
import { type FakeCloud, sse } from './fake-cloud.ts';

const SAFE = { hate: { filtered: false, severity: 'safe' }, violence: { filtered: false, severity: 'safe' } };
const ANSWER = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_777_483_017,
  model: 'gpt-4.1-mini-2025-04-14',
  prompt_filter_results: [{ prompt_index: 0, content_filter_results: SAFE }],
  choices: [
    {
      index: 0,
      finish_reason: 'stop',
      logprobs: null,
      content_filter_results: SAFE,
      message: { role: 'assistant', content: 'Earth.', refusal: null, annotations: [] },
    },
  ],
  usage: { prompt_tokens: 14, completion_tokens: 3, total_tokens: 17 },
};
/** As recorded: the first chunk has no choice and no model, only what the filter says of the prompt. */
const CHUNKS = [
  {
    id: '',
    object: '',
    created: 0,
    model: '',
    choices: [],
    prompt_filter_results: [{ prompt_index: 0, content_filter_results: { ...SAFE, jailbreak: { detected: false } } }],
  },
  {
    id: 'chatcmpl-2',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'gpt-4o',
    choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null, content_filter_results: {} }],
  },
  {
    id: 'chatcmpl-2',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'gpt-4o',
    choices: [{ index: 0, delta: { content: 'Earth.' }, finish_reason: null, content_filter_results: SAFE }],
  },
  {
    id: 'chatcmpl-2',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'gpt-4o',
    choices: [{ index: 0, delta: {}, finish_reason: 'stop', content_filter_results: {} }],
  },
  {
    id: 'chatcmpl-2',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'gpt-4o',
    choices: [],
    usage: { prompt_tokens: 14, completion_tokens: 3, total_tokens: 17 },
  },
];
const FILTERED = {
  error: {
    message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
    type: null,
    param: 'prompt',
    code: 'content_filter',
    status: 400,
    innererror: { code: 'ResponsibleAIPolicyViolation', content_filter_result: { hate: { filtered: true } } },
  },
};
const HELLO = [{ role: 'user', content: 'Which planet do humans live on?' }];

let cloud: FakeCloud;
let gateway: TestGateway;
let stop: CloudGateway['stop'];

beforeAll(async () => {
  ({ cloud, gateway, stop } = await startBehindCloud((cloud) => {
    const entra = {
      tenant_id: 'tenant-1',
      client_id: 'client-1',
      client_secret: 'entra-client-secret',
      authority: cloud.origin,
    };
    const price = { input: 1_000_000, output: 1_000_000 };
    const chat = (id: string, provider: string, model = 'my-deployment') => ({
      id,
      routes: [{ provider, model }],
      price,
      capabilities: ['tools', 'streaming'],
    });
    return {
      providers: [
        // As the portal shows it: without a path.
        { id: 'az', vendor: 'azure-openai', base_url: `${cloud.origin}/`, api_key: 'azure-api-key-1' },
        { id: 'az-old', vendor: 'azure-openai', base_url: `${cloud.origin}/openai`, api_key: 'azure-api-key-2' },
        { id: 'az-app', vendor: 'azure-openai', base_url: `${cloud.origin}/openai/v1`, api_key: JSON.stringify(entra) },
        { id: 'az-resp', vendor: 'azure-openai-responses', base_url: cloud.origin, api_key: 'azure-api-key-3' },
      ],
      models: [
        chat('openai/new', 'az'),
        chat('openai/old', 'az-old', 'my deployment'),
        chat('openai/app', 'az-app'),
        chat('openai/pro', 'az-resp'),
        {
          id: 'openai/both',
          routes: [
            { provider: 'az', model: 'gone', priority: 1 },
            { provider: 'az-old', model: 'there', priority: 2 },
          ],
          price,
        },
        {
          id: 'openai/embed',
          kind: 'embedding',
          routes: [{ provider: 'az-old', model: 'ada' }],
          price: { input: 1_000_000 },
        },
      ],
    };
  }));
});
afterAll(() => stop?.());
beforeEach(() => {
  cloud.reset();
  cloud.answer = () => ({ body: ANSWER });
});

const ask = async (model: string, fields: object = {}) => {
  const response = await gateway.chat({ model, messages: HELLO, ...fields });
  return { status: response.status, text: await response.text() };
};

describe('a deployment', () => {
  it('is the model of the body at the newer address, and a part of the path at the older one', async () => {
    expect((await ask('openai/new')).status).toBe(200);
    expect((await ask('openai/old')).status).toBe(200);
    const [newer, older] = cloud.asked;
    expect(newer).toMatchObject({ path: '/openai/v1/chat/completions', headers: { 'api-key': 'azure-api-key-1' } });
    expect(JSON.parse(newer?.text ?? '')).toMatchObject({ model: 'my-deployment' });
    expect(older?.path).toBe('/openai/deployments/my%20deployment/chat/completions?api-version=2025-04-01-preview');
    expect(older?.headers).toMatchObject({ 'api-key': 'azure-api-key-2' });
    for (const one of cloud.asked) expect(one.headers['authorization']).toBeUndefined();
  });

  it('answers streams whose first chunk only tells of filters, and is charged by what it reports', async () => {
    cloud.answer = () => sse(...CHUNKS, '[DONE]');
    const { status, text } = await ask('openai/new', { stream: true, stream_options: { include_usage: true } });
    expect(status).toBe(200);
    expect(text).toContain('"content":"Earth."');
    expect(text).toContain('"total_tokens":17');
    expect(text).toContain('"cost":17');
    expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
  });

  it('answers in the Responses protocol too, and makes embeddings', async () => {
    const item = {
      type: 'message',
      id: 'm',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
    };
    cloud.answer = () => ({
      body: {
        id: 'resp_1',
        object: 'response',
        created_at: 1,
        status: 'completed',
        model: 'my-deployment',
        content_filters: [{ blocked: false, source_type: 'prompt', content_filter_results: SAFE }],
        output: [item],
        usage: { input_tokens: 5, output_tokens: 2, total_tokens: 7 },
      },
    });
    expect((await ask('openai/pro')).text).toContain('"content":"Hi"');
    expect(cloud.asked[0]?.path).toBe('/openai/v1/responses');
    cloud.answer = () => ({
      body: {
        object: 'list',
        data: [{ object: 'embedding', index: 0, embedding: [0.5, 1] }],
        model: 'ada',
        usage: { prompt_tokens: 2, total_tokens: 2 },
      },
    });
    const embedded = await gateway.fetch('/api/v1/embeddings', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'openai/embed', input: 'Hello world' }),
    });
    expect(await embedded.json()).toMatchObject({ data: [{ embedding: [0.5, 1] }], usage: { cost: 2 } });
    expect(cloud.asked[1]?.path).toContain('/openai/deployments/ada/embeddings?api-version=');
  });
});

describe('an application of Entra', () => {
  it('is exchanged for one token, which all requests share and which is never told', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => ask('openai/app')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(cloud.tokens).toHaveLength(1);
    expect(cloud.tokens[0]?.path).toBe('/tenant-1/oauth2/v2.0/token');
    expect(Object.fromEntries(new URLSearchParams(cloud.tokens[0]?.text))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'client-1',
      client_secret: 'entra-client-secret',
      scope: 'https://cognitiveservices.azure.com/.default',
    });
    for (const { headers } of cloud.asked) {
      expect(headers['authorization']).toMatch(/^Bearer token-\d+$/);
      expect(JSON.stringify(headers)).not.toContain('entra-client-secret');
    }
    const echo = (await ask('openai/app', { svc: { debug: 'upstream' } })).text;
    expect(echo).toContain('"upstream"');
    for (const hidden of ['token-', 'entra-client-secret', 'client-1']) expect(echo).not.toContain(hidden);
    expect(JSON.stringify(gateway.log.lines ?? [])).not.toContain('entra-client-secret');
  });
});

describe('a refusal', () => {
  it('of the content filter is the request’s own fault, told in our words', async () => {
    cloud.answer = () => ({ status: 400, body: FILTERED });
    const { status, text } = await ask('openai/both');
    expect(status).toBe(400);
    expect(JSON.parse(text).error.code).toBe('invalid_request');
    expect(cloud.asked).toHaveLength(1);
  });

  it('of a deployment that is not there, of a key or of the rate moves on to the next route', async () => {
    const refusals: [number, object, Record<string, string>][] = [
      [
        404,
        { error: { code: 'DeploymentNotFound', message: 'The API deployment for this resource does not exist.' } },
        {},
      ],
      [
        401,
        { error: { code: '401', message: 'Access denied due to invalid subscription key or wrong API endpoint.' } },
        {},
      ],
      [
        429,
        { error: { code: '429', message: 'Requests have exceeded call rate limit.' } },
        { 'retry-after-ms': '5', 'retry-after': '1' },
      ],
    ];
    for (const [status, body, headers] of refusals) {
      cloud.answer = ({ path }) => (path.startsWith('/openai/v1/') ? { status, body, headers } : { body: ANSWER });
      expect((await ask('openai/both')).status, String(status)).toBe(200);
    }
  });
});
