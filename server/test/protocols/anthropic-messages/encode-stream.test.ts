import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/core/errors.ts';
import type { ChatEvent, PartStart } from '../../../src/core/events.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { anthropicMessagesClient } from '../../../src/protocols/index.ts';
import { readStream } from './official-sdk.ts';
import { closing, view, wireEvents } from './surroundings.ts';

const begin: ChatEvent = { type: 'response-start' };
const over: ChatEvent = { type: 'response-end', finishes: [{ kind: 'stop' }] };
const start = (part: number, kind: PartStart['kind'], more: Partial<PartStart> = {}): ChatEvent => ({
  type: 'part-start',
  part,
  choice: 0,
  kind,
  ...more,
});
const call = (part: number, id: string, signature?: string): ChatEvent =>
  start(part, 'tool-call', { toolCall: { id, name: `tool_${id}`, ...(signature !== undefined && { signature }) } });
const say = (part: number, text: string): ChatEvent => ({ type: 'part-delta', part, text });
const end = (part: number, more = {}): ChatEvent => ({ type: 'part-end', part, ...more });

function encode(events: readonly ChatEvent[], more: Parameters<typeof closing>[0] = {}): string {
  const encoder = anthropicMessagesClient.openEncoder(view());
  return events.map((event) => encoder.encode(event)).join('') + encoder.finish(closing(more));
}

/** The blocks of a stream in short: `+0 text`, `0 text_delta x`, `-0`. */
function outline(stream: string): string[] {
  const lines: string[] = [];
  for (const event of wireEvents(stream)) {
    const index = String(event['index']);
    const block = event['content_block'] as JsonObject | undefined;
    const delta = event['delta'] as JsonObject | undefined;
    const said = delta?.['text'] ?? delta?.['thinking'] ?? delta?.['partial_json'] ?? delta?.['signature'];
    if (event['type'] === 'content_block_start') lines.push(`+${index} ${block?.['type']}`);
    if (event['type'] === 'content_block_delta') lines.push(`${index} ${delta?.['type']} ${said}`);
    if (event['type'] === 'content_block_stop') lines.push(`-${index}`);
  }
  return lines;
}

describe('the event sequence', () => {
  it('is exactly that of the protocol', () => {
    const stream = encode([begin, start(0, 'text'), say(0, 'سلام'), say(0, ' dear'), end(0), over]);
    expect(wireEvents(stream)).toEqual([
      {
        type: 'message_start',
        message: {
          id: 'msg_ours',
          type: 'message',
          role: 'assistant',
          model: 'vendor/model',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 12, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 },
        },
      },
      { type: 'ping' },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'سلام' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: ' dear' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: {
          input_tokens: 10,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
          cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
          output_tokens: 5,
          cost: 0.00195,
        },
      },
      { type: 'message_stop' },
    ]);
  });

  // Zeros in message_start are booked as a free request.
  it('never opens with zero usage', () => {
    const encoder = anthropicMessagesClient.openEncoder(view({ inputEstimate: 0 }));
    expect(wireEvents(encoder.encode(begin))[0]).toMatchObject({
      message: { usage: { input_tokens: 1, output_tokens: 1 } },
    });
  });

  it('opens by itself when the first event is not a start, and only once', () => {
    const types = wireEvents(encode([start(0, 'text'), say(0, 'x'), begin, over])).map(({ type }) => type);
    expect(types.filter((type) => type === 'message_start')).toHaveLength(1);
    expect(types[0]).toBe('message_start');
  });

  it('puts references and notes into message_delta', () => {
    const reference = {
      index: 1,
      knowledgeBaseId: 'kb',
      documentId: 'd',
      title: 'T',
      place: 4,
      page: 3,
      excerpt: 'e',
      score: 1,
    };
    const events = wireEvents(encode([begin, over], { references: [reference], notes: ['cut'] }));
    expect(events.at(-2)?.['svc']).toEqual({
      references: [
        { index: 1, knowledge_base_id: 'kb', document_id: 'd', title: 'T', place: 4, page: 3, excerpt: 'e', score: 1 },
      ],
      notes: ['cut'],
    });
  });

  it('ends in an error event the way every client reads it', () => {
    const encoder = anthropicMessagesClient.openEncoder(view());
    const frame = encoder.encode(begin) + encoder.fail(new GatewayError('upstream_timeout', { cause: 'secret' }));
    expect(frame).not.toContain('secret');
    expect(wireEvents(frame).at(-1)).toMatchObject({
      type: 'error',
      error: { type: 'timeout_error', code: 'upstream_timeout', details: { error_code: 'upstream_timeout' } },
      request_id: 'req_1',
    });
  });

  it('reaches the official SDK as an error with our code', async () => {
    const encoder = anthropicMessagesClient.openEncoder(view());
    const text = encoder.encode(begin) + encoder.encode(start(0, 'text')) + encoder.encode(say(0, 'x'));
    await expect(readStream(text + encoder.fail(new GatewayError('upstream_error')))).rejects.toMatchObject({
      error: { error: { code: 'upstream_error' } },
    });
  });

  it('keeps alive with a ping', () => {
    expect(anthropicMessagesClient.keepAliveFrame).toBe('event: ping\ndata: {"type":"ping"}\n\n');
  });
});

