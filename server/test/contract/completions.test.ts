/** The protocol from before chat, spoken by the official SDK: a prompt in, text out, over providers that only know chat. */
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer, faults } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';

let gateway: TestGateway;
let client: OpenAI;

beforeAll(async () => {
  gateway = await startGateway();
  client = new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key, maxRetries: 0 });
}, 120_000);
afterAll(() => gateway.stop());
beforeEach(() => gateway.vendor.reset());

describe.each(['mock/chat', 'mock/claude'])('a completion by %s', (model) => {
  it('is text, with its usage and its price', async () => {
    gateway.vendor.next(answer({ text: 'once upon a time', usage: { input: 10, output: 5 } }));
    const completion = await client.completions.create({ model, prompt: 'Tell a story', max_tokens: 50 });
    expect(completion).toMatchObject({
      object: 'text_completion',
      model,
      choices: [{ text: 'once upon a time', index: 0, finish_reason: 'stop', logprobs: null }],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    });
    expect(completion.id).toMatch(/^cmpl-/);
    expect(JSON.stringify(gateway.vendor.requests[0]?.body)).toContain('Tell a story');
    expect(gateway.vendor.requests[0]?.body).not.toHaveProperty('prompt');
  });

  it('is streamed piece by piece', async () => {
    gateway.vendor.next(answer({ text: 'one two three four', pieces: 4, usage: { input: 10, output: 4 } }));
    const stream = await client.completions.create({
      model,
      prompt: ['Count'],
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.every(({ object }) => object === 'text_completion')).toBe(true);
    expect(chunks.map(({ choices: [choice] }) => choice?.text ?? '').join('')).toBe('one two three four');
    expect(chunks.flatMap(({ choices }) => choices.map((choice) => choice.finish_reason)).filter(Boolean)).toEqual([
      'stop',
    ]);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 4 } });
  });

  it('that breaks off in the middle is an error, not a short text', async () => {
    gateway.vendor.next(faults.errorEvent(5, { text: 'one two three four five six seven eight', pieces: 8 }));
    const stream = await client.completions.create({ model, prompt: 'Count', stream: true });
    await expect(async () => {
      for await (const _chunk of stream);
    }).rejects.toThrow();
  });
});

describe('what chat models cannot do', () => {
  it.each([
    ['echo', { echo: true }],
    ['suffix', { suffix: 'the end' }],
    ['best_of', { best_of: 3 }],
    ['prompt', { prompt: ['one', 'two'] }],
    ['prompt', { prompt: [1, 2, 3] }],
    ['prompt', { prompt: '' }],
    ['logprobs', { logprobs: 9 }],
  ])('%s is refused by name: %j', async (param, fields) => {
    const asked = client.completions.create({ model: 'mock/chat', prompt: 'x', ...fields } as never);
    await expect(asked).rejects.toMatchObject({ status: 400, code: 'invalid_request', param });
    expect(gateway.vendor.requests).toHaveLength(0);
  });

  it('nothing is asked where nothing is meant: SDKs fill in every field', async () => {
    const fields = { echo: false, suffix: null, best_of: 1, n: 1, logprobs: null, stop: null };
    const completion = await client.completions.create({ model: 'mock/chat', prompt: 'x', ...fields });
    expect(completion.choices).toHaveLength(1);
  });
});

it('a key that may only chat may not complete', async () => {
  const made = await gateway.admin('POST', '/api/admin/keys', {
    account_id: 'acme',
    name: 'chat only',
    rules: { endpoints: ['chat.completions'] },
  });
  const { key } = (await made.json()) as { key: string };
  const other = new OpenAI({ baseURL: gateway.baseUrl, apiKey: key, maxRetries: 0 });
  await expect(other.completions.create({ model: 'mock/chat', prompt: 'x' })).rejects.toMatchObject({
    status: 403,
    code: 'endpoint_not_allowed',
  });
});
