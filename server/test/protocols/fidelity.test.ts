/** Answers that changed on their way: each case was seen in recorded traffic. */
import { describe, expect, it } from 'vitest';
import type { ChatResponse } from '../../src/core/chat.ts';
import type { ChatEvent } from '../../src/core/events.ts';
import { isJsonObject, type JsonObject, parseTrustedJson } from '../../src/core/json.ts';
import { money } from '../../src/core/money.ts';
import {
  type AnswerClosing,
  anthropicMessagesUpstream,
  type ClientView,
  type CodecTarget,
  isFailure,
  openaiChatClient,
  openaiChatRelay,
  openaiChatUpstream,
  openaiResponsesClient,
  openaiResponsesRelay,
  openaiResponsesUpstream,
  openGuard,
  type SseFrame,
  type UpstreamCodec,
} from '../../src/protocols/index.ts';
import { foldEvents } from './streams.ts';

const closing: AnswerClosing = {
  usage: { buckets: { inputFresh: 5, output: 2 }, source: 'upstream' },
  cost: money(0n),
};

const target: CodecTarget = {
  model: 'm',
  stream: true,
  maxOutputTokens: undefined,
  modelMaxOutput: undefined,
  capabilities: new Set(['reasoning', 'json_schema']),
  quirks: {},
};

function view(body: JsonObject = {}): ClientView {
  return {
    requestId: 'r',
    responseId: 'ours',
    model: 'vendor/model',
    created: 1,
    inputEstimate: 5,
    language: 'en',
    request: openaiChatClient.decodeRequest({
      messages: [{ role: 'user', content: 'hi' }],
      stream: true,
      stream_options: { include_usage: true },
      ...body,
    }),
  };
}

function frame(json: JsonObject): SseFrame {
  return { event: typeof json['type'] === 'string' ? json['type'] : undefined, data: JSON.stringify(json), json };
}

const DONE: SseFrame = { event: undefined, data: '[DONE]', json: undefined };

function eventsOf(codec: UpstreamCodec, frames: SseFrame[]): ChatEvent[] {
  const events: ChatEvent[] = [];
  const decoder = openGuard(codec.openDecoder(target));
  for (const one of frames) decoder.push(one, (event) => events.push(event));
  decoder.end((event) => events.push(event));
  return events;
}

function answerOf(codec: UpstreamCodec, frames: SseFrame[]): ChatResponse {
  const folded = foldEvents(eventsOf(codec, frames));
  if (isFailure(folded)) throw new Error(folded.message);
  return folded;
}

/** The chunks of a chat stream, `[DONE]` left out. */
function chunksOf(text: string): JsonObject[] {
  const data = text.split('\n').filter((line) => line.startsWith('data: {'));
  return data.map((line) => parseTrustedJson(line.slice(6))).filter(isJsonObject);
}

function relayed(frames: JsonObject[]): JsonObject[] {
  const relay = openaiChatRelay.openRelay(view());
  return chunksOf(frames.map((json) => relay.forward(frame(json))).join('') + relay.finish(closing));
}

describe('tool calls', () => {
  const call = { id: 'c1', type: 'function', custom: {}, function: { name: 'clock', arguments: '{}' } };

  it('an empty custom call beside a function is not the call', () => {
    const body = { choices: [{ message: { role: 'assistant', tool_calls: [call] }, finish_reason: 'tool_calls' }] };
    const decoded = openaiChatUpstream.decodeResponse(body, target);
    expect(decoded).toMatchObject({ choices: [{ parts: [{ kind: 'tool-call', name: 'clock', arguments: '{}' }] }] });
    const patched = openaiChatRelay.patchResponse(body, view(), closing);
    expect(patched).toMatchObject({ choices: [{ message: { tool_calls: [{ function: { name: 'clock' } }] } }] });
  });
});

