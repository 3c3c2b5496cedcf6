/** The exact event sequence we write, and the habits of providers we read. */
import { describe, expect, it } from 'vitest';
import type { ChatResponse } from '../../../src/core/chat.ts';
import { GatewayError } from '../../../src/core/errors.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import {
  openaiResponsesClient,
  openaiResponsesRelay,
  openaiResponsesUpstream,
  responseObject,
  unfoldResponse,
} from '../../../src/protocols/index.ts';
import { bytesOf, decodeText, foldEvents, framesOf } from '../streams.ts';
import { closing, request, streamOf, target, typesOf, view, wireEvents } from './surroundings.ts';

function written(response: ChatResponse): string {
  const encoder = openaiResponsesClient.openEncoder(view());
  const frames = unfoldResponse(response).map((event) => encoder.encode(event));
  return frames.join('') + encoder.finish(closing());
}

function read(events: JsonObject[]): ChatResponse {
  return foldEvents(decodeText(openaiResponsesUpstream.openDecoder(target()), streamOf(events))) as ChatResponse;
}

const ANSWER: ChatResponse = {
  choices: [
    {
      index: 0,
      parts: [
        { kind: 'reasoning', text: 'hm' },
        { kind: 'text', text: 'hello' },
        { kind: 'tool-call', id: 'call_1', name: 'f', arguments: '' },
        { kind: 'tool-call', id: 'call_2', name: 'g', arguments: 'free', custom: true },
      ],
      finish: { kind: 'tool-calls' },
    },
  ],
};

const START = { type: 'response.created', response: { id: 'resp_1', status: 'in_progress' } };
const END = { type: 'response.completed', response: { id: 'resp_1', status: 'completed', output: [] } };

describe('what we write', () => {
  it('is the documented sequence of reasoning, words and calls', () => {
    expect(typesOf(written(ANSWER))).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.custom_tool_call_input.delta',
      'response.custom_tool_call_input.done',
      'response.output_item.done',
      'response.completed',
    ]);
    const { output } = openaiResponsesClient.encodeResponse(ANSWER, view(), closing());
    expect(output).toMatchObject([
      { id: 'rs_ours_0', type: 'reasoning' },
      { id: 'msg_ours_1', type: 'message', status: 'completed' },
      { id: 'fc_ours_2', type: 'function_call', call_id: 'call_1', arguments: '{}' },
      { id: 'ctc_ours_3', type: 'custom_tool_call', call_id: 'call_2', input: 'free' },
    ]);
  });

  it('repeats the request and adds cost and sources', () => {
    const viewed = view({
      request: request({ metadata: { a: 'b' }, temperature: 0.5, store: false, tools: [{ type: 'web_search' }] }),
    });
    const reference = {
      index: 1,
      knowledgeBaseId: 'kb',
      documentId: 'd',
      title: 't',
      place: 4,
      excerpt: 'e',
      score: 1,
    };
    const response = openaiResponsesClient.encodeResponse(
      { choices: [] },
      viewed,
      closing({ references: [reference] }),
    );
    expect(response).toMatchObject({
      metadata: { a: 'b' },
      temperature: 0.5,
      store: false,
      tools: [{ type: 'web_search' }],
      usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15, cost: 0.00195 },
      svc: { references: [{ knowledge_base_id: 'kb' }] },
    });
  });

  it('has every field that a strict reader wants, also in an answer that has only begun, and as relayed', () => {
    const penalties = { frequency_penalty: 0, presence_penalty: 0 };
    const begun = responseObject(view(), { status: 'queued', output: [] });
    expect(begun).toMatchObject({ completed_at: null, ...penalties });
    const relayed = openaiResponsesRelay.patchResponse({ status: 'completed', output: [] }, view(), closing());
    expect(relayed).toMatchObject({ completed_at: null, ...penalties });
    const told = { completed_at: 1_700_000_009, frequency_penalty: 0.5 };
    expect(openaiResponsesRelay.patchResponse({ output: [], ...told }, view(), closing())).toMatchObject(told);
    const asked = view({ request: request({ presence_penalty: 1.5 }) });
    expect(responseObject(asked, { status: 'queued', output: [] })).toMatchObject({ presence_penalty: 1.5 });
  });

  it.each([
    [new GatewayError('rate_limited', { retryAfterMs: 1_500 }), 'rate_limit_exceeded'],
    [new GatewayError('overloaded'), 'server_is_overloaded'],
    [new GatewayError('insufficient_balance'), 'insufficient_quota'],
    [new GatewayError('upstream_timeout'), 'server_error'],
    [new GatewayError('invalid_request', { detail: { reason: 'context_length_exceeded' } }), 'context_length_exceeded'],
  ])('tells %s in a word clients act on', (error, code) => {
    const [, , failed] = wireEvents(openaiResponsesClient.openEncoder(view()).fail(error));
    expect(failed).toMatchObject({ type: 'response.failed', response: { error: { code, svc_code: error.code } } });
    const relayed = wireEvents(openaiResponsesRelay.openRelay(view()).fail(error)).at(-1);
    expect(relayed).toMatchObject({ type: 'response.failed', response: { error: { code } } });
    if (error.code === 'rate_limited') expect(JSON.stringify(failed)).toContain('try again in 1.5s');
  });
});

