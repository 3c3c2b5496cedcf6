import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import { anthropicMessagesClient, decodeCountTokensRequest } from '../../../src/protocols/index.ts';
import { refusalOf } from '../refusal-of.ts';
import { claudeCodeBody } from './claude-code-body.ts';

const { decodeRequest } = anthropicMessagesClient;

function body(more: JsonObject = {}): JsonObject {
  return { model: 'vendor/model', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }], ...more };
}

function userBlocks(...content: JsonObject[]): JsonObject {
  return body({ messages: [{ role: 'user', content }] });
}

describe('a Messages request', () => {
  it('reads the smallest body', () => {
    expect(decodeRequest(body())).toEqual({
      model: 'vendor/model',
      messages: [{ role: 'user', parts: [{ kind: 'text', text: 'hi' }] }],
      tools: [],
      output: { kind: 'text' },
      sampling: {},
      maxOutputTokens: 100,
      stream: false,
      includeUsage: true,
      svc: { knowledgeBaseIds: [] },
      extras: {},
    });
  });

  it('reads system as text and as blocks, and system messages inside the conversation', () => {
    const asText = decodeRequest(body({ system: 'be kind' }));
    expect(asText.messages[0]).toEqual({ role: 'system', parts: [{ kind: 'text', text: 'be kind' }] });
    const blocks = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b', cache_control: { type: 'ephemeral', ttl: '1h' } },
    ];
    const mixed = decodeRequest(
      body({
        system: blocks,
        messages: [
          { role: 'user', content: 'x' },
          { role: 'system', content: 'now be brief' },
          { role: 'user', content: 'y' },
        ],
      }),
    );
    expect(mixed.messages.map(({ role }) => role)).toEqual(['system', 'user', 'system', 'user']);
    expect(mixed.messages[0]?.parts[1]).toEqual({ kind: 'text', text: 'b', cacheControl: { ttl: '1h' } });
  });

  it('reads every source of pictures and documents', () => {
    const pdf = { type: 'base64', media_type: 'application/pdf', data: 'JVBE' };
    const request = decodeRequest(
      userBlocks(
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
        { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
        { type: 'image', source: { type: 'file', file_id: 'file_1' } },
        { type: 'document', source: pdf, title: 'T', context: 'C', citations: { enabled: true } },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'plain' } },
        { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
        { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'inner' }] } },
        { type: 'search_result', source: 'https://s', title: 'S', content: [{ type: 'text', text: 'found' }] },
      ),
    );
    const parts = request.messages[0]?.parts ?? [];
    expect(parts.slice(0, 3).map((part) => part.kind === 'image' && part.source.kind)).toEqual([
      'data',
      'url',
      'file-id',
    ]);
    expect(parts[3]).toEqual({
      kind: 'file',
      name: 'T',
      source: { kind: 'data', mediaType: 'application/pdf', data: 'JVBE' },
      extras: { 'anthropic-messages': { context: 'C', citations: { enabled: true } } },
    });
    expect(parts.slice(4).map((part) => part.kind === 'file' && part.source)).toEqual([
      { kind: 'text', text: 'plain' },
      { kind: 'url', url: 'https://example.com/a.pdf' },
      { kind: 'text', text: 'inner' },
      { kind: 'text', text: 'https://s\n\nfound' },
    ]);
  });

  it('keeps thinking byte for byte and gives its origin', () => {
    const signature = 'Er+/=\u00e9 ';
    const content = [
      { type: 'thinking', thinking: ' hm\n', signature },
      { type: 'redacted_thinking', data: 'opaque==' },
      { type: 'thinking', thinking: 'unsigned', signature: '' },
      { type: 'text', text: 'so' },
    ];
    const request = decodeRequest(
      body({
        messages: [
          { role: 'user', content: 'q' },
          { role: 'assistant', content },
          { role: 'user', content: 'r' },
        ],
      }),
    );
    expect(request.messages[1]?.parts.slice(0, 3)).toEqual([
      { kind: 'reasoning', text: ' hm\n', signature, origin: 'anthropic-messages' },
      { kind: 'reasoning', text: '', encrypted: 'opaque==', origin: 'anthropic-messages' },
      { kind: 'reasoning', text: 'unsigned' },
    ]);
  });

  it('turns tool results into a tool message that leads the turn', () => {
    const request = decodeRequest(
      body({
        messages: [
          { role: 'user', content: 'q' },
          {
            role: 'assistant',
            content: [
              { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 } },
              { type: 'tool_use', id: 'toolu_2', name: 'g', input: {} },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'here' },
              { type: 'tool_result', tool_use_id: 'toolu_1', content: 'one', is_error: true },
              { type: 'tool_result', tool_use_id: 'toolu_2', content: [{ type: 'text', text: 'two' }] },
            ],
          },
        ],
      }),
    );
    expect(request.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        parts: [
          { kind: 'tool-call', id: 'toolu_1', name: 'f', arguments: '{"a":1}' },
          { kind: 'tool-call', id: 'toolu_2', name: 'g', arguments: '{}' },
        ],
      },
      {
        role: 'tool',
        parts: [
          { kind: 'tool-result', callId: 'toolu_1', content: [{ kind: 'text', text: 'one' }], isError: true },
          { kind: 'tool-result', callId: 'toolu_2', content: [{ kind: 'text', text: 'two' }] },
        ],
      },
      { role: 'user', parts: [{ kind: 'text', text: 'here' }] },
    ]);
  });

  it('takes results of one turn spread over several user messages, and neighbours of one role', () => {
    const call = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} });
    const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' });
    const request = decodeRequest(
      body({
        messages: [
          { role: 'user', content: 'q' },
          { role: 'user', content: 'q2' },
          { role: 'assistant', content: [call('a')] },
          { role: 'assistant', content: [call('b')] },
          { role: 'user', content: [result('b')] },
          { role: 'user', content: [result('a')] },
        ],
      }),
    );
    expect(request.messages).toHaveLength(6);
  });

  it('knows all four tool choices and the switch for parallel calls', () => {
    const tools = [{ name: 'f', input_schema: { type: 'object' } }];
    const choices: [JsonObject, unknown][] = [
      [
        { type: 'auto', disable_parallel_tool_use: true },
        { toolChoice: { kind: 'auto' }, parallelToolCalls: false },
      ],
      [{ type: 'any' }, { toolChoice: { kind: 'required' } }],
      [{ type: 'tool', name: 'f' }, { toolChoice: { kind: 'tool', name: 'f' } }],
      [{ type: 'none' }, { toolChoice: { kind: 'none' } }],
    ];
    for (const [choice, expected] of choices) {
      expect(decodeRequest(body({ tools, tool_choice: choice }))).toMatchObject(expected as object);
    }
  });

  it('keeps hosted tools and their place, beside the tools it models', () => {
    const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 3 };
    const request = decodeRequest(
      body({ tools: [search, { type: 'custom', name: 'f', input_schema: { type: 'object' }, defer_loading: true }] }),
    );
    expect(request.tools).toEqual([
      {
        kind: 'function',
        name: 'f',
        parameters: { type: 'object' },
        extras: { 'anthropic-messages': { defer_loading: true } },
      },
    ]);
    expect(request.extras['anthropic-messages']).toEqual({ hosted_tools: [{ index: 0, tool: search }] });
  });

  it('reads thinking, effort and both places of the output format', () => {
    const thinking = { type: 'enabled', budget_tokens: 31_999, display: 'omitted' };
    expect(decodeRequest(body({ thinking, output_config: { effort: 'high' } })).reasoning).toEqual({
      mode: 'enabled',
      effort: 'high',
      budgetTokens: 31_999,
      extras: { 'anthropic-messages': { thinking, effort: 'high' } },
    });
    expect(decodeRequest(body({ thinking: { type: 'adaptive' } })).reasoning).toMatchObject({ mode: 'adaptive' });
    expect(decodeRequest(body({ thinking: { type: 'disabled' } })).reasoning).toMatchObject({ mode: 'disabled' });
    const format = { type: 'json_schema', schema: { type: 'object' } };
    const expected = { kind: 'json-schema', name: 'output', schema: { type: 'object' } };
    expect(decodeRequest(body({ output_config: { format } })).output).toEqual(expected);
    expect(decodeRequest(body({ output_format: format })).output).toEqual(expected);
  });

  it('reads svc like every other protocol', () => {
    const svc = { knowledge_base_ids: ['kb_1'], routing: { sort: 'price', max_price: { input: 10 } } };
    expect(decodeRequest(body({ svc })).svc).toEqual({
      knowledgeBaseIds: ['kb_1'],
      routing: { sort: 'price', maxPrice: { input: 10 } },
    });
    expect(refusalOf(() => decodeRequest(body({ svc: { knowledge_base_ids: 'kb' } })))).toEqual({
      code: 'invalid_request',
      param: 'svc.knowledge_base_ids',
    });
  });

  it('may lack a model and, when counting tokens, a limit', () => {
    const { model: _model, max_tokens: _limit, ...rest } = body();
    expect(decodeCountTokensRequest(rest).model).toBeUndefined();
    expect(refusalOf(() => decodeRequest(rest))).toEqual({ code: 'invalid_request', param: 'max_tokens' });
  });

  it('splits a provider signature off a tool id and finds its result again', () => {
    const id = 'call_1__sig_bQUJD';
    const request = decodeRequest(
      body({
        messages: [
          { role: 'user', content: 'q' },
          { role: 'assistant', content: [{ type: 'tool_use', id, name: 'f', input: {} }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'r' }] },
        ],
      }),
    );
    expect(request.messages[1]?.parts[0]).toMatchObject({ id: 'call_1', signature: 'QUJD' });
    expect(request.messages[2]?.parts[0]).toMatchObject({ callId: 'call_1' });
  });
});

describe('a body as Claude Code sends it', () => {
  it('decodes, with every field it cannot model kept', () => {
    const request = decodeRequest(claudeCodeBody());
    expect(request.messages.map(({ role }) => role)).toEqual(['system', 'user', 'system', 'assistant', 'tool', 'user']);
    expect(request.user).toContain('device');
    expect(request.maxOutputTokens).toBe(32_000);
    expect(request.stream).toBe(true);
    expect(request.tools.map(({ name }) => name)).toEqual(['Bash', 'Read']);
    expect(request.tools[1]?.extras?.['anthropic-messages']).toEqual({ defer_loading: true });
    expect(Object.keys(request.extras['anthropic-messages'] ?? {})).toEqual(['context_management', 'future_field']);
    expect(request.messages[0]?.parts[1]?.extras?.['anthropic-messages']).toEqual({
      cache_control: { type: 'ephemeral', ttl: '1h', scope: 'global' },
    });
  });
});