// One open block at a time, and no piece lost when it changes.
describe('transitions between blocks', () => {
  const TOOL = [call(1, 'a'), say(1, '{"x":1}'), end(1)];
  const cases: [string, ChatEvent[], string[]][] = [
    [
      'thinking to text',
      [
        start(0, 'reasoning', { reasoning: { origin: 'anthropic-messages' } }),
        say(0, 'hm'),
        end(0, { signature: 'S' }),
        start(1, 'text'),
        say(1, 'so'),
        end(1),
      ],
      ['+0 thinking', '0 thinking_delta hm', '0 signature_delta S', '-0', '+1 text', '1 text_delta so', '-1'],
    ],
    [
      'text to tool',
      [start(0, 'text'), say(0, 'a'), end(0), ...TOOL],
      ['+0 text', '0 text_delta a', '-0', '+1 tool_use', '1 input_json_delta {"x":1}', '-1'],
    ],
    [
      'tool to text',
      [...TOOL, start(2, 'text'), say(2, 'b'), end(2)],
      ['+0 tool_use', '0 input_json_delta {"x":1}', '-0', '+1 text', '1 text_delta b', '-1'],
    ],
    [
      'text to thinking without an end between them',
      [start(0, 'text'), say(0, 'a'), start(1, 'reasoning'), say(1, 'hm'), end(1), end(0)],
      ['+0 text', '0 text_delta a', '-0', '+1 thinking', '1 thinking_delta hm', '-1'],
    ],
    [
      'text that goes on after another block',
      [start(0, 'text'), say(0, 'a'), start(1, 'reasoning'), say(1, 'hm'), say(0, 'b'), end(0), end(1)],
      [
        '+0 text',
        '0 text_delta a',
        '-0',
        '+1 thinking',
        '1 thinking_delta hm',
        '-1',
        '+2 text',
        '2 text_delta b',
        '-2',
      ],
    ],
    [
      'tool calls side by side',
      [call(0, 'a'), call(1, 'b'), say(1, '{"b":'), say(0, '{"a":'), say(1, '2}'), say(0, '1}'), end(0), end(1)],
      [
        '+0 tool_use',
        '0 input_json_delta {"a":',
        '0 input_json_delta 1}',
        '-0',
        '+1 tool_use',
        '1 input_json_delta {"b":',
        '1 input_json_delta 2}',
        '-1',
      ],
    ],
    [
      'the later of two calls ending first',
      [call(0, 'a'), call(1, 'b'), say(1, '{}'), end(1), say(0, '{}'), end(0)],
      ['+0 tool_use', '0 input_json_delta {}', '-0', '+1 tool_use', '1 input_json_delta {}', '-1'],
    ],
    [
      'text beside an open call',
      [call(0, 'a'), start(1, 'text'), say(1, 'x'), say(0, '{}'), end(1), end(0)],
      ['+0 tool_use', '0 input_json_delta {}', '-0', '+1 text', '1 text_delta x', '-1'],
    ],
    ['a tool call without arguments', [call(0, 'a'), end(0)], ['+0 tool_use', '-0']],
    ['empty text, which would be refused when replayed', [start(0, 'text'), say(0, ''), end(0)], []],
    [
      'parts left open',
      [start(0, 'text'), say(0, 'a'), call(1, 'b')],
      ['+0 text', '0 text_delta a', '-0', '+1 tool_use', '-1'],
    ],
    [
      'redacted thinking',
      [start(0, 'reasoning', { reasoning: { encrypted: 'R', origin: 'anthropic-messages' } }), end(0)],
      ['+0 redacted_thinking', '-0'],
    ],
    [
      'thinking with only a signature',
      [start(0, 'reasoning', { reasoning: { origin: 'anthropic-messages' } }), end(0, { signature: 'S' })],
      ['+0 thinking', '0 signature_delta S', '-0'],
    ],
    ['a refusal', [start(0, 'refusal'), say(0, 'no'), end(0)], ['+0 text', '0 text_delta no', '-0']],
    ['another choice', [start(0, 'text', { choice: 1 }), say(0, 'x'), end(0)], []],
  ];
  it.each(cases)('%s', (_name, events, expected) => {
    expect(outline(encode([begin, ...events, over]))).toEqual(expected);
  });

  it('is understood by the official SDK, calls side by side included', async () => {
    const message = await readStream(
      encode([
        begin,
        start(0, 'reasoning', { reasoning: { origin: 'anthropic-messages' } }),
        say(0, 'hm'),
        end(0, { signature: 'S' }),
        start(1, 'text'),
        say(1, 'calling'),
        end(1),
        call(2, 'a'),
        call(3, 'b'),
        say(3, '{"b":2}'),
        say(2, '{"a":1}'),
        end(2),
        end(3),
        { type: 'response-end', finishes: [{ kind: 'tool-calls' }] },
      ]),
    );
    expect(message.content).toEqual([
      { type: 'thinking', thinking: 'hm', signature: 'S' },
      { type: 'text', text: 'calling' },
      { type: 'tool_use', id: 'a', name: 'tool_a', input: { a: 1 } },
      { type: 'tool_use', id: 'b', name: 'tool_b', input: { b: 2 } },
    ]);
    expect([message.stop_reason, message.usage.output_tokens, message.id]).toEqual(['tool_use', 5, 'msg_ours']);
  });
});

