import { describe, expect, it } from 'vitest';
import type { ChatRequest, Part } from '../../../src/core/chat.ts';
import { anthropicMessagesClient, anthropicMessagesUpstream } from '../../../src/protocols/index.ts';
import { refusalOf } from '../refusal-of.ts';
import { claudeCodeBody } from './claude-code-body.ts';
import { answered, called, chat, said, target } from './surroundings.ts';

const { encodeRequest } = anthropicMessagesUpstream;

const text = (value: string) => ({ type: 'text', text: value });
const encode = (request: Partial<ChatRequest>, more = {}) => encodeRequest(chat(request), target(more));

describe('the conversation', () => {
  it('puts leading system and developer text into system, later system text into the user turn', () => {
    const { body } = encode({
      messages: [
        said('system', 'a'),
        said('developer', 'b'),
        said('user', 'q'),
        said('system', 'c'),
        said('user', 'r'),
      ],
    });
    expect(body['system']).toEqual([text('a'), text('b')]);
    expect(body['messages']).toEqual([{ role: 'user', content: [text('q'), text('c'), text('r')] }]);
  });

  it('speaks instructions as the user when nobody else speaks', () => {
    const { body } = encode({ messages: [said('system', 'say hello')] });
    expect(body['system']).toBeUndefined();
    expect(body['messages']).toEqual([{ role: 'user', content: [text('say hello')] }]);
  });

  // One tool message per result, all results wanted in one user message right after the call.
  it('merges all results of a turn into one user message, before any text', () => {
    const { body } = encode({
      messages: [
        said('user', 'q'),
        called('a', 'b'),
        said('system', 'note'),
        answered('a'),
        answered('b'),
        said('user', 'go on'),
      ],
    });
    const messages = body['messages'] as { role: string; content: { type: string }[] }[];
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(messages[2]?.content.map(({ type }) => type)).toEqual(['tool_result', 'tool_result', 'text', 'text']);
  });

  it('cleans tool ids, alike for call and result, without letting two meet', () => {
    const { body } = encode({
      messages: [
        said('user', 'q'),
        called('f.x:0', 'f_x_0', 'f x 0'),
        answered('f.x:0'),
        answered('f_x_0'),
        answered('f x 0'),
      ],
    });
    const [, calls, results] = body['messages'] as { content: { id: string; tool_use_id: string }[] }[];
    const ids = calls?.content.map(({ id }) => id) ?? [];
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
    expect(results?.content.map(({ tool_use_id }) => tool_use_id)).toEqual(ids);
  });

  it('drops empty text and trims the end of a last assistant message', () => {
    const { body } = encode({ messages: [said('user', '', 'q'), said('assistant', 'I say: \n ')] });
    expect(body['messages']).toEqual([
      { role: 'user', content: [text('q')] },
      { role: 'assistant', content: [text('I say:')] },
    ]);
    const alone = encode({ messages: [said('user', 'q'), said('assistant', ' ')] });
    expect(alone.body['messages']).toEqual([{ role: 'user', content: [text('q')] }]);
  });

  it('refuses a conversation that says nothing', () => {
    expect(refusalOf(() => encode({ messages: [said('user', '')] }))).toEqual({
      code: 'invalid_request',
      param: 'messages',
    });
  });

  it('carries arguments that are no JSON object', () => {
    const parts: Part[] = [{ kind: 'tool-call', id: 'a', name: 'f', arguments: '{"a":' }];
    const { body } = encode({ messages: [said('user', 'q'), { role: 'assistant', parts }, answered('a')] });
    expect(JSON.stringify(body['messages'])).toContain('"input":{"raw_arguments":"{\\"a\\":"}');
  });

  // Thinking goes back byte for byte to its maker, and to nobody else.
  it('replays thinking it signed itself and drops all other, openly', () => {
    const parts: Part[] = [
      { kind: 'reasoning', text: ' own ', signature: 'S+/=', origin: 'anthropic-messages' },
      { kind: 'reasoning', text: '', encrypted: 'R', origin: 'anthropic-messages' },
      { kind: 'reasoning', text: 'foreign', signature: 'x', origin: 'openai-responses' },
      { kind: 'reasoning', text: 'bare' },
      { kind: 'text', text: 'so' },
    ];
    const { body, warnings } = encode({
      messages: [said('user', 'q'), { role: 'assistant', parts }, said('user', 'r')],
    });
    expect((body['messages'] as { content: unknown }[])[1]?.content).toEqual([
      { type: 'thinking', thinking: ' own ', signature: 'S+/=' },
      { type: 'redacted_thinking', data: 'R' },
      text('so'),
    ]);
    expect(warnings).toEqual(['earlier reasoning dropped: it was not signed by this provider']);
  });

  it('carries pictures and files, and refuses what it cannot carry', () => {
    const parts: Part[] = [
      { kind: 'image', source: { kind: 'data', mediaType: 'image/png', data: 'AAAA' }, cacheControl: { ttl: '1h' } },
      { kind: 'image', source: { kind: 'url', url: 'https://e/x.png' } },
      { kind: 'file', source: { kind: 'data', mediaType: 'application/pdf', data: 'JVBE' }, name: 'a.pdf' },
      { kind: 'file', source: { kind: 'data', mediaType: 'text/plain', data: 'c2FsYW0=' } },
      { kind: 'file', source: { kind: 'file-id', id: 'file_1' } },
    ];
    const { body } = encode({ messages: [{ role: 'user', parts }] });
    expect((body['messages'] as { content: unknown }[])[0]?.content).toEqual([
      {
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: 'AAAA' },
        cache_control: { type: 'ephemeral', ttl: '1h' },
      },
      { type: 'image', source: { type: 'url', url: 'https://e/x.png' } },
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' },
        title: 'a.pdf',
      },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'salam' } },
      { type: 'document', source: { type: 'file', file_id: 'file_1' } },
    ]);
    const audio: Part = { kind: 'audio', format: 'wav', data: 'AA' };
    const word: Part = { kind: 'file', source: { kind: 'data', mediaType: 'application/msword', data: 'AA' } };
    for (const part of [audio, word]) {
      expect(refusalOf(() => encode({ messages: [said('user', 'q'), { role: 'user', parts: [part] }] }))).toEqual({
        code: 'invalid_request',
        param: 'messages.1',
      });
    }
  });
});

