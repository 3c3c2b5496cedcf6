import { describe, expect, it } from 'vitest';
import type { ChatResponse } from '../../../src/core/chat.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { anthropicMessagesUpstream, EventFold } from '../../../src/protocols/index.ts';
import { bytesOf, cutAt, decodeFrames, decodeText, foldEvents, framesOf } from '../streams.ts';
import { streamOf, target } from './surroundings.ts';

const decoder = () => anthropicMessagesUpstream.openDecoder(target());
const eventsOf = (events: readonly JsonObject[]) => decodeText(decoder(), streamOf(events));
const answerOf = (events: readonly JsonObject[]) => foldEvents(eventsOf(events)) as ChatResponse;
const partsOf = (events: readonly JsonObject[]) => answerOf(events).choices[0]?.parts;

const start = (usage: JsonObject = { input_tokens: 10, output_tokens: 1 }) => ({
  type: 'message_start',
  message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-x', content: [], usage },
});
const open = (index: number, content_block: JsonObject) => ({ type: 'content_block_start', index, content_block });
const delta = (index: number, piece: JsonObject) => ({ type: 'content_block_delta', index, delta: piece });
const stop = (index: number) => ({ type: 'content_block_stop', index });
const end = (reason: string, usage: JsonObject = { output_tokens: 20 }, more: JsonObject = {}) => [
  { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null, ...more }, usage },
  { type: 'message_stop' },
];
const textBlock = (index: number, text: string) => [
  open(index, { type: 'text', text: '' }),
  delta(index, { type: 'text_delta', text }),
  stop(index),
];

/** Everything at once: thinking, citations, a server tool, two calls, a ping, Persian text. */
const FULL = [
  start({ input_tokens: 10, cache_read_input_tokens: 4, output_tokens: 1 }),
  open(0, { type: 'thinking', thinking: '', signature: '' }),
  { type: 'ping' },
  delta(0, { type: 'thinking_delta', thinking: 'فکر ' }),
  delta(0, { type: 'thinking_delta', thinking: '🤔' }),
  delta(0, { type: 'signature_delta', signature: 'Eq+/=' }),
  stop(0),
  open(1, { type: 'redacted_thinking', data: 'RRR' }),
  stop(1),
  open(2, { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }),
  delta(2, { type: 'input_json_delta', partial_json: '{"query"' }),
  delta(2, { type: 'input_json_delta', partial_json: ':"x"}' }),
  stop(2),
  open(3, { type: 'text', text: '', citations: [] }),
  delta(3, { type: 'text_delta', text: 'سلام' }),
  delta(3, {
    type: 'citations_delta',
    citation: {
      type: 'web_search_result_location',
      url: 'https://e',
      title: 'E',
      cited_text: 'q',
      encrypted_index: 'i',
    },
  }),
  stop(3),
  open(4, { type: 'tool_use', id: 'toolu_1', name: 'f', input: {}, caller: { type: 'direct' } }),
  delta(4, { type: 'input_json_delta', partial_json: '' }),
  delta(4, { type: 'input_json_delta', partial_json: '{"a":' }),
  delta(4, { type: 'input_json_delta', partial_json: '1}' }),
  stop(4),
  open(5, { type: 'tool_use', id: 'toolu_2', name: 'g', input: {} }),
  delta(5, { type: 'input_json_delta', partial_json: '' }),
  stop(5),
  ...end('tool_use', { output_tokens: 33 }),
];