describe('what providers write', () => {
  it('is read from the ends alone, when there are no deltas', () => {
    const message = {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'whole', annotations: [] }],
    };
    const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };
    const reasoning = {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ text: 'a' }, { text: 'b' }],
      encrypted_content: 'x',
    };
    const output = [reasoning, message, call];
    const done = output.map((item, at) => ({ type: 'response.output_item.done', output_index: at, item }));
    const fromItems = read([START, ...done, END]);
    const fromEnd = read([START, { ...END, response: { ...END.response, output } }]);
    for (const { choices } of [fromItems, fromEnd]) {
      expect(choices[0]?.finish.kind).toBe('tool-calls');
      expect(choices[0]?.parts).toMatchObject([
        { kind: 'reasoning', text: 'a\n\nb', encrypted: 'x', id: 'rs_1', origin: 'openai-responses' },
        { kind: 'text', text: 'whole' },
        { kind: 'tool-call', id: 'c', name: 'f', arguments: '{}' },
      ]);
    }
  });

  it('sets the parts of a summary apart', () => {
    const delta = (index: number, text: string) => ({
      type: 'response.reasoning_summary_text.delta',
      output_index: 0,
      summary_index: index,
      delta: text,
    });
    const { choices } = read([START, delta(0, 'a'), delta(0, 'b'), delta(1, 'c'), END]);
    expect(choices[0]?.parts).toMatchObject([{ kind: 'reasoning', text: 'ab\n\nc', summary: true }]);
  });

  it.each([
    [{ type: 'error', code: 'rate_limit_exceeded', message: 'slow down' }, 'rate-limited'],
    [{ type: 'error', error: { type: 'server_error', message: 'x' } }, 'server'],
    [
      {
        type: 'response.failed',
        response: { status: 'failed', error: { code: 'context_length_exceeded', message: 'x' } },
      },
      'context-too-long',
    ],
    [{ type: 'response.failed', response: { status: 'failed' } }, 'server'],
    [{ error: { message: 'no quota', code: 'insufficient_quota' } }, 'credential'],
  ])('fails with a kind: %j', (event, kind) => {
    expect(read([START, event as JsonObject])).toMatchObject({ kind });
    const relay = openaiResponsesRelay.openRelay(view());
    const [frame] = framesOf([bytesOf(streamOf([event as JsonObject]))]);
    if (frame) expect(relay.forward(frame)).toBe('');
  });

  it('is cut when the end is missing', () => {
    expect(
      read([START, { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'x' }]),
    ).toMatchObject({ kind: 'truncated' });
  });

  it('relays under our id, model and cost, and hides what the provider says of our account', () => {
    const response = {
      ...END.response,
      model: 'up',
      billing: { payer: 'us' },
      usage: { input_tokens: 1, output_tokens: 1, cost: 7, cost_details: {} },
      extra: 1,
    };
    const relay = openaiResponsesRelay.openRelay(view());
    const custom = { type: 'response.something_new', output_index: 0, value: 'kept' };
    const frames = framesOf([bytesOf(streamOf([START, START, custom, { ...END, response }]))]);
    const events = wireEvents(frames.map((frame) => relay.forward(frame)).join('') + relay.finish(closing()));
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.something_new',
      'response.completed',
    ]);
    expect(events[1]).toMatchObject({ value: 'kept' });
    expect(events[2]?.['response']).toMatchObject({
      id: 'resp_ours',
      model: 'vendor/model',
      extra: 1,
      usage: { cost: 0.00195, input_tokens: 10 },
    });
    expect(JSON.stringify(events)).not.toMatch(/billing|cost_details/);
  });
});
