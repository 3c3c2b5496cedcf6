import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { foreignFieldWarnings, refuseForeignContent } from '../../src/protocols/foreign-fields.ts';
import { anthropicMessagesClient } from '../../src/protocols/index.ts';
import { refusalOf } from './refusal-of.ts';

const decode = (more: JsonObject, ...content: JsonObject[]) =>
  anthropicMessagesClient.decodeRequest({
    max_tokens: 9,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'q' }, ...content] }],
    ...more,
  });

describe('what only the protocol of the client understands', () => {
  it.each<[string, ReturnType<typeof decode>, string]>([
    ['a hosted tool', decode({ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }), 'tools.0'],
    [
      'tools of a remote server',
      decode({ mcp_servers: [{ type: 'url', url: 'https://e', name: 'e' }] }),
      'mcp_servers',
    ],
    ['a block of an unknown kind', decode({}, { type: 'container_upload', file_id: 'f' }), 'messages.0.content.1'],
  ])('is refused by name in another: %s', (_name, request, param) => {
    expect(refusalOf(() => refuseForeignContent(request, 'openai-chat'))).toEqual({ code: 'invalid_request', param });
    expect(() => refuseForeignContent(request, 'anthropic-messages')).not.toThrow();
  });

  it('may hold the past work of server tools, whose findings the text tells', () => {
    const request = decode({}, { type: 'web_search_tool_result', tool_use_id: 's', content: [] });
    expect(() => refuseForeignContent(request, 'openai-chat')).not.toThrow();
  });

  it('keeps documents that were modelled as well', () => {
    const source = { type: 'content', content: [{ type: 'text', text: 'inner' }] };
    expect(() => refuseForeignContent(decode({}, { type: 'document', source }), 'gemini-generate')).not.toThrow();
  });

  it('is warned about, field by field, where it changes nothing', () => {
    const request = decode({ service_tier: 'auto', context_management: { edits: [] } });
    expect(foreignFieldWarnings(request, 'openai-chat').map((warning) => warning.split(' ')[0])).toEqual([
      'service_tier',
      'context_management',
    ]);
    expect(foreignFieldWarnings(request, 'anthropic-messages')).toEqual([]);
  });
});
