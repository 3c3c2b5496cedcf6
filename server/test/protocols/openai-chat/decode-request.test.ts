import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/core/json.ts';
import { request } from './fixtures.ts';

const user = { role: 'user', content: 'hi' };
const called = (id = 'c1') => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });
const answered = (id = 'c1') => ({ role: 'tool', tool_call_id: id, content: 'done' });
const tool = { type: 'function', function: { name: 'f' } };

describe('usage in streams', () => {
  const asks = (more: JsonObject) => request({ stream: true, ...more }).includeUsage;

  test('is said in three ways, the first of which decides; saying nothing is left to the key', () => {
    expect(asks({})).toBeUndefined();
    expect(asks({ stream_options: {} })).toBeUndefined();
    expect(asks({ stream_options: { include_usage: true } })).toBe(true);
    expect(asks({ stream_options: { include_usage: false }, usage: { include: true } })).toBe(false);
    expect(asks({ usage: { include: true } })).toBe(true);
    expect(asks({ usage: { include: false }, provider: { sort: 'price' } })).toBe(false);
  });

  test.each(['reasoning', 'include_reasoning', 'plugins', 'models', 'provider', 'transforms', 'route'])(
    'is told to clients of OpenRouter, which are known by %s',
    (field) => {
      const value: Json = field === 'include_reasoning' ? true : field === 'reasoning' ? { effort: 'low' } : [];
      expect(asks({ [field]: value })).toBe(true);
      expect(asks({ [field]: null })).toBeUndefined();
      expect(asks({ [field]: value, stream: false })).toBeUndefined();
    },
  );
});