describe('what other protocols bring', () => {
  const lastDelta = (events: ChatEvent[]) => wireEvents(encode(events)).at(-2)?.['delta'];

  it('says tool_use when a tool was called, refusal when the model refused', () => {
    expect(lastDelta([begin, call(0, 'a'), end(0), over])).toMatchObject({ stop_reason: 'tool_use' });
    expect(lastDelta([begin, start(0, 'refusal'), say(0, 'no'), end(0), over])).toMatchObject({
      stop_reason: 'refusal',
    });
  });

  it.each([
    [{ kind: 'stop', raw: 'stop' }, 'end_turn', null],
    [{ kind: 'length', raw: 'length' }, 'max_tokens', null],
    [{ kind: 'content-filter', raw: 'content_filter' }, 'refusal', null],
    [{ kind: 'tool-calls' }, 'tool_use', null],
    [{ kind: 'stop', stopSequence: 'END' }, 'stop_sequence', 'END'],
    [{ kind: 'stop', raw: 'stop_sequence', stopSequence: 'END' }, 'stop_sequence', 'END'],
    [{ kind: 'stop', raw: 'pause_turn' }, 'pause_turn', null],
    [{ kind: 'length', raw: 'model_context_window_exceeded' }, 'model_context_window_exceeded', null],
  ] as const)('ends %o with %s', (finish, stop_reason, stop_sequence) => {
    expect(lastDelta([begin, { type: 'response-end', finishes: [finish] }])).toEqual({ stop_reason, stop_sequence });
  });

  it('gives unsigned reasoning an empty signature', () => {
    const events = wireEvents(encode([begin, start(0, 'reasoning'), say(0, 'r'), end(0), over]));
    expect(events[2]).toMatchObject({ content_block: { type: 'thinking', thinking: '', signature: '' } });
    expect(events.filter(({ delta }) => (delta as JsonObject)?.['type'] === 'signature_delta')).toEqual([]);
  });

  it('hides a tool signature in the id, also one that came late to a waiting call', () => {
    const events = wireEvents(
      encode([begin, call(0, 'a', 'QUJD'), call(1, 'b'), end(1, { signature: 'a b' }), end(0), over]),
    );
    const ids = events.flatMap(({ content_block: block }) => (block as JsonObject | undefined)?.['id'] ?? []);
    expect(ids).toEqual(['a__sig_bQUJD', 'b__sig_tYSBi']);
  });
});
