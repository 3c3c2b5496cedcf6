import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import { anthropicMessagesClient } from '../../../src/protocols/index.ts';
import { refusalOf } from '../refusal-of.ts';

const { decodeRequest } = anthropicMessagesClient;

function body(more: JsonObject = {}): JsonObject {
  return { model: 'vendor/model', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }], ...more };
}

function userBlocks(...content: JsonObject[]): JsonObject {
  return body({ messages: [{ role: 'user', content }] });
}

describe('refusals name the field', () => {
  const call = { type: 'tool_use', id: 't1', name: 'f', input: {} };
  const cases: [string, JsonObject, string][] = [
    ['no messages', body({ messages: [] }), 'messages'],
    ['messages of a wrong type', body({ messages: 'hi' }), 'messages'],
    ['an unknown role', body({ messages: [{ role: 'robot', content: '' }] }), 'messages.0.role'],
    ['content that is a number', body({ messages: [{ role: 'user', content: 5 }] }), 'messages.0.content'],
    ['a block without type', userBlocks({ text: 'x' }), 'messages.0.content.0.type'],
    ['text that is no text', userBlocks({ type: 'text', text: 1 }), 'messages.0.content.0.text'],
    [
      'an unknown picture source',
      userBlocks({ type: 'image', source: { type: 'ftp' } }),
      'messages.0.content.0.source.type',
    ],
    [
      'thinking in a user turn',
      userBlocks({ type: 'thinking', thinking: 'x', signature: 's' }),
      'messages.0.content.0',
    ],
    ['a tool without schema', body({ tools: [{ name: 'f' }] }), 'tools.0.input_schema'],
    ['an unknown tool choice', body({ tool_choice: { type: 'some' } }), 'tool_choice.type'],
    ['a limit below zero', body({ max_tokens: -1 }), 'max_tokens'],
    ['a temperature of 3', body({ temperature: 3 }), 'temperature'],
    ['thinking without a budget', body({ thinking: { type: 'enabled' } }), 'thinking.budget_tokens'],
    ['an unknown output format', body({ output_config: { format: { type: 'xml' } } }), 'output_config.format.type'],
    ['a model that is no text', body({ model: 7 }), 'model'],
    [
      'a call that is never answered',
      body({
        messages: [
          { role: 'user', content: 'q' },
          { role: 'assistant', content: [call] },
        ],
      }),
      'messages.1.content',
    ],
    [
      'a call that is not answered before the next turn',
      body({
        messages: [
          { role: 'user', content: 'q' },
          { role: 'assistant', content: [call] },
          { role: 'user', content: 'never mind' },
          { role: 'assistant', content: 'ok' },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'late' }] },
        ],
      }),
      'messages.1.content',
    ],
    [
      'a result nobody asked for',
      userBlocks({ type: 'tool_result', tool_use_id: 'ghost', content: 'boo' }),
      'messages.0.content',
    ],
  ];
  it.each(cases)('%s', (_name, wrong, param) => {
    expect(refusalOf(() => decodeRequest(wrong))).toEqual({ code: 'invalid_request', param });
  });
});