describe('an answer that the filter emptied', () => {
  it('is an answer without a message', () => {
    const body = { choices: [{ index: 0, finish_reason: 'content_filter', content_filter_results: {} }] };
    const decoded = openaiChatUpstream.decodeResponse(body, target);
    expect(decoded).toMatchObject({ choices: [{ parts: [], finish: { kind: 'content-filter' } }] });
    const patched = openaiChatRelay.patchResponse(body, view(), closing);
    expect(patched).toMatchObject({ choices: [{ message: { content: '' }, finish_reason: 'content_filter' }] });
  });

  it('while any other choice without a message is malformed', () => {
    const decoded = openaiChatUpstream.decodeResponse({ choices: [{ finish_reason: 'stop' }] }, target);
    expect(decoded).toMatchObject({ kind: 'malformed' });
  });
});

describe('a Responses stream whose numbers do not agree', () => {
  const message = {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Hello' }],
  };
  const delta = (index: number, text: string) =>
    frame({ type: 'response.output_text.delta', output_index: 0, content_index: index, item_id: 'msg_1', delta: text });
  const end = frame({
    type: 'response.completed',
    response: { id: 'r', status: 'completed', output: [message], service_tier: 'priority' },
  });

  it('says its words once', () => {
    const frames = [
      frame({ type: 'response.created', response: { id: 'r', status: 'in_progress' } }),
      frame({ type: 'response.output_item.added', output_index: 0, item: { ...message, content: [] } }),
      delta(1, 'Hel'),
      delta(1, 'lo'),
      frame({ type: 'response.output_text.done', output_index: 0, content_index: 1, text: 'Hello' }),
      frame({ type: 'response.output_item.done', output_index: 0, item: message }),
      end,
    ];
    // The end of the part is told under its own number here and under another at the end of the item.
    for (const leaveOut of [[], [4], [4, 5], [5]]) {
      const told = frames.filter((_frame, at) => !leaveOut.includes(at));
      const texts = answerOf(openaiResponsesUpstream, told).choices[0]?.parts.map(
        (part) => 'text' in part && part.text,
      );
      expect(texts?.join('')).toBe('Hello');
    }
  });

  it('and says the tier it was served in, in both languages', () => {
    const events = eventsOf(openaiResponsesUpstream, [delta(0, 'Hello'), end]);
    const encoder = openaiChatClient.openEncoder(view());
    const chunks = chunksOf(events.map((event) => encoder.encode(event)).join(''));
    expect(chunks.at(-1)).toMatchObject({ service_tier: 'priority', choices: [{ finish_reason: 'stop' }] });
    const relay = openaiResponsesRelay.openRelay(view());
    expect(relay.forward(end) + relay.finish(closing)).toContain('"service_tier":"priority"');
  });
});

describe('the tier of the answer', () => {
  it('is the provider’s, in a Responses answer made from a chat one', () => {
    const decoded = openaiChatUpstream.decodeResponse(
      { choices: [{ message: { content: 'hi' }, finish_reason: 'stop' }], service_tier: 'flex' },
      target,
    );
    const encoded = openaiResponsesClient.encodeResponse(decoded as ChatResponse, view(), closing);
    expect(encoded['service_tier']).toBe('flex');
    expect(encoded['usage']).toMatchObject({ input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 } });
  });
});

