/** What clients send, and what providers of this protocol are sent. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import {
  openaiChatUpstream,
  openaiResponsesClient,
  openaiResponsesRelay,
  openaiResponsesUpstream,
} from '../../../src/protocols/index.ts';
import { flatName } from '../../../src/protocols/openai-responses/tool-names.ts';
import { refusalOf } from '../refusal-of.ts';
import { request, target } from './surroundings.ts';

const NAMESPACE = (name: string, ...names: string[]) => ({
  type: 'namespace',
  name,
  description: 'many',
  tools: names.map((tool) => ({ type: 'function', name: tool, parameters: { type: 'object' }, strict: false })),
});

describe('a client', () => {
  it('has each turn of the model in one message, with outputs right behind their calls', () => {
    const { messages } = request({
      input: [
        { role: 'user', content: 'x' },
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'e' },
        { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'calling' }] },
        { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
        { type: 'custom_tool_call', call_id: 'b', name: 'g', input: 'free' },
        { role: 'user', content: 'and hurry' },
        { type: 'custom_tool_call_output', call_id: 'b', output: [{ type: 'input_text', text: 'B' }] },
        { type: 'function_call_output', call_id: 'a', output: 'A' },
      ],
    });
    expect(messages.map(({ role, parts }) => [role, ...parts.map(({ kind }) => kind)])).toEqual([
      ['user', 'text'],
      ['assistant', 'reasoning', 'text', 'tool-call', 'tool-call'],
      ['tool', 'tool-result'],
      ['tool', 'tool-result'],
      ['user', 'text'],
    ]);
    expect(messages[2]?.parts[0]).toMatchObject({ callId: 'a' });
  });

  it('may use namespaces whose names collide, are long or odd', () => {
    const long = 'x'.repeat(80);
    const { tools } = request({
      tools: [NAMESPACE('a', 'b__c', long, `${long}y`), NAMESPACE('a__b', 'c'), NAMESPACE('ن', 'f')],
    });
    expect(tools.every(({ name }) => /^[a-zA-Z0-9_-]{1,64}$/.test(name))).toBe(true);
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
    expect(flatName('a', 'f')).toBe('a__f');
    const { body } = openaiResponsesUpstream.encodeRequest(
      request({ tools: [NAMESPACE('a', 'f', 'g'), { type: 'function', name: 'h' }] }),
      target(),
    );
    expect(body['tools']).toMatchObject([NAMESPACE('a', 'f', 'g'), { type: 'function', name: 'h' }]);
  });

  it('forces a tool of a namespace by both names', () => {
    const decoded = request({
      tools: [NAMESPACE('a', 'f')],
      tool_choice: { type: 'function', name: 'f', namespace: 'a' },
    });
    expect(decoded.toolChoice).toMatchObject({ kind: 'tool', name: 'a__f' });
    expect(openaiResponsesUpstream.encodeRequest(decoded, target()).body['tool_choice']).toEqual({
      type: 'function',
      name: 'f',
      namespace: 'a',
    });
    expect(openaiChatUpstream.encodeRequest(decoded, target()).body['tool_choice']).toEqual({
      type: 'function',
      function: { name: 'a__f' },
    });
  });

  it('is told of every field that another protocol cannot carry', () => {
    const decoded = request({
      truncation: 'auto',
      prompt_cache_key: 'k',
      text: { verbosity: 'low' },
      metadata: { a: 'b' },
      store: true,
    });
    const { warnings } = openaiChatUpstream.encodeRequest(decoded, target());
    expect(warnings.map((warning) => warning.split(' ')[0]).toSorted()).toEqual([
      'prompt_cache_key',
      'text',
      'truncation',
    ]);
  });

  it('cannot have items it does not explain carried elsewhere, unless they only tell what was found', () => {
    const decoded = (type: string) =>
      request({
        input: [
          { role: 'user', content: 'x' },
          { type, id: 'i' },
          { role: 'user', content: 'y' },
        ],
      });
    expect(refusalOf(() => openaiChatUpstream.encodeRequest(decoded('computer_call'), target())).param).toBe('input.1');
    expect(openaiChatUpstream.encodeRequest(decoded('web_search_call'), target()).body['messages']).toBeDefined();
    const { body } = openaiResponsesUpstream.encodeRequest(decoded('computer_call'), target());
    expect((body['input'] as JsonObject[])[1]).toEqual({ type: 'computer_call', id: 'i' });
  });
});

describe('a provider', () => {
  const chat = request({ input: 'x', temperature: 0.3, reasoning: { effort: 'max' } });

  it('is never asked to keep anything', () => {
    const body = { model: 'm', input: 'x', store: true, previous_response_id: 'resp_ours', svc: {}, unknown: 1 };
    const relayed = openaiResponsesRelay.patchRequest(body, openaiResponsesClient.decodeRequest(body), target()).body;
    expect(relayed).toEqual({
      model: 'up-model',
      input: 'x',
      store: false,
      unknown: 1,
      include: ['reasoning.encrypted_content'],
    });
    expect(openaiResponsesUpstream.encodeRequest(chat, target()).body).toMatchObject({
      store: false,
      reasoning: { effort: 'xhigh' },
    });
  });

  it('gets what it takes: limits, sampling, roles, encrypted reasoning only from models that reason', () => {
    const quirks = { rejectsSampling: true, noDeveloperRole: true, dropFields: ['user'] };
    const decoded = request({ input: [{ role: 'developer', content: 'x' }], temperature: 0.3, user: 'u' });
    const { body, warnings } = openaiResponsesUpstream.encodeRequest(
      decoded,
      target({ quirks, maxOutputTokens: 4, capabilities: new Set() }),
    );
    expect(body).toEqual({
      model: 'up-model',
      input: [{ role: 'system', content: 'x' }],
      max_output_tokens: 16,
      store: false,
    });
    expect(warnings).toHaveLength(3);
  });

  it('gets short ids without the signatures of others, alike for a call and its output', () => {
    const id = `${'c'.repeat(90)}__sig_bAAAA`;
    const input = [
      { type: 'function_call', call_id: id, name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: id, output: 'x' },
    ];
    const body = { input };
    const bodies = [
      openaiResponsesRelay.patchRequest(body, request(body), target()).body,
      openaiResponsesUpstream.encodeRequest(request(body), target()).body,
    ];
    for (const { input: sent } of bodies) {
      const [call, output] = sent as JsonObject[];
      expect(String(call?.['call_id']).length).toBeLessThanOrEqual(64);
      expect(output?.['call_id']).toBe(call?.['call_id']);
    }
  });

  it('cannot give several answers, nor stop at words', () => {
    expect(
      refusalOf(() => openaiResponsesUpstream.encodeRequest({ ...chat, sampling: { count: 2 } }, target())).param,
    ).toBe('n');
    const { warnings } = openaiResponsesUpstream.encodeRequest(
      { ...chat, sampling: { stop: ['.'], seed: 1 } },
      target(),
    );
    expect(warnings.map((warning) => warning.split(' ')[0])).toEqual(['seed', 'stop']);
  });
});
