import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/core/errors.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { anthropicMessagesClient, anthropicMessagesRelay } from '../../../src/protocols/index.ts';
import { bytesOf, framesOf } from '../streams.ts';
import { claudeCodeBody } from './claude-code-body.ts';
import { closing, streamOf, target, view, wireEvents } from './surroundings.ts';

function patch(body: JsonObject, more = {}) {
  const request = anthropicMessagesClient.decodeRequest(body);
  return anthropicMessagesRelay.patchRequest(body, request, target({ stream: body['stream'] === true, ...more }));
}

describe('a relayed request', () => {
  it('is untouched but for the model', () => {
    const original = claudeCodeBody();
    const { body, warnings, path } = patch(original);
    expect(body).toEqual({ ...original, model: 'claude-x' });
    expect([warnings, path]).toEqual([[], '/v1/messages']);
    expect(original).toEqual(claudeCodeBody());
  });

  it('loses svc and gets the lowered limit, with a thinking budget that fits it', () => {
    const { body } = patch({ ...claudeCodeBody(), svc: { knowledge_base_ids: [] } }, { maxOutputTokens: 5000 });
    expect(body['svc']).toBeUndefined();
    expect(body).toMatchObject({ max_tokens: 5000, thinking: { type: 'enabled', budget_tokens: 4000 } });
  });

  it('drops thinking and the edit that clears it when no budget fits', () => {
    const { body, warnings } = patch(claudeCodeBody(), { maxOutputTokens: 1000 });
    expect([body['thinking'], body['context_management']]).toEqual([undefined, undefined]);
    expect(warnings).toHaveLength(1);
  });

  it('asks for adaptive thinking where a budget is refused', () => {
    const { body } = patch(claudeCodeBody(), { quirks: { adaptiveThinking: true } });
    expect(body['thinking']).toEqual({ type: 'adaptive', display: 'omitted' });
    expect(body['output_config']).toEqual({ effort: 'high' });
  });

  it('drops sampling for models that reject it', () => {
    const plain = { max_tokens: 9, messages: [{ role: 'user', content: 'q' }], temperature: 0.1, top_k: 2 };
    const { body, warnings } = patch(plain, { quirks: { rejectsSampling: true } });
    expect(Object.keys(body).sort()).toEqual(['max_tokens', 'messages', 'model']);
    expect(warnings).toHaveLength(2);
  });

  // A conversation that visited another vendor must not be wedged.
  it('removes thinking this provider did not sign and signatures from tool ids', () => {
    const other = anthropicMessagesClient.encodeResponse(
      {
        choices: [
          {
            index: 0,
            parts: [
              { kind: 'reasoning', text: 'r', encrypted: 'E', origin: 'openai-responses' },
              { kind: 'reasoning', text: 'bare' },
              { kind: 'tool-call', id: 'call_1', name: 'f', arguments: '{}', signature: 'QUJD' },
            ],
            finish: { kind: 'tool-calls' },
          },
        ],
      },
      view(),
      closing(),
    );
    const id = (other['content'] as JsonObject[])[2]?.['id'];
    expect(id).toBe('call_1__sig_bQUJD');
    const { body, warnings } = patch({
      max_tokens: 9000,
      thinking: { type: 'enabled', budget_tokens: 2000 },
      messages: [
        { role: 'user', content: 'q' },
        { role: 'assistant', content: other['content'] ?? [] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: id ?? '', content: 'ok' }] },
      ],
    });
    expect(body['messages']).toEqual([
      { role: 'user', content: 'q' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'ok' }] },
    ]);
    expect(body['thinking']).toBeUndefined();
    expect(warnings).toHaveLength(2);
  });
});

const START = {
  type: 'message_start',
  message: {
    id: 'msg_theirs',
    type: 'message',
    role: 'assistant',
    model: 'claude-x',
    content: [],
    stop_reason: null,
    usage: { input_tokens: 0, output_tokens: 0, service_tier: 'standard' },
    future: 1,
  },
};
const DELTA = {
  type: 'message_delta',
  delta: { stop_reason: 'end_turn', stop_sequence: null, stop_details: null },
  usage: { output_tokens: 7, server_tool_use: { web_search_requests: 1 } },
  context_management: { applied_edits: [] },
};

