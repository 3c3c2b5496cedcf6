/** Every field of the chat contract with the official SDK: what the client means must reach the provider, in any protocol. */
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer, json } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';

let gateway: TestGateway;
let client: OpenAI;

beforeAll(async () => {
  gateway = await startGateway();
  client = new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key, maxRetries: 0 });
});
afterAll(() => gateway.stop());
beforeEach(() => gateway.vendor.reset());

const hello = [{ role: 'user' as const, content: 'hello' }];
const ROUTES = ['mock/chat', 'mock/claude', 'mock/gemini'];
const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tool = (name: string) => ({
  type: 'function' as const,
  function: { name, description: 'd', parameters: PARAMETERS },
});
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The body the provider got. */
const sent = (index = 0) => gateway.vendor.requests[index]?.body as Record<string, unknown>;

describe.each(ROUTES)('tools with %s', (model) => {
  const calls = [
    { id: 'call_a', name: 'weather', arguments: '{"city":"Yazd"}' },
    { id: 'call_b', name: 'weather', arguments: '{"city":"Tabriz"}' },
  ];

  it('parallel calls come back, are answered one by one, and the loop ends in words', async () => {
    gateway.vendor.next(answer({ toolCalls: calls }), answer('Warm in both.'));
    const tools = [tool('weather')];
    const asked = await client.chat.completions.create({ model, messages: hello, tools });
    const { message, finish_reason } = asked.choices[0] as OpenAI.ChatCompletion.Choice;
    expect(finish_reason).toBe('tool_calls');
    const made = (message.tool_calls ?? []).flatMap((call) => (call.type === 'function' ? [call] : []));
    expect(made.map((call) => [call.function.name, JSON.parse(call.function.arguments)])).toEqual([
      ['weather', { city: 'Yazd' }],
      ['weather', { city: 'Tabriz' }],
    ]);
    expect(new Set(made.map((call) => call.id)).size).toBe(2);
    const results = made.map((call) => ({ role: 'tool' as const, tool_call_id: call.id, content: '{"degrees":30}' }));
    const end = await client.chat.completions.create({ model, messages: [...hello, message, ...results], tools });
    expect(end.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'Warm in both.' } });
    const text = JSON.stringify(sent(1));
    expect(text.match(/degrees/g)).toHaveLength(2);
  });

  it('every requested call must be answered', async () => {
    const message = {
      role: 'assistant' as const,
      content: null,
      tool_calls: calls.map(({ id, ...rest }) => ({ id, type: 'function' as const, function: rest })),
    };
    const one = { role: 'tool' as const, tool_call_id: 'call_a', content: '1' };
    const half = client.chat.completions.create({
      model,
      messages: [...hello, message, one],
      tools: [tool('weather')],
    });
    await expect(half).rejects.toMatchObject({ status: 400, code: 'invalid_request' });
    const orphan = client.chat.completions.create({ model, messages: [...hello, one] });
    await expect(orphan).rejects.toMatchObject({
      status: 400,
      code: 'invalid_request',
      param: 'messages.1.tool_call_id',
    });
    expect(gateway.vendor.requests).toHaveLength(0);
  });

  it.each([
    ['auto', 'auto'],
    ['none', 'none'],
    ['required', 'required'],
    ['one function', { type: 'function' as const, function: { name: 'weather' } }],
  ] as const)('tool_choice %s is understood', async (_name, tool_choice) => {
    await client.chat.completions.create({
      model,
      messages: hello,
      tools: [tool('weather'), tool('now')],
      tool_choice,
    });
    const text = JSON.stringify(sent()['tool_choice'] ?? sent()['toolConfig'] ?? 'auto');
    const words = { auto: /auto/i, none: /none/i, required: /required|any/i };
    expect(text).toMatch(typeof tool_choice === 'string' ? words[tool_choice] : /weather/);
  });
});

