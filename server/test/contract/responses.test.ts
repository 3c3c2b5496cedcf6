/** The official OpenAI SDK's Responses client, and bodies like Codex's, against the running gateway. */
import OpenAI from 'openai';
import type { Response as SdkResponse, Tool } from 'openai/resources/responses/responses';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { answer, faults, json } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { wireEvents } from '../protocols/openai-responses/surroundings.ts';

let gateway: TestGateway;
let client: OpenAI;

beforeAll(async () => {
  gateway = await startGateway();
  client = new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key, maxRetries: 0 });
});
afterAll(() => gateway.stop());
beforeEach(() => gateway.vendor.reset());

const MODELS = ['mock/chat', 'mock/claude', 'mock/gemini', 'mock/responses'];
const WEATHER: Tool = {
  type: 'function',
  name: 'weather',
  description: 'The weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  strict: false,
};

function post(body: object): Promise<Response> {
  return gateway.fetch('/api/v1/responses', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'accept-language': 'en' },
    body: JSON.stringify(body),
  });
}

/** The body of the n-th request to the provider. */
function sent(index: number): JsonObject {
  const request = gateway.vendor.requests[index];
  if (!request) throw new Error(`the provider got no request ${index}`);
  return request.body;
}

async function streamed(body: OpenAI.Responses.ResponseCreateParams): Promise<SdkResponse> {
  const { stream: _stream, ...rest } = body;
  return client.responses.stream(rest as never).finalResponse() as Promise<SdkResponse>;
}

describe.each(MODELS)('through %s', (model) => {
  it('answers, whole and streamed alike', async () => {
    gateway.vendor.always(answer({ text: 'سلام, world', usage: { input: 7, output: 5 } }));
    const whole = await client.responses.create({ model, input: 'hello', instructions: 'be brief' });
    expect(whole).toMatchObject({ object: 'response', status: 'completed', model, output_text: 'سلام, world' });
    expect(whole).toMatchObject({ instructions: 'be brief', tools: [], tool_choice: 'auto', error: null });
    expect(whole.usage).toMatchObject({ input_tokens: 7, output_tokens: 5, total_tokens: 12 });
    expect((whole.usage as unknown as { cost: number }).cost).toBeGreaterThan(0);
    const stream = await streamed({ model, input: 'hello', instructions: 'be brief' });
    expect(stream.output_text).toBe('سلام, world');
    expect(stream.usage).toEqual(whole.usage);
    expect(stream.id).toMatch(/^resp_/);
  });

  it('numbers every event and names it', async () => {
    const text = await (await post({ model, input: 'hi', stream: true })).text();
    const types = wireEvents(text).map(({ type }) => type);
    expect(types.slice(0, 4)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
    ]);
    expect(types.slice(-4)).toEqual([
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
  });

  it('runs a tool loop with parallel calls', async () => {
    const toolCalls = [
      { name: 'weather', arguments: '{"city":"Tehran"}' },
      { name: 'weather', arguments: '{"city":"Shiraz"}' },
    ];
    gateway.vendor.next(answer({ reasoning: 'two cities', toolCalls }), answer('warm in both'));
    const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: 'weather?' }];
    const first = await streamed({ model, input, tools: [WEATHER], store: false });
    const calls = first.output.filter((item) => item.type === 'function_call');
    expect(calls.map((call) => JSON.parse(call.arguments))).toEqual([{ city: 'Tehran' }, { city: 'Shiraz' }]);
    for (const call of calls) expect(call.id).not.toBe(call.call_id);
    for (const { parsed_arguments: _parsed, ...item } of first.output as never as { parsed_arguments: unknown }[])
      input.push(item as never);
    for (const { call_id } of calls) input.push({ type: 'function_call_output', call_id, output: '30 degrees' });
    const second = await client.responses.create({ model, input, tools: [WEATHER], store: false });
    expect(second.output_text).toBe('warm in both');
    expect(gateway.vendor.requests).toHaveLength(2);
  });

  it('tells a cut answer as incomplete', async () => {
    gateway.vendor.always(answer({ text: 'half a', finish: 'length' }));
    const whole = await client.responses.create({ model, input: 'hello', max_output_tokens: 20 });
    expect(whole).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
    expect((await streamed({ model, input: 'hello' })).status).toBe('incomplete');
  });

  it('fails inside the stream when the provider breaks off', async () => {
    gateway.vendor.always(faults.cutAfter(6, 'reset', { text: 'a long answer in many pieces', pieces: 12 }));
    const events = wireEvents(await (await post({ model, input: 'hello', stream: true })).text());
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'server_error', svc_code: 'upstream_error' } },
    });
  });
});