describe('what a request may hold', () => {
  test('the least there can be', () => {
    expect(request()).toEqual({
      model: undefined,
      messages: [{ role: 'user', parts: [{ kind: 'text', text: 'hi' }] }],
      tools: [],
      output: { kind: 'text' },
      sampling: {},
      stream: false,
      includeUsage: undefined,
      svc: { knowledgeBaseIds: [] },
      extras: {},
    });
  });

  test('null is absent in every optional field', () => {
    const fields = [
      'model',
      'temperature',
      'top_p',
      'stop',
      'tools',
      'tool_choice',
      'response_format',
      'seed',
      'user',
      'svc',
      'n',
      'max_tokens',
      'stream',
      'stream_options',
      'logit_bias',
      'reasoning',
      'reasoning_effort',
      'functions',
      'function_call',
    ];
    expect(request(Object.fromEntries(fields.map((field) => [field, null])))).toEqual(request());
  });

  test('sampling, limits and switches', () => {
    const decoded = request({
      model: 'group:coding',
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      seed: -3,
      stop: 'END',
      presence_penalty: -2,
      frequency_penalty: 2,
      logit_bias: { '1': -100 },
      n: 128,
      logprobs: true,
      top_logprobs: 20,
      max_tokens: 10,
      stream: true,
      stream_options: { include_usage: true },
      user: 'u-1',
      parallel_tool_calls: false,
    });
    expect(decoded).toMatchObject({
      model: 'group:coding',
      sampling: {
        temperature: 0.5,
        topP: 0.9,
        topK: 40,
        seed: -3,
        stop: ['END'],
        presencePenalty: -2,
        frequencyPenalty: 2,
        logitBias: { '1': -100 },
        count: 128,
        logprobs: true,
        topLogprobs: 20,
      },
      maxOutputTokens: 10,
      stream: true,
      includeUsage: true,
      user: 'u-1',
      parallelToolCalls: false,
    });
  });

  test('max_completion_tokens wins over max_tokens', () => {
    expect(request({ max_tokens: 10, max_completion_tokens: 20 }).maxOutputTokens).toBe(20);
  });

  test('unknown fields travel as extras', () => {
    expect(request({ verbosity: 'low', metadata: { a: '1' } }).extras).toEqual({
      'openai-chat': { verbosity: 'low', metadata: { a: '1' } },
    });
  });

  test('svc', () => {
    const svc = {
      knowledge_base_ids: ['kb1', 'kb2', 'kb1'],
      routing: {
        only: ['a'],
        ignore: ['b'],
        order: ['c'],
        sort: 'price',
        max_price: { input: 1, output: 2.5 },
        models: ['v/m'],
      },
    };
    expect(request({ svc }).svc).toEqual({
      knowledgeBaseIds: ['kb1', 'kb2'],
      routing: {
        only: ['a'],
        ignore: ['b'],
        order: ['c'],
        sort: 'price',
        maxPrice: { input: 1, output: 2.5 },
        models: ['v/m'],
      },
    });
  });

  test('reasoning in both styles', () => {
    expect(request({ reasoning_effort: 'high' }).reasoning).toEqual({ effort: 'high' });
    expect(
      request({ reasoning: { max_tokens: 2000, enabled: true, summary: 'auto', exclude: true } }).reasoning,
    ).toEqual({
      budgetTokens: 2000,
      mode: 'enabled',
      summary: 'auto',
      extras: { 'openai-chat': { exclude: true } },
    });
    expect(request({ reasoning: { enabled: false } }).reasoning).toEqual({ mode: 'disabled' });
  });

  test('parts of a user message', () => {
    const content = [
      { type: 'text', text: 'look', cache_control: { type: 'ephemeral', ttl: '1h' } },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } },
      { type: 'image_url', image_url: { url: 'data:image/webp;base64,AAAA' } },
      { type: 'input_audio', input_audio: { data: 'BBBB', format: 'mp3' } },
      { type: 'file', file: { file_id: 'file-1' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,CCCC' } },
      { type: 'file', file: { filename: 'b.pdf', file_data: 'DDDD' } },
    ];
    expect(request({ messages: [{ role: 'user', name: 'sara', content }] }).messages).toEqual([
      {
        role: 'user',
        name: 'sara',
        parts: [
          { kind: 'text', text: 'look', cacheControl: { ttl: '1h' } },
          { kind: 'image', source: { kind: 'url', url: 'https://example.com/a.png' }, detail: 'low' },
          { kind: 'image', source: { kind: 'data', mediaType: 'image/webp', data: 'AAAA' } },
          { kind: 'audio', format: 'mp3', data: 'BBBB' },
          { kind: 'file', source: { kind: 'file-id', id: 'file-1' } },
          {
            kind: 'file',
            name: 'a.pdf',
            mediaType: 'application/pdf',
            source: { kind: 'data', mediaType: 'application/pdf', data: 'CCCC' },
          },
          {
            kind: 'file',
            name: 'b.pdf',
            mediaType: 'application/pdf',
            source: { kind: 'data', mediaType: 'application/pdf', data: 'DDDD' },
          },
        ],
      },
    ]);
  });

  test('a conversation with tools, reasoning and refusals, as SDKs push our answers back', () => {
    const messages = [
      { role: 'system', content: 'be kind' },
      { role: 'developer', content: [{ type: 'text', text: 'be brief' }] },
      user,
      {
        role: 'assistant',
        content: null,
        refusal: null,
        annotations: [],
        reasoning_content: 'hm',
        tool_calls: [{ ...called('c1'), extra_content: { google: { thought_signature: 'sig' } } }, called('c2')],
      },
      answered('c2'),
      { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'one' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'so' },
          { type: 'refusal', refusal: 'no' },
        ],
      },
      { role: 'assistant', content: '', refusal: 'never' },
      user,
    ];
    expect(request({ messages }).messages.slice(0, 8)).toEqual([
      { role: 'system', parts: [{ kind: 'text', text: 'be kind' }] },
      { role: 'developer', parts: [{ kind: 'text', text: 'be brief' }] },
      { role: 'user', parts: [{ kind: 'text', text: 'hi' }] },
      {
        role: 'assistant',
        parts: [
          { kind: 'reasoning', text: 'hm' },
          { kind: 'tool-call', id: 'c1', name: 'f', arguments: '{}', signature: 'sig' },
          { kind: 'tool-call', id: 'c2', name: 'f', arguments: '{}' },
        ],
      },
      { role: 'tool', parts: [{ kind: 'tool-result', callId: 'c2', content: [{ kind: 'text', text: 'done' }] }] },
      { role: 'tool', parts: [{ kind: 'tool-result', callId: 'c1', content: [{ kind: 'text', text: 'one' }] }] },
      {
        role: 'assistant',
        parts: [
          { kind: 'text', text: 'so' },
          { kind: 'refusal', text: 'no' },
        ],
      },
      { role: 'assistant', parts: [{ kind: 'refusal', text: 'never' }] },
    ]);
  });

  test('the legacy protocol of functions', () => {
    const decoded = request({
      messages: [
        user,
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
        { role: 'function', name: 'f', content: '1' },
      ],
      functions: [{ name: 'f', parameters: { type: 'object' } }],
      function_call: { name: 'f' },
    });
    expect(decoded.tools).toEqual([{ kind: 'function', name: 'f', parameters: { type: 'object' } }]);
    expect(decoded.toolChoice).toEqual({ kind: 'tool', name: 'f' });
    expect(decoded.messages[2]?.parts).toMatchObject([{ kind: 'tool-result', callId: 'call_function_1' }]);
  });

  test.each<[string, Json, object | undefined]>([
    ['auto', 'auto', { kind: 'auto' }],
    ['none', 'none', { kind: 'none' }],
    ['required', 'required', { kind: 'required' }],
    ['one function', { type: 'function', function: { name: 'f' } }, { kind: 'tool', name: 'f' }],
    ['one custom tool', { type: 'custom', custom: { name: 'g' } }, { kind: 'tool', name: 'g' }],
    [
      'allowed tools',
      { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [tool] } },
      { kind: 'allowed', mode: 'required', names: ['f'] },
    ],
  ])('tool_choice: %s', (_name, tool_choice, expected) => {
    const custom = { type: 'custom', custom: { name: 'g', format: { type: 'text' } } };
    const decoded = request({ tools: [tool, custom], tool_choice });
    expect(decoded.toolChoice).toEqual(expected);
    expect(decoded.tools[1]).toEqual({
      kind: 'custom',
      name: 'g',
      extras: { 'openai-chat': { format: { type: 'text' } } },
    });
  });

  test('response_format', () => {
    expect(request({ response_format: { type: 'json_object' } }).output).toEqual({ kind: 'json' });
    const json_schema = { name: 'answer', strict: true, schema: { type: 'object' } };
    expect(request({ response_format: { type: 'json_schema', json_schema } }).output).toEqual({
      kind: 'json-schema',
      ...json_schema,
    });
  });
});