describe.each(ROUTES)('images with %s', (model) => {
  it('a data URL reaches the provider', async () => {
    const url = `data:image/png;base64,${PIXEL}`;
    const content = [
      { type: 'text' as const, text: 'What is it?' },
      { type: 'image_url' as const, image_url: { url } },
    ];
    await client.chat.completions.create({ model, messages: [{ role: 'user', content }] });
    expect(gateway.vendor.requests[0]?.raw.toString()).toContain(PIXEL);
  });
});

describe.each(['mock/chat', 'mock/claude'])('images with %s', (model) => {
  it('an https address reaches the provider', async () => {
    const image = { type: 'image_url' as const, image_url: { url: 'https://example.com/cat.png' } };
    await client.chat.completions.create({ model, messages: [{ role: 'user', content: [image] }] });
    expect(gateway.vendor.requests[0]?.raw.toString()).toContain('https://example.com/cat.png');
  });
});

describe('refused before anything is sent', () => {
  it.each([
    [
      'json_schema',
      { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: {} } } },
      'response_format',
    ],
    ['tools', { tools: [tool('weather')] }, 'tools'],
    [
      'images',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.example/b.png' } }] }] },
      'messages.0.content',
    ],
  ])('%s on a model without it', async (_name, more, param) => {
    const response = await gateway.chat({ model: 'mock/plain', messages: hello, ...more });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_request', param } });
    expect(gateway.vendor.requests).toHaveLength(0);
  });

  it('a model that is not for chat', async () => {
    const response = await gateway.chat({ model: 'mock/embed', messages: hello });
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_request', param: 'model' } });
  });
});

describe.each(ROUTES)('structured output with %s', (model) => {
  it('JSON mode', async () => {
    gateway.vendor.next(answer('{"ok":true}'));
    const response_format = { type: 'json_object' as const };
    const { choices } = await client.chat.completions.create({ model, messages: hello, response_format });
    expect(JSON.parse(choices[0]?.message.content ?? '')).toEqual({ ok: true });
  });

  it('a schema reaches the provider', async () => {
    gateway.vendor.next(answer('{"city":"Yazd"}'));
    const json_schema = { name: 'place', strict: true, schema: { ...PARAMETERS, additionalProperties: false } };
    const { choices } = await client.chat.completions.create({
      model,
      messages: hello,
      response_format: { type: 'json_schema', json_schema },
    });
    expect(JSON.parse(choices[0]?.message.content ?? '')).toEqual({ city: 'Yazd' });
    expect(gateway.vendor.requests[0]?.raw.toString()).toContain('"city"');
  });
});

describe('fields that a provider of the same protocol gets as they are', () => {
  const fields = {
    temperature: 0.3,
    top_p: 0.8,
    stop: ['END', 'STOP'],
    seed: 42,
    n: 2,
    logprobs: true,
    top_logprobs: 2,
    presence_penalty: 0.5,
    frequency_penalty: -0.5,
    logit_bias: { '50256': -100 },
    parallel_tool_calls: false,
    reasoning_effort: 'low',
  };

  it.each(Object.entries(fields))('%s', async (name, value) => {
    const more = name === 'parallel_tool_calls' ? { tools: [tool('weather')] } : { logprobs: true };
    const response = await gateway.chat({ model: 'mock/chat', messages: hello, ...more, [name]: value });
    expect(`${response.status} ${await response.text()}`).toMatch(/^200/);
    expect(sent()[name]).toEqual(value);
  });

  it('others are dropped with a warning: they may change the price', async () => {
    const response = await gateway.chat({ model: 'mock/chat', messages: hello, vendor_novelty: { anything: [1, 2] } });
    expect(response.headers.get('x-svc-warnings')).toContain('vendor_novelty dropped');
    expect(sent()).not.toHaveProperty('vendor_novelty');
  });

  it('the model name and the output limit are ours, the service extension stays here', async () => {
    await gateway.chat({ model: 'mock/chat', messages: hello, max_tokens: 33, svc: { knowledge_base_ids: [] } });
    expect(sent()['model']).toBe('up-model');
    expect(sent()['max_tokens'] ?? sent()['max_completion_tokens']).toBe(33);
    expect(sent()).not.toHaveProperty('svc');
  });

  it('roles system and developer', async () => {
    const messages = [{ role: 'developer', content: 'Be kind.' }, { role: 'system', content: 'Be brief.' }, ...hello];
    expect((await gateway.chat({ model: 'mock/chat', messages })).status).toBe(200);
    expect(gateway.vendor.requests[0]?.raw.toString()).toMatch(/Be kind.*Be brief/);
  });
});

