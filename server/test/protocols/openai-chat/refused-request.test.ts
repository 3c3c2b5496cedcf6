import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../../src/core/errors.ts';
import { type Json, type JsonObject, parseJson } from '../../../src/core/json.ts';
import { openaiChatClient } from '../../../src/protocols/index.ts';

const user = { role: 'user', content: 'hi' };
const called = (id = 'c1') => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });
const answered = (id = 'c1') => ({ role: 'tool', tool_call_id: id, content: 'done' });
const tool = { type: 'function', function: { name: 'f' } };

const part = (value: JsonObject): JsonObject => ({ messages: [{ role: 'user', content: [value] }] });
const image = (url: Json): JsonObject => part({ type: 'image_url', image_url: { url } });
const after = (...messages: Json[]): JsonObject => ({ messages: [user, ...messages] });

const REFUSED: [string, JsonObject, string][] = [
  ['no messages', { messages: null }, 'messages'],
  ['empty messages', { messages: [] }, 'messages'],
  ['messages of another type', { messages: 'hi' }, 'messages'],
  ['too many messages', { messages: Array.from({ length: 10_001 }, () => user) }, 'messages'],
  ['a message that is no object', { messages: ['hi'] }, 'messages.0'],
  ['no role', { messages: [{ content: 'x' }] }, 'messages.0.role'],
  ['an unknown role', { messages: [{ role: 'robot', content: 'x' }] }, 'messages.0.role'],
  ['no content', { messages: [{ role: 'user' }] }, 'messages.0.content'],
  ['content of another type', { messages: [{ role: 'user', content: 7 }] }, 'messages.0.content'],
  ['an empty list of parts', { messages: [{ role: 'user', content: [] }] }, 'messages.0.content'],
  ['an assistant that says nothing', { messages: [{ role: 'assistant', content: null }] }, 'messages.0.content'],
  ['an unknown part', part({ type: 'video', video: {} }), 'messages.0.content.0.type'],
  [
    'a part of a foreign role',
    { messages: [{ role: 'system', content: [{ type: 'image_url', image_url: { url: 'https://a.b/c' } }] }] },
    'messages.0.content.0.type',
  ],
  ['text of another type', part({ type: 'text', text: 1 }), 'messages.0.content.0.text'],
  ['a plain http image', image('http://example.com/a.png'), 'messages.0.content.0.image_url.url'],
  ['a local file as image', image('file:///etc/passwd'), 'messages.0.content.0.image_url.url'],
  ['an https address that is none', image('https://'), 'messages.0.content.0.image_url.url'],
  ['a data URL without base64', image('data:image/png,AAAA'), 'messages.0.content.0.image_url.url'],
  ['a data URL of another kind', image('data:text/html;base64,AAAA'), 'messages.0.content.0.image_url.url'],
  ['an empty data URL', image('data:image/png;base64,'), 'messages.0.content.0.image_url.url'],
  [
    'an image that is a string but no address',
    part({ type: 'image_url', image_url: 'ftp://a.b/c' }),
    'messages.0.content.0.image_url.url',
  ],
  [
    'an unknown detail',
    part({ type: 'image_url', image_url: { url: 'https://a.b/c', detail: 'huge' } }),
    'messages.0.content.0.image_url.detail',
  ],
  [
    'audio without a format',
    part({ type: 'input_audio', input_audio: { data: 'A' } }),
    'messages.0.content.0.input_audio.format',
  ],
  ['a file without data', part({ type: 'file', file: { filename: 'a' } }), 'messages.0.content.0.file.file_data'],
  [
    'a file by plain http',
    part({ type: 'file', file: { file_data: 'http://a.b/c' } }),
    'messages.0.content.0.file.file_data',
  ],
  ['NUL in a name', { messages: [{ ...user, name: 'a\u0000' }] }, 'messages.0.name'],
  ['an orphan tool message', after(answered()), 'messages.1.tool_call_id'],
  [
    'a call answered twice',
    after({ role: 'assistant', tool_calls: [called()] }, answered(), answered()),
    'messages.3.tool_call_id',
  ],
  ['a tool message without id', after({ role: 'tool', content: 'x' }), 'messages.1.tool_call_id'],
  ['an unanswered call at the end', after({ role: 'assistant', tool_calls: [called()] }), 'messages.1.tool_calls.0'],
  [
    'an unanswered call before a user message',
    after({ role: 'assistant', tool_calls: [called('a'), called('b')] }, answered('a'), user),
    'messages.1.tool_calls.1',
  ],
  [
    'two calls with one id',
    after({ role: 'assistant', tool_calls: [called(), called()] }, answered()),
    'messages.1.tool_calls.1.id',
  ],
  [
    'a call without id',
    after({ role: 'assistant', tool_calls: [{ type: 'function', function: { name: 'f' } }] }),
    'messages.1.tool_calls.0.id',
  ],
  [
    'a call without name',
    after({ role: 'assistant', tool_calls: [{ id: 'a', function: {} }] }),
    'messages.1.tool_calls.0.function.name',
  ],
  [
    'arguments that are no text',
    after({ role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', arguments: {} } }] }),
    'messages.1.tool_calls.0.function.arguments',
  ],
  [
    'an unanswered legacy call',
    after({ role: 'assistant', function_call: { name: 'f', arguments: '' } }),
    'messages.1.function_call',
  ],
  ['an orphan function message', after({ role: 'function', name: 'f', content: 'x' }), 'messages.1.name'],
  ['model of another type', { model: 5 }, 'model'],
  ['an empty model', { model: '' }, 'model'],
  ['NUL in the model', { model: 'a/b\u0000' }, 'model'],
  ['NUL in the user', { user: '\u0000' }, 'user'],
  ['temperature above 2', { temperature: 2.1 }, 'temperature'],
  ['temperature as text', { temperature: '1' }, 'temperature'],
  ['top_p above 1', { top_p: 1.1 }, 'top_p'],
  ['a stop of another type', { stop: 5 }, 'stop'],
  ['a stop in the list of another type', { stop: ['a', 5] }, 'stop.1'],
  ['too many stops', { stop: Array.from({ length: 17 }, () => 'a') }, 'stop'],
  ['n of 0', { n: 0 }, 'n'],
  ['n above 128', { n: 129 }, 'n'],
  ['max_tokens of 0', { max_tokens: 0 }, 'max_tokens'],
  ['max_tokens with a fraction', { max_tokens: 1.5 }, 'max_tokens'],
  ['a negative max_completion_tokens', { max_completion_tokens: -1 }, 'max_completion_tokens'],
  ['a seed with a fraction', { seed: 0.5 }, 'seed'],
  ['stream as text', { stream: 'true' }, 'stream'],
  ['stream_options as text', { stream_options: 'usage' }, 'stream_options'],
  ['include_usage as text', { stream_options: { include_usage: 'yes' } }, 'stream_options.include_usage'],
  ['a bias of another type', { logit_bias: { '5': 'much' } }, 'logit_bias.5'],
  ['an unknown effort', { reasoning_effort: 'extreme' }, 'reasoning_effort'],
  ['tools of another type', { tools: {} }, 'tools'],
  ['a kind of tool that is no name', { tools: [{ type: 7 }] }, 'tools.0.type'],
  ['a tool without a kind', { tools: [{}] }, 'tools.0.type'],
  ['a tool without a name', { tools: [{ type: 'function', function: {} }] }, 'tools.0.function.name'],
  [
    'NUL in the name of a tool',
    { tools: [{ type: 'function', function: { name: 'f\u0000' } }] },
    'tools.0.function.name',
  ],
  [
    'parameters that are no schema',
    { tools: [{ type: 'function', function: { name: 'f', parameters: [] } }] },
    'tools.0.function.parameters',
  ],
  ['an unknown word of choice', { tools: [tool], tool_choice: 'maybe' }, 'tool_choice'],
  [
    'a choice of a tool that is not there',
    { tools: [tool], tool_choice: { type: 'function', function: { name: 'g' } } },
    'tool_choice',
  ],
  ['a forced choice without tools', { tool_choice: 'required' }, 'tool_choice'],
  ['an unknown response_format', { response_format: { type: 'xml' } }, 'response_format.type'],
  [
    'a schema whose name is a number',
    { response_format: { type: 'json_schema', json_schema: { name: 1, schema: {} } } },
    'response_format.json_schema.name',
  ],
  [
    'a schema with a bad name',
    { response_format: { type: 'json_schema', json_schema: { name: 'a b', schema: {} } } },
    'response_format.json_schema.name',
  ],
  [
    'a schema that is none',
    { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: 'x' } } },
    'response_format.json_schema.schema',
  ],
  ['svc as text', { svc: 'kb' }, 'svc'],
  ['knowledge bases of another type', { svc: { knowledge_base_ids: 'kb' } }, 'svc.knowledge_base_ids'],
  ['a knowledge base of another type', { svc: { knowledge_base_ids: [1] } }, 'svc.knowledge_base_ids.0'],
  ['an unknown sort', { svc: { routing: { sort: 'luck' } } }, 'svc.routing.sort'],
  ['a negative price', { svc: { routing: { max_price: { input: -1 } } } }, 'svc.routing.max_price.input'],
];

