/** Answers of known form hold no text that nobody reads, so that nothing in them is counted twice. */
import { describe, expect, it } from 'vitest';
import type { ChatEvent } from '../../src/core/events.ts';
import {
  anthropicMessagesRelay,
  anthropicMessagesUpstream,
  openaiChatRelay,
  openaiChatUpstream,
  openaiResponsesRelay,
  openaiResponsesUpstream,
  type RelayCodec,
  type SseFrame,
  SseParser,
  type UpstreamCodec,
} from '../../src/protocols/index.ts';
import { completeAnswer } from '../fake-vendor/answer.ts';
import { framesOf, wholeOf } from '../fake-vendor/behaviours.ts';
import type { RecordedRequest } from '../fake-vendor/wire.ts';

const ANSWER = {
  text: 'one two three and so on, in several words',
  reasoning: 'thinking about it for some time',
  toolCalls: [{ id: 'call_1', name: 'lookup', arguments: '{"place":"the town of the old clock"}' }],
  usage: { input: 10, output: 30 },
};
const TARGET = {
  model: 'm',
  stream: true,
  maxOutputTokens: undefined,
  modelMaxOutput: undefined,
  capabilities: new Set<string>(),
  quirks: {},
};

const PROTOCOLS: [RecordedRequest['dialect'], RelayCodec, UpstreamCodec][] = [
  ['openai-chat', openaiChatRelay, openaiChatUpstream],
  ['anthropic-messages', anthropicMessagesRelay, anthropicMessagesUpstream],
  ['openai-responses', openaiResponsesRelay, openaiResponsesUpstream],
];

describe.each(PROTOCOLS)('%s', (dialect, relay, upstream) => {
  const request = {
    dialect,
    body: { stream_options: { include_usage: true } },
    stream: true,
  } as unknown as RecordedRequest;
  const full = completeAnswer(ANSWER, request);

  it('a stream in which everything is known', () => {
    const frames: SseFrame[] = [];
    new SseParser().push(Buffer.from(framesOf(full, request).join('')), (frame) => frames.push(frame));
    const decoder = upstream.openDecoder(TARGET);
    const unread = relay.openUnread();
    const found: string[] = [];
    for (const frame of frames) {
      const events: ChatEvent[] = [];
      decoder.push(frame, (event) => events.push(event));
      const read = events.reduce((sum, event) => sum + (event.type === 'part-delta' ? event.text.length : 0), 0);
      found.push(unread.inFrame(frame, read));
    }
    expect(frames.length).toBeGreaterThan(3);
    expect(found.join('')).toBe('');
  });

  it('a whole answer in which everything is known', () => {
    expect(relay.unreadInWhole(wholeOf(full, request) as never)).toBe('');
  });
});

it('pieces that are told again as a whole are counted once', () => {
  const unread = openaiResponsesRelay.openUnread();
  const frame = (json: object): SseFrame => ({ event: undefined, data: JSON.stringify(json), json: json as never });
  const code = ['print(1)\n', 'print(2)\n'];
  let found = '';
  for (const delta of code)
    found += unread.inFrame(frame({ type: 'response.code_interpreter_call_code.delta', output_index: 1, delta }), 0);
  const whole = code.join('');
  found += unread.inFrame(frame({ type: 'response.code_interpreter_call_code.done', output_index: 1, code: whole }), 0);
  const item = { type: 'code_interpreter_call', id: 'ci', status: 'completed', code: whole };
  found += unread.inFrame(frame({ type: 'response.output_item.done', output_index: 1, item }), 0);
  found += unread.inFrame(frame({ type: 'response.completed', response: { output: [{ type: 'message' }, item] } }), 0);
  expect(found).toBe(whole);
});
