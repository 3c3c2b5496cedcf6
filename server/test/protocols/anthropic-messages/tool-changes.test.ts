import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import {
  anthropicMessagesClient,
  anthropicMessagesUpstream,
  openaiChatUpstream,
} from '../../../src/protocols/index.ts';
import { target } from './surroundings.ts';

const schema = { type: 'object', properties: {} };
const tool = (name: string): JsonObject => ({ name, description: `Does ${name}.`, input_schema: schema });
const reference = (name: string): JsonObject => ({ type: 'tool_reference', name });
const added = (definition: JsonObject): JsonObject => ({
  type: 'tool_addition',
  tool: { type: 'tool_definition', definition },
});
const offered = (name: string): JsonObject => ({ type: 'tool_addition', tool: reference(name) });
const removed = (name: string): JsonObject => ({ type: 'tool_removal', tool: reference(name) });

function body(...changes: JsonObject[]): JsonObject {
  return {
    model: 'vendor/model',
    max_tokens: 100,
    tools: [tool('read'), tool('write')],
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'system', content: changes },
      { role: 'user', content: 'go on' },
    ],
  };
}

function toolsAtOther(wire: JsonObject): string[] {
  const { body: sent } = openaiChatUpstream.encodeRequest(anthropicMessagesClient.decodeRequest(wire), target());
  return (sent['tools'] as { function: { name: string } }[]).map((one) => one.function.name);
}

describe('tools that change in the midst of a conversation', () => {
  it.each<[string, JsonObject[], string[]]>([
    ['a tool that was withdrawn is no longer offered', [removed('read')], ['write']],
    ['a tool defined in a message is offered', [added(tool('search'))], ['read', 'write', 'search']],
    ['a later definition replaces an earlier one', [added({ ...tool('read'), description: 'new' })], ['read', 'write']],
    ['what was withdrawn can be offered again', [removed('read'), offered('read')], ['read', 'write']],
    ['what a compacted stretch changed counts', [{ type: 'compaction', tool_changes: [removed('write')] }], ['read']],
  ])('%s', (_title, changes, names) => {
    expect(toolsAtOther(body(...changes))).toEqual(names);
  });

  it('a provider of this language gets its own list and the blocks that change it', () => {
    const wire = body(removed('read'), added(tool('search')));
    const { body: sent } = anthropicMessagesUpstream.encodeRequest(
      anthropicMessagesClient.decodeRequest(wire),
      target(),
    );
    expect(sent['tools']).toEqual(wire['tools']);
    expect(JSON.stringify(sent['messages'])).toContain('tool_removal');
  });

  it('the tools that a search found arrive as words where the language has no such block', () => {
    const wire: JsonObject = {
      model: 'vendor/model',
      max_tokens: 100,
      tools: [tool('read')],
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'find_tools', input: {} }] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'tool_reference', tool_name: 'read' }] },
          ],
        },
      ],
    };
    const request = anthropicMessagesClient.decodeRequest(wire);
    const { body: sent } = openaiChatUpstream.encodeRequest(request, target());
    const result = (sent['messages'] as JsonObject[]).find(({ role }) => role === 'tool');
    expect(JSON.stringify(result?.['content'])).toContain('read');
    const own = anthropicMessagesUpstream.encodeRequest(request, target());
    expect(JSON.stringify(own.body['messages'])).toContain('"type":"tool_reference","tool_name":"read"');
  });
});
