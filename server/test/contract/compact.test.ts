/** Long conversations made short, and prompts that are kept at a provider. */
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer, startFakeVendor } from '../fake-vendor/index.ts';
import { defaultConfig } from '../harness/default-config.ts';
import { startGateway, TEST_KEY, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';

type Items = OpenAI.Responses.ResponseInputItem[];

let gateway: TestGateway;
let client: OpenAI;
beforeAll(async () => {
  const vendor = await startFakeVendor();
  const base = defaultConfig(vendor) as { providers: object[]; models: { id: string }[] };
  const open = { ...base.providers[3], id: 'prompts', quirks: { pass_fields: ['prompt'] } };
  const model = { ...base.models.find(({ id }) => id === 'mock/responses'), id: 'mock/prompts' };
  gateway = await startGateway({
    vendor,
    config: {
      providers: [...base.providers, open],
      models: [...base.models, { ...model, routes: [{ provider: 'prompts', model: 'up-model' }] }],
      accounts: [
        { id: 'acme', name: 'Acme', balance: 100_000, keys: [{ id: 'main', key: TEST_KEY }] },
        { id: 'poor', name: 'Poor', balance: 0, keys: [{ id: 'poor', key: 'dg-test-poor' }] },
      ],
    },
  });
  client = new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key, maxRetries: 0 });
});
afterAll(async () => {
  await gateway.stop();
  await gateway.vendor.close();
});
beforeEach(() => gateway.vendor.reset());

const CONVERSATION: Items = [
  { role: 'user', content: 'Find the price.' },
  { type: 'function_call', call_id: 'call_1', name: 'lookup', arguments: '{"item":"lamp"}' },
  { type: 'function_call_output', call_id: 'call_1', output: '42 toman' },
  { role: 'assistant', content: 'It is 42 toman.' },
];

describe.each(['mock/chat', 'mock/claude', 'mock/responses', 'mock/gemini'])('compact on %s', (model) => {
  it('keeps what the user wrote, and the summary goes on with any model', async () => {
    gateway.vendor.next(answer('The lamp costs 42 toman.'), answer('Yes.'), answer('Yes.'));
    const short = await client.responses.compact({ model, input: CONVERSATION });
    const asked = JSON.stringify((await gateway.vendor.received(0)).body);
    for (const told of ['Find the price.', 'lookup', '42 toman', 'Summarise the conversation'])
      expect(asked).toContain(told);
    // Providers refuse calls of tools that a request does not define.
    expect(asked).not.toMatch(/"(?:tools|tool_calls|tool_use|functionCall|function_call)"/);
    expect(short).toMatchObject({
      object: 'response.compaction',
      output: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Find the price.' }] },
        { type: 'compaction' },
      ],
    });
    const { cost } = short.usage as unknown as { cost: number };
    expect(cost).toBeGreaterThan(0);
    expect(JSON.stringify(short)).not.toContain('The lamp costs');

    for (const [at, next] of ['mock/responses', 'mock/claude'].entries()) {
      const input = [...(short.output as Items), { role: 'user' as const, content: 'Is that all?' }];
      expect((await client.responses.create({ model: next, input })).output_text).toBe('Yes.');
      const sent = JSON.stringify((await gateway.vendor.received(at + 1)).body);
      expect(sent).toContain('The lamp costs 42 toman.');
      expect(sent).not.toContain('encrypted_content":"svc');
    }
  });
});

it('a stored answer is compacted by its id alone', async () => {
  gateway.vendor.next(answer('It is blue.'), answer('The sky is blue.'));
  const first = await client.responses.create({ model: 'mock/chat', input: 'Which colour has the sky?' });
  const short = await client.responses.compact({ model: 'mock/chat', previous_response_id: first.id });
  expect(JSON.stringify((await gateway.vendor.received(1)).body)).toContain('It is blue.');
  expect(short.output).toHaveLength(2);
});

it('costs money as any answer: refused to an empty wallet, free and an error when nothing came', async () => {
  const poor = new OpenAI({ baseURL: gateway.baseUrl, apiKey: 'dg-test-poor', maxRetries: 0 });
  await expect(poor.responses.compact({ model: 'mock/chat', input: 'hello' })).rejects.toMatchObject({
    status: 402,
    code: 'insufficient_balance',
  });
  gateway.vendor.next(answer({ text: '', usage: { input: 10, output: 0 } }));
  const failed: unknown = await client.responses
    .compact({ model: 'mock/chat', input: 'hello' })
    .catch((error) => error);
  expect(failed).toMatchObject({ status: 502 });
  const id = (failed as InstanceType<typeof OpenAI.APIError>).headers?.get('x-svc-request-id');
  await eventually(async () => {
    expect(await (await gateway.fetch(`/api/v1/requests/${id}`)).json()).toMatchObject({ cost: '0' });
  });
  await expect(client.responses.compact({ model: 'mock/chat' })).rejects.toMatchObject({ status: 400, param: 'input' });
});

it('a prompt that is kept at the provider reaches it without an input where the operator lets it pass', async () => {
  const prompt = { id: 'pmpt_1', variables: { city: 'Shiraz' } };
  gateway.vendor.next(answer('Sunny.'));
  expect((await client.responses.create({ model: 'mock/prompts', prompt })).output_text).toBe('Sunny.');
  const { body } = await gateway.vendor.received(0);
  expect(body).toMatchObject({ prompt });
  expect(body).not.toHaveProperty('input');
  for (const model of ['mock/responses', 'mock/chat', 'mock/claude', 'mock/gemini'])
    await expect(client.responses.create({ model, prompt })).rejects.toMatchObject({ status: 400, param: 'prompt' });
});
