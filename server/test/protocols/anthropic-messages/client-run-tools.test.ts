/** Tools that Anthropic defines and the client runs work on every provider. */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import {
  anthropicMessagesClient,
  anthropicMessagesUpstream,
  geminiUpstream,
  openaiChatUpstream,
  openaiResponsesUpstream,
} from '../../../src/protocols/index.ts';
import { target } from '../openai-chat/fixtures.ts';
import { refusalOf } from '../refusal-of.ts';

const decode = (...tools: JsonObject[]) =>
  anthropicMessagesClient.decodeRequest({ max_tokens: 9, messages: [{ role: 'user', content: 'hi' }], tools });

const TOOLS: [type: string, name: string, commands: string[] | undefined][] = [
  ['bash_20250124', 'bash', undefined],
  ['text_editor_20250124', 'str_replace_editor', ['view', 'create', 'str_replace', 'insert', 'undo_edit']],
  ['text_editor_20250728', 'str_replace_based_edit_tool', ['view', 'create', 'str_replace', 'insert']],
  ['memory_20250818', 'memory', ['view', 'create', 'str_replace', 'insert', 'delete', 'rename']],
];

describe.each(TOOLS)('%s', (type, name, commands) => {
  const tool = { type, name, cache_control: { type: 'ephemeral' }, max_characters: 7 };
  const own = { name: 'own', input_schema: { type: 'object' } };
  const request = decode(tool, own);

  test('is a function with the documented arguments to other protocols', () => {
    const { tools } = openaiChatUpstream.encodeRequest(request, target()).body as { tools: JsonObject[] };
    expect(tools.map((sent) => (sent['function'] as JsonObject)['name'])).toEqual([name, 'own']);
    const { parameters } = (tools[0] as JsonObject)['function'] as { parameters: { properties: JsonObject } };
    const command = parameters.properties['command'] as JsonObject;
    expect(command['type']).toBe('string');
    expect(command['enum']).toEqual(commands);
    for (const upstream of [openaiResponsesUpstream, geminiUpstream]) {
      const { body } = upstream.encodeRequest(request, target());
      expect(JSON.stringify(body['tools'])).toContain(`"${name}"`);
      expect(JSON.stringify(body)).not.toContain('max_characters');
    }
  });

  test('is what it was to Anthropic', () => {
    const to = target({}, { modelMaxOutput: 9 });
    expect(anthropicMessagesUpstream.encodeRequest(request, to).body['tools']).toEqual([
      tool,
      { ...own, input_schema: { properties: {}, type: 'object' } },
    ]);
  });
});

test('what the provider runs is still refused elsewhere, by its place', () => {
  const request = decode({ type: 'bash_20250124', name: 'bash' }, { type: 'computer_20250124', name: 'computer' });
  const refusal = refusalOf(() => openaiChatUpstream.encodeRequest(request, target()));
  expect(refusal).toEqual({ code: 'invalid_request', param: 'tools.1' });
});