describe('what is refused names its field', () => {
  test.each(REFUSED)('%s', (_name, body, param) => {
    let thrown: unknown;
    try {
      openaiChatClient.decodeRequest({ messages: [user], ...body });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(GatewayError);
    expect(thrown).toMatchObject({ code: 'invalid_request', status: 400, options: { param } });
  });
});

describe('any body at all', () => {
  const decodes = (body: JsonObject): void => {
    try {
      openaiChatClient.decodeRequest(body);
    } catch (error) {
      expect(error).toBeInstanceOf(GatewayError);
    }
  };

  test('arbitrary JSON never throws anything but invalid_request', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (body) => decodes(body as JsonObject)),
      { numRuns: 500 },
    );
  });

  test('a valid body with any one value replaced by anything', () => {
    const body = JSON.stringify({
      model: 'a/b',
      messages: [
        { role: 'system', content: 's' },
        {
          role: 'user',
          name: 'n',
          content: [
            { type: 'text', text: 't' },
            { type: 'image_url', image_url: { url: 'https://a.b/c', detail: 'low' } },
            { type: 'file', file: { file_id: 'f' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          reasoning_details: [{ type: 'reasoning.text', text: 'x', index: 0 }],
          tool_calls: [called()],
        },
        answered(),
      ],
      tools: [
        { type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' }, strict: true } },
      ],
      tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [tool] } },
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: {} } },
      stop: ['a'],
      logit_bias: { '1': 1 },
      reasoning: { effort: 'low' },
      stream_options: { include_usage: true },
      svc: { knowledge_base_ids: ['k'], routing: { only: ['a'], max_price: { input: 1 } } },
    });
    const count = countValues(parseJson(body));
    const { nat, jsonValue, constantFrom, oneof } = fc;
    const anything = oneof(jsonValue(), constantFrom<unknown[]>(null, [], {}, '', 0, -1, '\u0000', [null], [[]], true));
    fc.assert(
      fc.property(nat({ max: count - 1 }), anything, (at, value) =>
        decodes(replaceValue(parseJson(body), at, value as Json) as JsonObject),
      ),
      { numRuns: 2_000 },
    );
  });
});

function countValues(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, item) => sum + 1 + countValues(item ?? null), 0);
}

/** Replaces the value met at place `at` of a walk; the walk ends there. */
function replaceValue(root: Json, at: number, replacement: Json): Json {
  let left = at;
  const walk = (value: Json): void => {
    if (typeof value !== 'object' || value === null) return;
    const holder = value as Record<string, Json>;
    for (const key of Object.keys(holder)) {
      if (left < 0) return;
      if (left-- === 0) holder[key] = replacement;
      else walk(holder[key] ?? null);
    }
  };
  walk(root);
  return root;
}
