import { describe, expect, test } from 'vitest';
import type { ChatRequest, Part } from '../../../src/core/chat.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { openaiChatRelay, openaiChatUpstream, type Quirks } from '../../../src/protocols/index.ts';
import { request, target } from './fixtures.ts';

const encode = (original: ChatRequest, quirks: Quirks = {}, more = {}) =>
  openaiChatUpstream.encodeRequest(original, target(quirks, more));

/** A translated request and a relayed one must meet the same provider alike. */
function bothWays(body: JsonObject, quirks: Quirks, more = {}): { body: JsonObject; warnings: string[] }[] {
  const full = { messages: [{ role: 'user', content: 'hi' }], ...body };
  const decoded = request(full);
  return [encode(decoded, quirks, more), openaiChatRelay.patchRequest(full, decoded, target(quirks, more))];
}

describe('as documented', () => {
  test('path, headers and the least body', () => {
    expect(encode(request())).toEqual({
      path: '/chat/completions',
      headers: { accept: 'application/json' },
      body: { model: 'upstream-model', messages: [{ role: 'user', content: 'hi' }] },
      warnings: [],
    });
  });

  test('usage is always asked for in streams', () => {
    for (const { body } of bothWays({ stream: true }, {}, { stream: true })) {
      expect(body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
    }
  });

  test('the limit is the one of the target, never the client’s own', () => {
    for (const { body } of bothWays({ max_tokens: 500 }, {}, { maxOutputTokens: 100 })) {
      expect(body['max_tokens']).toBe(100);
    }
  });

  test('tool_choice and parallel_tool_calls are left out where there are no tools', () => {
    const { body } = encode({ ...request(), toolChoice: { kind: 'auto' }, parallelToolCalls: true });
    expect(Object.keys(body)).toEqual(['model', 'messages']);
  });

  test('media of tool results follow in a user message, after the whole run of tool messages', () => {
    const image: Part = { kind: 'image', source: { kind: 'data', mediaType: 'image/png', data: 'AAAA' } };
    const { body } = encode({
      ...request(),
      messages: [
        { role: 'user', parts: [{ kind: 'text', text: 'look' }] },
        {
          role: 'assistant',
          parts: [
            { kind: 'tool-call', id: 'a', name: 'f', arguments: '' },
            { kind: 'tool-call', id: 'b', name: 'f', arguments: '' },
          ],
        },
        {
          role: 'tool',
          parts: [
            { kind: 'tool-result', callId: 'a', content: [image] },
            {
              kind: 'tool-result',
              callId: 'b',
              content: [
                { kind: 'text', text: 'one' },
                { kind: 'text', text: 'two' },
              ],
            },
          ],
        },
      ],
    });
    expect((body['messages'] as JsonObject[]).slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: expect.stringContaining('next message') },
      { role: 'tool', tool_call_id: 'b', content: 'one\n\ntwo' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] },
    ]);
  });

  test('what the chat protocol cannot carry is refused by name', () => {
    const file: Part = { kind: 'image', source: { kind: 'file-id', id: 'file_1' } };
    const refused = () => encode({ ...request(), messages: [{ role: 'user', parts: [file] }] });
    expect(refused).toThrow(
      expect.objectContaining({ code: 'invalid_request', options: expect.objectContaining({ param: 'messages.0' }) }),
    );
  });
});