const FULL_PARTS = [
  { kind: 'reasoning', text: 'فکر 🤔', signature: 'Eq+/=', origin: 'anthropic-messages' },
  { kind: 'reasoning', text: '', encrypted: 'RRR', origin: 'anthropic-messages' },
  {
    kind: 'text',
    text: '',
    extras: {
      'anthropic-messages': {
        block: { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
      },
    },
  },
  {
    kind: 'text',
    text: 'سلام',
    citations: [
      {
        title: 'E',
        url: 'https://e',
        quote: 'q',
        extras: {
          'anthropic-messages': {
            type: 'web_search_result_location',
            url: 'https://e',
            title: 'E',
            cited_text: 'q',
            encrypted_index: 'i',
          },
        },
      },
    ],
  },
  {
    kind: 'tool-call',
    id: 'toolu_1',
    name: 'f',
    arguments: '{"a":1}',
    extras: { 'anthropic-messages': { caller: { type: 'direct' } } },
  },
  { kind: 'tool-call', id: 'toolu_2', name: 'g', arguments: '{}' },
];

describe('a stream of the provider', () => {
  it('reads every kind of block', () => {
    const answer = answerOf(FULL);
    expect(answer.choices).toEqual([{ index: 0, parts: FULL_PARTS, finish: { kind: 'tool-calls', raw: 'tool_use' } }]);
    expect(answer.usage?.buckets).toEqual({ inputFresh: 10, cacheRead: 4, output: 33, webSearches: 1 });
    expect([answer.id, answer.model]).toEqual(['msg_1', 'claude-x']);
  });

  it('reads the same whatever byte it is cut at', () => {
    const bytes = bytesOf(streamOf(FULL));
    const expected = eventsOf(FULL);
    for (let at = 0; at <= bytes.length; at++) {
      expect(decodeFrames(decoder(), framesOf(cutAt(bytes, [at])))).toEqual(expected);
    }
    const single = cutAt(
      bytes,
      Array.from({ length: bytes.length }, (_, at) => at),
    );
    expect(decodeFrames(decoder(), framesOf(single))).toEqual(expected);
  });

  it('fails when the connection ends anywhere before the stop reason', () => {
    const text = streamOf(FULL);
    const lastContent = text.indexOf('event: message_delta');
    for (let at = 0; at < lastContent; at += 7) {
      const fold = new EventFold();
      for (const event of decodeText(decoder(), text.slice(0, at))) fold.push(event);
      expect(fold.complete).toBe(false);
      expect(fold.failure?.kind).toMatch(/^(truncated|empty|malformed)$/);
    }
  });

  it('is complete once the stop reason came', () => {
    expect(answerOf([start(), ...textBlock(0, 'x'), ...end('end_turn').slice(0, 1)]).choices[0]?.finish.kind).toBe(
      'stop',
    );
  });

  // wire 2.1: a tool without arguments streams "" only; some compatible providers give the input whole.
  it('gives a tool call without arguments an empty object', () => {
    const call = { type: 'tool_use', id: 't', name: 'f' };
    expect(partsOf([start(), open(0, { ...call, input: {} }), stop(0), ...end('tool_use')])).toMatchObject([
      { arguments: '{}' },
    ]);
    expect(partsOf([start(), open(0, { ...call, input: { a: 1 } }), stop(0), ...end('tool_use')])).toMatchObject([
      { arguments: '{"a":1}' },
    ]);
  });

  it('accepts an empty answer', () => {
    expect(partsOf([start(), ...end('end_turn')])).toEqual([]);
    expect(eventsOf([start(), ...end('end_turn')]).at(-1)).toMatchObject({ type: 'response-end' });
  });

  it('takes the last of cumulative counts, also of input', () => {
    const usage = answerOf([
      start({ input_tokens: 100, cache_creation_input_tokens: 0, output_tokens: 2 }),
      ...textBlock(0, 'x'),
      ...end('end_turn', { input_tokens: 450, output_tokens: 60, output_tokens_details: { thinking_tokens: 40 } }),
    ]).usage;
    expect(usage?.buckets).toEqual({ inputFresh: 450, cacheWrite5m: 0, output: 20, reasoning: 40 });
  });

  it('keeps the split of cache writes when the last report has only their sum', () => {
    const split = { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 70 };
    const first = { input_tokens: 1, cache_creation_input_tokens: 100, cache_creation: split, output_tokens: 1 };
    const usage = answerOf([
      start(first),
      ...textBlock(0, 'x'),
      ...end('end_turn', { cache_creation_input_tokens: 100, cache_read_input_tokens: null, output_tokens: 2 }),
    ]).usage;
    expect(usage?.buckets).toEqual({ inputFresh: 1, cacheWrite5m: 30, cacheWrite1h: 70, output: 2 });
  });

  // A provider's own retry splices a second message into the stream.
  it('survives a second message_start and repeated indexes', () => {
    const events = eventsOf([
      start(),
      open(0, { type: 'text', text: '' }),
      delta(0, { type: 'text_delta', text: 'a' }),
      start(),
      ...textBlock(0, 'b'),
      ...end('end_turn'),
    ]);
    expect(events.filter(({ type }) => type === 'response-start')).toHaveLength(1);
    expect((foldEvents(events) as ChatResponse).choices[0]?.parts).toEqual([
      { kind: 'text', text: 'a' },
      { kind: 'text', text: 'b' },
    ]);
  });

  it('ignores events, deltas and blocks it does not know', () => {
    const unknown = [
      { type: 'from_the_future', x: 1 },
      delta(9, { type: 'text_delta', text: 'lost index' }),
      open(0, { type: 'text', text: '' }),
      delta(0, { type: 'new_delta', text: 'no' }),
      delta(0, { type: 'text_delta', text: 'yes' }),
      stop(0),
    ];
    expect(partsOf([start(), ...unknown, ...end('end_turn')])).toEqual([{ kind: 'text', text: 'yes' }]);
  });

  it('completes a compaction block from its delta', () => {
    const parts = partsOf([
      start(),
      open(0, { type: 'compaction', content: '' }),
      delta(0, { type: 'compaction_delta', content: 'summary' }),
      stop(0),
      ...end('compaction'),
    ]);
    expect(parts?.[0]?.extras?.['anthropic-messages']?.['block']).toEqual({ type: 'compaction', content: 'summary' });
  });

  it('closes blocks the provider left open', () => {
    expect(
      partsOf([start(), open(0, { type: 'tool_use', id: 't', name: 'f', input: {} }), ...end('tool_use')]),
    ).toMatchObject([{ kind: 'tool-call', arguments: '{}' }]);
  });

  it('keeps stop_details and the like for a client of the same protocol', () => {
    const details = { type: 'refusal', category: 'cyber' };
    expect(answerOf([start(), ...end('refusal', {}, { stop_details: details })]).extras).toEqual({
      'anthropic-messages': { stop_details: details },
    });
  });

  it.each([
    ['end_turn', 'stop'],
    ['max_tokens', 'length'],
    ['stop_sequence', 'stop'],
    ['tool_use', 'tool-calls'],
    ['pause_turn', 'stop'],
    ['refusal', 'content-filter'],
    ['model_context_window_exceeded', 'length'],
    ['word_of_the_future', 'stop'],
  ])('reads stop reason %s as %s', (raw, kind) => {
    expect(answerOf([start(), ...textBlock(0, 'x'), ...end(raw)]).choices[0]?.finish).toEqual({ kind, raw });
  });

  it.each([
    ['overloaded_error', 'server'],
    ['rate_limit_error', 'rate-limited'],
    ['api_error', 'server'],
    ['timeout_error', 'timeout'],
    ['invalid_request_error', 'client-fault'],
    ['authentication_error', 'credential'],
    ['something_new', 'server'],
  ])('fails with %s as %s', (type, kind) => {
    const events = eventsOf([start(), { type: 'error', error: { type, message: 'no' } }, ...end('end_turn')]);
    expect(events.at(-1)).toEqual({ type: 'failure', failure: { kind, message: 'no', code: type } });
  });

  it('fails on a frame it cannot read, since a piece of the answer is lost', () => {
    const text = `${streamOf([start()])}event: content_block_delta\ndata: {"type":"content_bl\n\n`;
    expect(decodeText(decoder(), text).at(-1)).toMatchObject({ type: 'failure', failure: { kind: 'malformed' } });
  });

  it("forgives OpenAI's end marker", () => {
    const text = `${streamOf([start(), ...textBlock(0, 'x'), ...end('end_turn')])}data: [DONE]\n\n`;
    expect(decodeText(decoder(), text).at(-1)).toMatchObject({ type: 'response-end' });
  });
});