describe('a chat client at a provider of this protocol', () => {
  it('is answered, streamed and with tools', async () => {
    gateway.vendor.next(
      answer({ reasoning: 'hm', text: 'hello' }),
      answer({ toolCalls: [{ name: 'weather', arguments: '{}' }] }),
    );
    const messages = [{ role: 'user' as const, content: 'hi' }];
    const whole = await client.chat.completions.create({ model: 'mock/responses', messages, max_tokens: 5 });
    expect(whole.choices[0]?.message).toMatchObject({ content: 'hello', reasoning_content: 'hm' });
    expect(gateway.vendor.requests[0]?.body).toMatchObject({ store: false, max_output_tokens: 16 });
    const stream = client.chat.completions.stream({
      model: 'mock/responses',
      messages,
      tools: [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }],
    });
    const final = await stream.finalChatCompletion();
    expect(final.choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: { name: 'weather', arguments: '{}' } });
  });
});

describe('a Messages client at a provider of this protocol', () => {
  it('brings the encrypted reasoning of the provider back byte for byte', async () => {
    const reasoning = {
      type: 'reasoning',
      id: 'rs_9',
      summary: [{ type: 'summary_text', text: 'hm' }],
      encrypted_content: 'gAAA+/=',
    };
    const call = { type: 'function_call', id: 'fc_9', call_id: 'call_9', name: 'weather', arguments: '{}' };
    const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7 };
    const whole = { id: 'resp_9', object: 'response', status: 'completed', output: [reasoning, call], usage };
    gateway.vendor.next(json(200, whole), answer('done'));
    const ask = (messages: object[]) =>
      gateway
        .fetch('/api/v1/messages', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            model: 'mock/responses',
            max_tokens: 100,
            messages,
            tools: [{ name: 'weather', input_schema: { type: 'object' } }],
          }),
        })
        .then((reply) => reply.json() as Promise<{ content: { type: string; id?: string }[]; stop_reason: string }>);
    const question = { role: 'user', content: 'weather?' };
    const first = await ask([question]);
    expect(first.content.map(({ type }) => type)).toEqual(['thinking', 'tool_use']);
    expect(first.stop_reason).toBe('tool_use');
    const result = { type: 'tool_result', tool_use_id: first.content[1]?.id, content: '30' };
    const second = await ask([
      question,
      { role: 'assistant', content: first.content },
      { role: 'user', content: [result] },
    ]);
    expect(second.content).toMatchObject([{ type: 'text', text: 'done' }]);
    expect(sent(1)['input']).toMatchObject([
      { role: 'user' },
      reasoning,
      { type: 'function_call', call_id: 'call_9', name: 'weather' },
      { type: 'function_call_output', call_id: 'call_9', output: '30' },
    ]);
  });
});

describe('refusals', () => {
  it('name the field, in the shape of the chat protocol', async () => {
    const cases: [object, string][] = [
      [{ input: 'x', background: true, store: false }, 'background'],
      [{ input: 'x', background: 1 }, 'background'],
      [{ input: 'x', conversation: 'conv_1' }, 'conversation'],
      [{ input: 'x', previous_response_id: 'resp_none' }, 'previous_response_id'],
      [{ input: [{ type: 'item_reference', id: 'msg_none' }] }, 'input.0.id'],
      [{ input: [] }, 'input'],
      [{ input: [{ role: 'user', content: [{ type: 'input_video' }] }] }, 'input.0.content.0.type'],
      [{ input: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }] }, 'input.0'],
      [{ input: 'x', text: { format: { type: 'json_schema', name: 'n n', schema: {} } } }, 'text.format.name'],
    ];
    for (const [body, param] of cases) {
      const reply = await post({ model: 'mock/chat', ...body });
      expect(reply.status).toBe(400);
      expect(await reply.json()).toMatchObject({ error: { code: 'invalid_request', param } });
    }
    const schema = { type: 'json_schema', name: 'n', schema: {} };
    const plain = await post({ model: 'mock/plain', input: 'x', text: { format: schema } });
    expect(await plain.json()).toMatchObject({ error: { param: 'text.format' } });
  });
});