describe('thinking that a chat client reads', () => {
  const wire = [
    { type: 'message_start', message: { id: 'm', model: 'c', usage: { input_tokens: 1, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Let me ' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'see.' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'c2ln' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ].map((json) => frame(json));

  it('comes once, whichever of the two fields is read in each chunk, and can be sent back', () => {
    const encoder = openaiChatClient.openEncoder(view());
    const events = eventsOf(anthropicMessagesUpstream, wire);
    const deltas = chunksOf(events.map((event) => encoder.encode(event)).join(''))
      .flatMap(({ choices }) => choices as JsonObject[])
      .map(({ delta }) => delta as JsonObject);
    const details = deltas.flatMap((delta) => (delta['reasoning_details'] ?? []) as JsonObject[]);
    const perChunk = deltas.map((delta) =>
      delta['reasoning_details']
        ? (delta['reasoning_details'] as JsonObject[]).map(({ text }) => text).join('')
        : (delta['reasoning_content'] ?? ''),
    );
    expect(perChunk.join('')).toBe('Let me see.');
    expect(deltas.map((delta) => delta['reasoning_content'] ?? '').join('')).toBe('Let me see.');
    const replayed = openaiChatClient.decodeRequest({
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'ok', reasoning_details: details },
        { role: 'user', content: 'go on' },
      ],
    });
    const { body } = anthropicMessagesUpstream.encodeRequest(replayed, target);
    expect(JSON.stringify(body['messages'])).toContain('"thinking":"Let me see.","signature":"c2ln"');
  });
});

describe('what a chunk says that we do not know', () => {
  const choice = (more: JsonObject) => ({ id: 'x', choices: [{ index: 0, delta: {}, ...more }] });

  it('survives the relay: beside the finish, in chunks without choices, at the end', () => {
    const chunks = relayed([
      { id: '', choices: [], prompt_filter_results: [{ prompt_index: 0 }] },
      { ...choice({ delta: { role: 'assistant', content: 'hi' } }), system_fingerprint: 'fp' },
      { ...choice({ finish_reason: 'stop', native_finish_reason: 'end_turn' }), time_info: { total: 2 } },
      { id: 'x', choices: [], system_fingerprint: 'fp_2', usage: { prompt_tokens: 1 }, x_groq: { id: 'g', usage: {} } },
    ]);
    expect(chunks[0]).toMatchObject({ choices: [{ delta: { role: 'assistant', content: '' } }] });
    expect(chunks[1]).toMatchObject({ prompt_filter_results: [{ prompt_index: 0 }], system_fingerprint: 'fp' });
    expect(chunks[2]).toMatchObject({
      time_info: { total: 2 },
      choices: [{ finish_reason: 'stop', native_finish_reason: 'end_turn' }],
    });
    expect(chunks[3]).toMatchObject({ choices: [], system_fingerprint: 'fp_2', x_groq: { id: 'g' } });
    expect(JSON.stringify(chunks[3]?.['x_groq'])).not.toContain('usage');
  });

  it('and the decoder takes them for no failure', () => {
    const frames = [
      { id: 'x', choices: [], system_fingerprint: 'fp' },
      choice({ delta: { content: 'a' }, finish_reason: 'stop' }),
    ];
    expect(answerOf(openaiChatUpstream, [...frames.map((json) => frame(json)), DONE]).choices).toHaveLength(1);
  });
});

describe('habits of clients', () => {
  const image = 'data:image/png;base64,iVBORw0KGgo=';
  const body = {
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: image }] }],
    response_format: { type: 'json_schema', json_schema: { schema: { type: 'object' } } },
    reasoning_effort: 'default',
  };

  it('an address instead of an object, a schema without a name, the default effort', () => {
    const request = openaiChatClient.decodeRequest(body);
    expect(request.messages[0]?.parts).toMatchObject([{ kind: 'image', source: { data: 'iVBORw0KGgo=' } }]);
    expect(request.output).toMatchObject({ kind: 'json-schema', name: 'response' });
    expect(request.reasoning).toBeUndefined();
    const { body: sent } = openaiChatRelay.patchRequest(body, request, target);
    expect(sent).toMatchObject({
      messages: [{ content: [{ type: 'image_url', image_url: { url: image } }] }],
      response_format: { json_schema: { name: 'response' } },
    });
    expect(sent).not.toHaveProperty('reasoning_effort');
  });

  it('the same in the Responses language', () => {
    const wire = {
      input: 'hi',
      text: { format: { type: 'json_schema', schema: {} } },
      reasoning: { effort: 'default' },
    };
    const request = openaiResponsesClient.decodeRequest(wire);
    const { body: sent } = openaiResponsesRelay.patchRequest(wire, request, target);
    expect(sent).toMatchObject({ text: { format: { name: 'response' } }, reasoning: {} });
  });
});