describe('a request that came in this protocol', () => {
  it('goes out with everything it brought', () => {
    const original = claudeCodeBody();
    const { body, path, headers, warnings } = encodeRequest(
      anthropicMessagesClient.decodeRequest(original),
      target({ stream: true }),
    );
    expect([path, headers]).toEqual(['/v1/messages', { 'anthropic-version': '2023-06-01' }]);
    expect(warnings).toEqual([]);
    const { messages: _messages, ...rest } = original;
    expect(body).toMatchObject({ ...rest, model: 'claude-x' });
    // The system message inside the conversation is said by the user; all other turns are unchanged.
    expect(body['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'list files', cache_control: { type: 'ephemeral' } },
          { type: 'text', text: 'The date changed.' },
        ],
      },
      ...(original['messages'] as object[]).slice(2),
    ]);
  });

  it('puts hosted tools back in their place and opaque blocks back whole', () => {
    const search = { type: 'web_search_20250305', name: 'web_search' };
    const used = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } };
    const plain = { name: 'f', input_schema: { type: 'object', properties: {} } };
    const request = anthropicMessagesClient.decodeRequest({
      max_tokens: 10,
      messages: [
        { role: 'user', content: 'q' },
        { role: 'assistant', content: [used, { type: 'text', text: 'found' }] },
        { role: 'user', content: 'r' },
      ],
      tools: [plain, search],
    });
    const { body } = encodeRequest(request, target());
    expect(body['tools']).toEqual([plain, search]);
    expect((body['messages'] as { content: unknown[] }[])[1]?.content[0]).toEqual(used);
  });
});
