/** Amazon Bedrock: signed or with an API key, by Converse and in Anthropic's own protocol, whole and in Amazon's framing. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestGateway } from '../harness/start-gateway.ts';
import { amazonChunk, amazonEvent, amazonMessage } from './amazon-message.ts';
import { wrongSignature } from './aws-check.ts';
import { type CloudGateway, postJson, startBehindCloud } from './cloud-gateway.ts';
import type { CloudAnswer, FakeCloud } from './fake-cloud.ts';

const KEYS = { id: 'AKIAIOSFODNN7EXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const HELLO = [{ role: 'user', content: 'سلام' }];
const USAGE = {
  inputTokens: 4,
  outputTokens: 2,
  totalTokens: 9,
  cacheReadInputTokens: 3,
  cacheWriteInputTokens: 0,
  serverToolUsage: {},
};
const CONVERSE = {
  metrics: { latencyMs: 334 },
  output: { message: { role: 'assistant', content: [{ text: 'Hello.' }] } },
  stopReason: 'end_turn',
  usage: USAGE,
};
const CLAUDE = {
  id: 'msg_bdrk_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5-20250929',
  content: [{ type: 'text', text: 'Hello.' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 4, cache_creation_input_tokens: 0, cache_read_input_tokens: 3, output_tokens: 2 },
};
const framed = (...messages: Buffer[]): CloudAnswer => ({
  headers: { 'content-type': 'application/vnd.amazon.eventstream' },
  body: Buffer.concat(messages),
});
const CONVERSE_STREAM = [
  amazonEvent('messageStart', { role: 'assistant', p: 'abcd' }),
  amazonEvent('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Hel' }, p: 'abc' }),
  amazonEvent('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'lo.' }, p: 'abcdef' }),
  amazonEvent('contentBlockStop', { contentBlockIndex: 0, p: 'a' }),
  amazonEvent('messageStop', { stopReason: 'end_turn', p: 'abcdefg' }),
  amazonEvent('metadata', { metrics: { latencyMs: 300 }, usage: USAGE, p: 'ab' }),
];
const CLAUDE_STREAM = [
  {
    type: 'message_start',
    message: { ...CLAUDE, content: [], stop_reason: null, usage: { ...CLAUDE.usage, output_tokens: 1 } },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello.' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 2 } },
  { type: 'message_stop', 'amazon-bedrock-invocationMetrics': { inputTokenCount: 4, outputTokenCount: 2 } },
].map(amazonChunk);
const THROTTLED = amazonMessage(
  { ':message-type': 'exception', ':exception-type': 'throttlingException' },
  '{"message":"Too many tokens"}',
);

let cloud: FakeCloud;
let gateway: TestGateway;
let stop: CloudGateway['stop'];

beforeAll(async () => {
  ({ cloud, gateway, stop } = await startBehindCloud((cloud) => {
    const price = { input: 1_000_000, output: 1_000_000, cache_read: 1_000_000, cache_write_5m: 1_000_000 };
    const capabilities = ['tools', 'streaming', 'vision'];
    const quirks = { aws_region: 'eu-central-1' };
    const model = (id: string, provider: string, name: string) => ({
      id,
      routes: [{ provider, model: name }],
      price,
      capabilities,
    });
    return {
      providers: [
        { id: 'signed', vendor: 'bedrock', base_url: cloud.origin, api_key: `${KEYS.id}:${KEYS.secret}`, quirks },
        { id: 'keyed', vendor: 'bedrock-anthropic', base_url: cloud.origin, api_key: 'ABSKQmVkcm9ja0FQSUtleQ==' },
        {
          id: 'openai',
          vendor: 'bedrock-openai',
          base_url: `${cloud.origin}/openai/v1`,
          api_key: `${KEYS.id}:${KEYS.secret}`,
          quirks,
        },
      ],
      models: [
        model('amazon/nova', 'signed', 'eu.amazon.nova-lite-v1:0'),
        model('amazon/arn', 'signed', 'arn:aws:bedrock:eu-central-1:1:inference-profile/x'),
        model('anthropic/claude', 'keyed', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'),
        model('openai/oss', 'openai', 'openai.gpt-oss-120b-1:0'),
        {
          id: 'amazon/two',
          routes: [
            { provider: 'signed', model: 'first', priority: 1 },
            { provider: 'keyed', model: 'second', priority: 2 },
          ],
          price,
        },
      ],
    };
  }));
});
afterAll(() => stop?.());
beforeEach(() => {
  cloud.reset();
  cloud.answer = ({ path }) => ({ body: path.includes('/invoke') ? CLAUDE : CONVERSE });
});

const messages = (body: object, headers: Record<string, string> = {}) =>
  postJson(gateway, '/api/v1/messages', { max_tokens: 50, messages: HELLO, ...body }, headers);

describe('Converse', () => {
  it('is asked with a signature that Amazon would take, for names and for whole ARNs', async () => {
    for (const [model, path] of [
      ['amazon/nova', '/model/eu.amazon.nova-lite-v1%3A0/converse'],
      ['amazon/arn', '/model/arn%3Aaws%3Abedrock%3Aeu-central-1%3A1%3Ainference-profile%2Fx/converse'],
    ]) {
      const response = await gateway.chat({ model, messages: HELLO, svc: { debug: 'upstream' } });
      const text = await response.text();
      expect(JSON.parse(text)).toMatchObject({ choices: [{ message: { content: 'Hello.' } }], usage: { cost: 9 } });
      const asked = cloud.asked.at(-1);
      expect(asked?.path).toBe(path);
      if (!asked) throw new Error('nothing was asked');
      expect(wrongSignature(asked, { ...KEYS, region: 'eu-central-1', service: 'bedrock' })).toBeUndefined();
      for (const hidden of [KEYS.secret, KEYS.id, 'Signature=']) expect(text).not.toContain(hidden);
    }
  });

  it('streams in Amazon’s framing, charged by its last event', async () => {
    cloud.answer = () => framed(...CONVERSE_STREAM);
    const response = await gateway.chat({
      model: 'amazon/nova',
      messages: HELLO,
      stream: true,
      stream_options: { include_usage: true },
    });
    const text = await response.text();
    expect(text).toContain('"content":"Hel"');
    expect(text).toContain('"cost":9');
    expect(cloud.asked[0]?.path).toContain('/converse-stream');
    cloud.answer = () => framed(...CONVERSE_STREAM);
    expect(await (await messages({ model: 'amazon/nova', stream: true })).text()).toContain('"text":"Hel"');
  });

  it('that breaks off in the stream is told as such, and before it begins goes to the next route', async () => {
    cloud.answer = () => framed(...CONVERSE_STREAM.slice(0, 2), THROTTLED);
    const late = await (await gateway.chat({ model: 'amazon/nova', messages: HELLO, stream: true })).text();
    expect(late).toContain('upstream_error');
    expect(late).not.toContain('Too many tokens');
    const damaged = Buffer.from(CONVERSE_STREAM[0] ?? '');
    damaged[20] = 0;
    for (const early of [
      framed(THROTTLED),
      framed(damaged),
      framed((CONVERSE_STREAM[0] ?? Buffer.alloc(0)).subarray(0, 30)),
    ]) {
      cloud.answer = ({ path }) => (path.includes('/first/') ? early : framed(...CLAUDE_STREAM));
      const response = await gateway.chat({ model: 'amazon/two', messages: HELLO, stream: true });
      expect(await response.text()).toContain('"content":"Hello."');
    }
  });
});

describe('Anthropic’s models', () => {
  it('are asked in their own protocol with an API key, betas in the body', async () => {
    const whole = await messages(
      { model: 'anthropic/claude', service_tier: 'auto' },
      { 'anthropic-beta': 'claude-code-20250219,interleaved-thinking-2025-05-14' },
    );
    expect(await whole.json()).toMatchObject({ content: [{ text: 'Hello.' }], usage: { cost: 9 } });
    expect(whole.headers.get('x-svc-warnings')).toContain('claude-code-20250219');
    cloud.answer = () => framed(...CLAUDE_STREAM);
    const streamed = await (await messages({ model: 'anthropic/claude', stream: true })).text();
    expect(streamed).toContain('"text":"Hello."');
    expect(streamed).not.toContain('invocationMetrics');
    const [first, second] = cloud.asked;
    expect(first).toMatchObject({
      path: '/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke',
      headers: { authorization: 'Bearer ABSKQmVkcm9ja0FQSUtleQ==' },
    });
    expect(first?.headers['anthropic-beta']).toBeUndefined();
    expect(JSON.parse(first?.text ?? '')).toEqual({
      anthropic_version: 'bedrock-2023-05-31',
      anthropic_beta: ['interleaved-thinking-2025-05-14'],
      max_tokens: 50,
      messages: HELLO,
    });
    expect(second?.path).toContain('/invoke-with-response-stream');
    expect(JSON.parse(second?.text ?? '')).not.toHaveProperty('stream');
  });
});

it('OpenAI’s protocol is signed the same way', async () => {
  cloud.answer = () => ({
    body: {
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'openai.gpt-oss-120b-1:0',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello.' } }],
      usage: { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 },
    },
  });
  expect((await gateway.chat({ model: 'openai/oss', messages: HELLO })).status).toBe(200);
  const [asked] = cloud.asked;
  if (!asked) throw new Error('nothing was asked');
  expect(asked.path).toBe('/openai/v1/chat/completions');
  expect(wrongSignature(asked, { ...KEYS, region: 'eu-central-1', service: 'bedrock' })).toBeUndefined();
});

describe('a refusal', () => {
  const refused = (status: number, type: string, message: string): CloudAnswer => ({
    status,
    headers: { 'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/` },
    body: { message },
  });

  it('of the request is the client’s own, in our words; any other goes to the next route', async () => {
    cloud.answer = () => refused(400, 'ValidationException', 'messages.0 is blank');
    for (const model of ['amazon/nova', 'anthropic/claude']) {
      const response = await gateway.chat({ model, messages: HELLO });
      expect(response.status).toBe(400);
      expect(await response.text()).not.toContain('blank');
    }
    for (const [status, type, message] of [
      [429, 'ThrottlingException', 'Too many requests'],
      [403, 'AccessDeniedException', 'User is not authorized'],
      [403, 'InvalidSignatureException', 'Signature expired: 20261118T090000Z is now earlier than 20261118T091000Z'],
      [400, 'ServiceQuotaExceededException', 'Quota'],
    ] as const) {
      cloud.answer = ({ path }) => (path.includes('/first/') ? refused(status, type, message) : { body: CLAUDE });
      expect((await gateway.chat({ model: 'amazon/two', messages: HELLO })).status, type).toBe(200);
    }
  });
});

it('an operator tests the connection without a word of the secret, and reads that the clock is wrong', async () => {
  cloud.answer = () => ({
    status: 403,
    headers: { 'x-amzn-errortype': 'InvalidSignatureException' },
    body: { message: 'Signature expired: 20261118T090000Z is now earlier than 20261118T091000Z' },
  });
  const tested = await (await gateway.admin('POST', '/api/admin/providers/signed/test')).text();
  expect(tested).toContain('The clock of this machine is wrong');
  expect(tested).not.toContain(KEYS.secret);
  expect(cloud.asked.at(-1)?.path).toBe('/foundation-models');
});
