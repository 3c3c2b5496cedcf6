import OpenAI from 'openai';
import type { Response as SdkResponse } from 'openai/resources/responses/responses';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { answer, rawStream } from '../fake-vendor/index.ts';
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

describe('a body like that of Codex', () => {
  const codex = (model: string, more: object = {}) => ({
    model,
    instructions: 'You are a coding agent.',
    input: [
      { type: 'message', role: 'developer', id: 'msg_1', content: [{ type: 'input_text', text: 'rules' }] },
      { type: 'message', role: 'user', id: 'msg_2', content: [{ type: 'input_text', text: 'list files' }] },
    ],
    tools: [
      { type: 'function', name: 'shell', parameters: { type: 'object', properties: {} }, strict: false },
      {
        type: 'namespace',
        name: 'mcp__files',
        description: 'files',
        tools: [
          { type: 'function', name: 'read', description: 'reads', parameters: { type: 'object', properties: {} } },
        ],
      },
      { type: 'web_search', external_web_access: false },
    ],
    tool_choice: 'auto',
    parallel_tool_calls: true,
    reasoning: { summary: 'auto' },
    store: false,
    stream: true,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: 'thread-1',
    client_metadata: { session: 's' },
    ...more,
  });

  it('flattens namespaces for other protocols, restores them, and leaves the web search out with a word', async () => {
    gateway.vendor.always(answer({ toolCalls: [{ name: 'mcp__files__read', arguments: '{"path":"a"}' }] }));
    const reply = await post(codex('mock/chat'));
    expect(reply.headers.get('x-svc-warnings')).toContain('tools.2 (web_search) dropped');
    const events = wireEvents(await reply.text());
    const done = events.find(({ type }) => type === 'response.output_item.done') as JsonObject;
    expect(done['item']).toMatchObject({ type: 'function_call', name: 'read', namespace: 'mcp__files' });
    const names = (sent(0)['tools'] as JsonObject[]).map((tool) => (tool['function'] as JsonObject)['name']);
    expect(names).toEqual(['shell', 'mcp__files__read']);
    const { id: _id, status: _status, ...call } = done['item'] as JsonObject;
    const input = [
      ...codex('').input,
      call,
      { type: 'function_call_output', call_id: call['call_id'], output: 'text' },
    ];
    gateway.vendor.always(answer('done'));
    expect((await post(codex('mock/chat', { input }))).status).toBe(200);
    const history = sent(1)['messages'] as JsonObject[];
    expect(history.at(-2)).toMatchObject({ tool_calls: [{ function: { name: 'mcp__files__read' } }] });
  });

  it('reaches a provider of its own protocol as it is, but for the search, which costs extra', async () => {
    await (await post(codex('mock/responses'))).text();
    const { body } = gateway.vendor.requests[0] as { body: JsonObject };
    const { tools, ...rest } = codex('up-model');
    expect(body).toEqual({ ...rest, tools: tools.slice(0, 2) });
  });

  it('is refused by name when it forces a tool nobody runs', async () => {
    const forced = await post(codex('mock/chat', { tool_choice: { type: 'web_search' } }));
    expect(await forced.json()).toMatchObject({ error: { code: 'invalid_request', param: 'tools.2' } });
    const hosted = await post({
      model: 'mock/claude',
      input: 'x',
      tools: [{ type: 'code_interpreter', container: { type: 'auto' } }],
    });
    expect(await hosted.json()).toMatchObject({ error: { code: 'invalid_request', param: 'tools.0' } });
  });
});

describe('reasoning', () => {
  it('of a provider of this protocol comes back to it byte for byte', async () => {
    const item = {
      type: 'reasoning',
      id: 'rs_1',
      summary: [
        { type: 'summary_text', text: 'a' },
        { type: 'summary_text', text: 'b' },
      ],
      encrypted_content: 'gAAA+/=',
    };
    const input = [
      { role: 'user', content: 'x' },
      item,
      { role: 'assistant', content: 'y' },
      { role: 'user', content: 'z' },
    ];
    await post({ model: 'mock/responses', input });
    await post({ model: 'mock/responses', input: 'x', svc: {}, store: false });
    expect(gateway.vendor.requests[0]?.body['input']).toEqual(input);
  });

  it('of another protocol is carried sealed and kept from a provider that cannot read it', async () => {
    gateway.vendor.next(rawStream(SIGNED_CLAUDE), answer('again'), answer('elsewhere'));
    const first = await streamed({ model: 'mock/claude', input: 'x', store: false });
    const [thought] = first.output;
    expect(thought).toMatchObject({ type: 'reasoning', summary: [{ text: 'because' }] });
    const input = [
      { role: 'user' as const, content: 'x' },
      thought,
      { role: 'assistant' as const, content: 'y' },
      { role: 'user' as const, content: 'z' },
    ];
    await client.responses.create({ model: 'mock/claude', input: input as never, store: false });
    const replayed = (sent(1)['messages'] as JsonObject[])[1]?.['content'] as JsonObject[];
    expect(replayed[0]).toEqual({ type: 'thinking', thinking: 'because', signature: 'c2lnbmVk' });
    await client.responses.create({ model: 'mock/responses', input: input as never, store: false });
    expect(JSON.stringify(gateway.vendor.requests[2]?.body)).not.toContain('svc1.');
  });
});

const SIGNED_CLAUDE = [
  {
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'c',
      content: [],
      usage: { input_tokens: 3, output_tokens: 1 },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'because' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'c2lnbmVk' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'y' } },
  { type: 'content_block_stop', index: 1 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 4 } },
  { type: 'message_stop' },
]
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join('');
