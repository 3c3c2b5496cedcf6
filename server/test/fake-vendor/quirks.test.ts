/** Every quirk, over a real socket, through the decoder and the guard: the answer must be the one that was meant. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChatResponse } from '../../src/core/chat.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { ChatEvent } from '../../src/core/events.ts';
import type { UpstreamFailure } from '../../src/core/failure.ts';
import { completionTokens, promptTokens } from '../../src/core/usage.ts';
import { createTransport } from '../../src/platform/upstream/index.ts';
import {
  anthropicMessagesUpstream,
  isFailure,
  openaiChatUpstream,
  openGuard,
  SseParser,
  type UpstreamCodec,
} from '../../src/protocols/index.ts';
import { foldEvents } from '../protocols/streams.ts';
import type { Answer } from './answer.ts';
import {
  CHAT_QUIRKS,
  CHAT_STREAM_ERRORS,
  type FakeVendor,
  MESSAGES_QUIRKS,
  rawStream,
  startFakeVendor,
} from './index.ts';

let vendor: FakeVendor;
const transport = createTransport({ clock: systemClock });

beforeAll(async () => {
  vendor = await startFakeVendor();
});
afterAll(async () => {
  await transport.close();
  await vendor.close();
});

const TARGET = {
  model: 'm',
  stream: true,
  maxOutputTokens: undefined,
  modelMaxOutput: undefined,
  capabilities: new Set<string>(),
  quirks: {},
};

async function ask(path: string, codec: UpstreamCodec): Promise<ChatResponse | UpstreamFailure> {
  const reply = await transport.send({
    pool: 'fake',
    url: `${vendor.origin}${path}`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'm',
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: 'hi' }],
    }),
    connectMs: 5000,
    headersMs: 10_000,
    idleMs: 10_000,
  });
  const events: ChatEvent[] = [];
  const emit = (event: ChatEvent) => void events.push(event);
  const decoder = openGuard(codec.openDecoder(TARGET));
  const parser = new SseParser();
  for (let chunk = await reply.read(); chunk !== null; chunk = await reply.read()) {
    parser.push(chunk, (frame) => decoder.push(frame, emit));
  }
  parser.end((frame) => decoder.push(frame, emit));
  decoder.end(emit);
  return foldEvents(events);
}

function check(response: ChatResponse | UpstreamFailure, expected: Answer): void {
  if (isFailure(response)) throw new Error(`failed: ${JSON.stringify(response)}`);
  expect(response.choices).toHaveLength(1);
  const parts = response.choices[0]?.parts ?? [];
  const textOf = (kind: 'text' | 'reasoning') => parts.map((part) => (part.kind === kind ? part.text : '')).join('');
  expect(textOf('text')).toBe(expected.text ?? '');
  expect(textOf('reasoning')).toBe(expected.reasoning ?? '');
  const calls = parts.flatMap((part) => (part.kind === 'tool-call' ? [part] : []));
  expect(calls.map(({ name, arguments: args }) => ({ name, arguments: args || '{}' }))).toEqual(
    (expected.toolCalls ?? []).map((call) => ({ name: call.name, arguments: call.arguments || '{}' })),
  );
  for (const [i, call] of calls.entries()) {
    expect(call.id).not.toBe('');
    const given = expected.toolCalls?.[i]?.id;
    if (given !== undefined) expect(call.id).toBe(given);
  }
  expect(response.choices[0]?.finish.kind).toBe(calls.length > 0 ? 'tool-calls' : 'stop');
  if (expected.usage && response.usage) {
    expect(promptTokens(response.usage)).toBe(expected.usage.input);
    expect(completionTokens(response.usage)).toBe(expected.usage.output);
  }
}

describe('chat', () => {
  it.each(Object.entries(CHAT_QUIRKS))('%s', async (name, { behaviour, expected }) => {
    vendor.next(behaviour);
    const response = await ask('/v1/chat/completions', openaiChatUpstream);
    check(response, expected);
    if (!isFailure(response)) expect(response.usage !== undefined).toBe(name !== 'usage never');
  });

  it.each(Object.entries(CHAT_STREAM_ERRORS))('a failure: %s', async (_name, frames) => {
    vendor.next(rawStream(frames));
    expect(isFailure(await ask('/v1/chat/completions', openaiChatUpstream))).toBe(true);
  });
});

describe('messages', () => {
  it.each(Object.entries(MESSAGES_QUIRKS))('%s', async (_name, { behaviour, expected }) => {
    vendor.next(behaviour);
    const response = await ask('/v1/messages', anthropicMessagesUpstream);
    check(response, expected);
    if (!isFailure(response)) expect(response.usage).toBeDefined();
  });
});