function relay(text: string) {
  const stream = anthropicMessagesRelay.openRelay(view());
  const out = framesOf([bytesOf(text)]).map((frame) => stream.forward(frame));
  return { stream, out: out.join('') };
}

describe('a relayed stream', () => {
  it('forwards frames byte for byte, padding and unknown events included', () => {
    const padded =
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}   }\n\n';
    const unknown = 'event: from_the_future\ndata: {"type":"from_the_future","a":1}\n\n';
    expect(relay(padded + unknown).out).toBe(padded + unknown);
  });

  it('replaces id and model and repairs empty usage in message_start, once', () => {
    const { out } = relay(streamOf([START, START]));
    expect(wireEvents(out)).toEqual([
      {
        type: 'message_start',
        message: {
          ...START.message,
          id: 'msg_ours',
          model: 'vendor/model',
          usage: {
            input_tokens: 12,
            cache_creation_input_tokens: 0,
            cache_read_input_tokens: 0,
            output_tokens: 1,
            service_tier: 'standard',
          },
        },
      },
    ]);
  });

  it('keeps true usage in message_start, also when all of it is cached', () => {
    const usage = { input_tokens: 0, cache_read_input_tokens: 90, output_tokens: 3 };
    const { out } = relay(streamOf([{ ...START, message: { ...START.message, usage } }]));
    expect(wireEvents(out)[0]).toMatchObject({ message: { usage } });
  });

  it('holds the end back until the charge is known, and adds cost and references', () => {
    const { stream, out } = relay(streamOf([DELTA, { type: 'message_stop' }]));
    expect(out).toBe('');
    const reference = {
      index: 1,
      knowledgeBaseId: 'kb',
      documentId: 'd',
      title: 'T',
      place: 4,
      excerpt: 'e',
      score: 0.5,
    };
    expect(wireEvents(stream.finish(closing({ references: [reference] })))).toEqual([
      {
        ...DELTA,
        usage: {
          ...DELTA.usage,
          input_tokens: 10,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
          cost: 0.00195,
        },
        svc: {
          references: [
            { index: 1, knowledge_base_id: 'kb', document_id: 'd', title: 'T', place: 4, excerpt: 'e', score: 0.5 },
          ],
        },
      },
      { type: 'message_stop' },
    ]);
  });

  it('joins several message_delta events into one', () => {
    const more = { type: 'message_delta', delta: { stop_reason: null }, usage: { output_tokens: 9 } };
    const { stream } = relay(streamOf([DELTA, more]));
    expect(wireEvents(stream.finish(closing()))[0]).toMatchObject({
      delta: { stop_reason: 'end_turn' },
      usage: { output_tokens: 9, server_tool_use: { web_search_requests: 1 } },
    });
  });

  it("never lets the provider's error text through", () => {
    const secret = { type: 'error', error: { type: 'overloaded_error', message: 'key sk-1 is overloaded' } };
    const { stream, out } = relay(streamOf([START, secret]));
    expect(out).not.toContain('sk-1');
    expect(wireEvents(stream.fail(new GatewayError('upstream_error')))).toEqual([
      {
        type: 'error',
        error: {
          type: 'api_error',
          message: 'The model provider failed and the alternatives failed too. Retry shortly.',
          code: 'upstream_error',
          details: { error_code: 'upstream_error' },
        },
        request_id: 'req_1',
      },
    ]);
  });

  it('writes data of several lines as one', () => {
    const { out } = relay('data: {"type":"ping",\ndata: "a":1}\n\n');
    expect(out).toBe('event: ping\ndata: {"type":"ping","a":1}\n\n');
  });
});

describe('a relayed answer', () => {
  it('keeps unknown fields', () => {
    const body = {
      id: 'msg_theirs',
      type: 'message',
      model: 'claude-x',
      content: [{ type: 'from_the_future' }],
      usage: { input_tokens: 3, output_tokens: 4, service_tier: null },
      container: { id: 'c' },
    };
    expect(anthropicMessagesRelay.patchResponse(body, view(), closing())).toEqual({
      ...body,
      id: 'msg_ours',
      model: 'vendor/model',
      usage: { ...body.usage, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, cost: 0.00195 },
    });
  });
});