describe.each(['mock/claude', 'mock/gemini'])('stop, limits and temperature translated for %s', (model) => {
  it('reach the provider under its own names', async () => {
    await client.chat.completions.create({ model, messages: hello, stop: 'END', max_tokens: 33, top_p: 0.5 });
    const text = gateway.vendor.requests[0]?.raw.toString() ?? '';
    expect(text).toMatch(/"(stop_sequences|stopSequences)":\["END"\]/);
    expect(text).toMatch(/"(max_tokens|maxOutputTokens)":33/);
    expect(text).toMatch(/"(top_p|topP)":0\.5/);
  });
});

describe('answers', () => {
  const whole = (message: object, more: object = {}) =>
    json(200, {
      id: 'x',
      object: 'chat.completion',
      created: 1,
      model: 'up-model',
      choices: [
        { index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason: 'stop', ...more },
      ],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, prompt_tokens_details: { cached_tokens: 4 } },
    });

  it('have exactly the fields of the contract', async () => {
    gateway.vendor.next(whole({ content: 'Hi.' }));
    const { data, response } = await client.chat.completions
      .create({ model: 'mock/chat', messages: hello })
      .withResponse();
    expect(data).toMatchObject({ object: 'chat.completion', model: 'mock/chat' });
    expect(data.id).toBe(`chatcmpl-${response.headers.get('x-svc-request-id')?.slice('req_'.length)}`);
    expect(data.created).toBeGreaterThan(1_700_000_000);
    expect(data.choices).toMatchObject([
      { index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' },
    ]);
    expect(data.usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 });
    expect(data.usage?.prompt_tokens_details?.cached_tokens).toBe(4);
    // 6 fresh × 15,000 + 4 cached × 7,500 + 5 × 60,000 micro-toman
    expect(response.headers.get('x-svc-cost')).toBe('0.42');
    expect((data.usage as unknown as { cost: number }).cost).toBe(0.42);
  });

  it('keep refusals, reasoning and logprobs', async () => {
    const logprobs = { content: [{ token: 'N', logprob: -0.1, bytes: [78], top_logprobs: [] }], refusal: null };
    gateway.vendor.next(whole({ refusal: 'No.', reasoning_content: 'Hm.' }, { logprobs }));
    const { choices } = await client.chat.completions.create({ model: 'mock/chat', messages: hello, logprobs: true });
    expect(choices[0]).toMatchObject({ message: { refusal: 'No.', reasoning_content: 'Hm.' }, logprobs });
  });

  it.each(['stop', 'length', 'content_filter'] as const)('finish with %s on every route', async (finish) => {
    for (const model of ROUTES) {
      gateway.vendor.next(answer({ text: 'some words', finish }));
      const { choices } = await client.chat.completions.create({ model, messages: hello });
      expect(`${model} ${choices[0]?.finish_reason}`).toBe(`${model} ${finish}`);
    }
  });
});

describe('which model', () => {
  it('the default of the key when none is given', async () => {
    const response = await gateway.chat({ messages: hello });
    expect(await response.json()).toMatchObject({ model: 'mock/chat' });
  });

  it("the group's default for group:<name>", async () => {
    const { model } = await client.chat.completions.create({ model: 'group:economical', messages: hello });
    expect(model).toBe('mock/chat');
  });

  it.each(['chat', 'group:none', 'mock/', '', 'MOCK/CHAT', 'sandbox'])('%s is not found', async (model) => {
    const response = await gateway.chat({ model, messages: hello });
    expect(await response.json()).toMatchObject({
      error: { code: model === '' ? 'invalid_request' : 'model_not_found', param: 'model' },
    });
  });
});