describe('named deviations', () => {
  test('azure: the model is part of the path', () => {
    const { path } = encode(request(), { azure: { apiVersion: '2025-04-01' } });
    expect(path).toBe('/deployments/upstream-model/chat/completions?api-version=2025-04-01');
  });

  test.each(['max_tokens', 'max_completion_tokens'] as const)('maxTokensField: %s', (maxTokensField) => {
    for (const { body } of bothWays(
      { max_tokens: 7, max_completion_tokens: 9 },
      { maxTokensField },
      { maxOutputTokens: 9 },
    )) {
      const limits = Object.entries(body).filter(([field]) => field.startsWith('max_'));
      expect(limits).toEqual([[maxTokensField, 9]]);
    }
  });

  test('rejectsStreamOptions', () => {
    for (const { body } of bothWays({ stream: true }, { rejectsStreamOptions: true }, { stream: true })) {
      expect(body).not.toHaveProperty('stream_options');
    }
  });

  test('noDeveloperRole', () => {
    const messages = [{ role: 'developer', content: 'x' }];
    for (const { body } of bothWays({ messages }, { noDeveloperRole: true })) {
      expect(body['messages']).toEqual([{ role: 'system', content: 'x' }]);
    }
  });

  test('rejectsSampling and dropFields drop with a warning', () => {
    const wishes = { temperature: 0.7, top_p: 0.5, seed: 1, user: 'u' };
    for (const { body, warnings } of bothWays(wishes, { rejectsSampling: true, dropFields: ['seed', 'n'] })) {
      expect(body).not.toHaveProperty('temperature');
      expect(body).not.toHaveProperty('top_p');
      expect(body).not.toHaveProperty('seed');
      expect(body['user']).toBe('u');
      expect(warnings.map((text) => text.split(' ')[0])).toEqual(['temperature', 'top_p', 'seed']);
    }
  });

  test('rejectsStrictTools', () => {
    const tools = [{ type: 'function', function: { name: 'f', strict: true } }];
    for (const { body } of bothWays({ tools }, { rejectsStrictTools: true })) {
      expect(body['tools']).toEqual([{ type: 'function', function: { name: 'f' } }]);
    }
  });

  test.each<[string, JsonObject, Quirks['reasoningStyle'], JsonObject]>([
    ['effort stays', { reasoning_effort: 'high' }, undefined, { reasoning_effort: 'high' }],
    ['max is OpenAI’s xhigh', { reasoning_effort: 'max' }, 'reasoning_effort', { reasoning_effort: 'xhigh' }],
    ['a budget becomes an effort', { reasoning: { max_tokens: 4_000 } }, undefined, { reasoning_effort: 'medium' }],
    ['off', { reasoning: { enabled: false } }, undefined, { reasoning_effort: 'none' }],
    [
      'openrouter takes the object',
      { reasoning: { max_tokens: 4_000, effort: 'low', exclude: true } },
      'openrouter',
      { reasoning: { max_tokens: 4_000, exclude: true } },
    ],
    ['openrouter from an effort', { reasoning_effort: 'low' }, 'openrouter', { reasoning: { effort: 'low' } }],
    ['a switch, on', { reasoning_effort: 'low' }, 'thinking-switch', { thinking: { type: 'enabled' } }],
    ['a switch, off', { reasoning_effort: 'none' }, 'thinking-switch', { thinking: { type: 'disabled' } }],
    ['none at all', { reasoning_effort: 'low' }, 'none', {}],
  ])('reasoningStyle: %s', (_name, wish, reasoningStyle, expected) => {
    for (const { body } of bothWays(wish, reasoningStyle ? { reasoningStyle } : {})) {
      const { model: _model, messages: _messages, ...rest } = body;
      expect(rest).toEqual(expected);
    }
  });

  test.each<[string, Quirks, JsonObject]>([
    ['dropped by default', {}, {}],
    ['as reasoning_content', { replayReasoningAs: 'reasoning_content' }, { reasoning_content: 'hm' }],
    ['as reasoning', { replayReasoningAs: 'reasoning' }, { reasoning: 'hm' }],
    [
      'as reasoning_details',
      { replayReasoningAs: 'reasoning_details' },
      { reasoning_details: [{ type: 'reasoning.text', text: 'hm', index: 0 }] },
    ],
  ])('earlier reasoning: %s', (_name, quirks, expected) => {
    const messages = [
      { role: 'assistant', content: 'so', reasoning_content: 'hm' },
      { role: 'user', content: 'and?' },
    ];
    for (const { body } of bothWays({ messages }, quirks)) {
      expect((body['messages'] as JsonObject[])[0]).toEqual({ role: 'assistant', content: 'so', ...expected });
    }
  });

  test('signatures and cache markers go only to those who take them', () => {
    const original = request({
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }] },
        {
          role: 'assistant',
          tool_calls: [
            {
              id: 'a',
              type: 'function',
              function: { name: 'f', arguments: '{}' },
              extra_content: { google: { thought_signature: 's' } },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'a', content: 'ok' },
      ],
    });
    expect(JSON.stringify(encode(original).body)).not.toMatch(/cache_control|extra_content/);
    const marked = JSON.stringify(encode(original, { takesCacheControl: true, replaysToolSignatures: true }).body);
    expect(marked).toContain('"cache_control":{"type":"ephemeral"}');
    expect(marked).toContain('"extra_content":{"google":{"thought_signature":"s"}}');
  });
});

describe('relayed requests', () => {
  const relay = (body: JsonObject, more = {}) =>
    openaiChatRelay.patchRequest(body, request(body), target({}, more)).body;

  test('unknown fields survive at every depth, svc does not', () => {
    const body = {
      model: 'vendor/model',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'x', novelty: 1 }], novelty: 2 }],
      tools: [{ type: 'function', function: { name: 'f', novelty: 3 }, novelty: 4 }],
      novelty: { deep: [5] },
      svc: { knowledge_base_ids: [] },
    };
    const { svc: _svc, ...rest } = body;
    expect(relay(body)).toEqual({ ...rest, model: 'upstream-model' });
    expect(body.svc).toBeDefined();
  });

  test('the client’s own stream options stay beside ours', () => {
    const body = {
      messages: [{ role: 'user', content: 'x' }],
      stream: true,
      stream_options: { include_obfuscation: false },
    };
    expect(relay(body, { stream: true })['stream_options']).toEqual({
      include_obfuscation: false,
      include_usage: true,
    });
  });

  test('the limit keeps the name the client used', () => {
    const body = { messages: [{ role: 'user', content: 'x' }], max_completion_tokens: 50 };
    expect(relay(body, { maxOutputTokens: 20 })).toMatchObject({ max_completion_tokens: 20 });
    expect(relay(body, { maxOutputTokens: 20 })).not.toHaveProperty('max_tokens');
  });
});
