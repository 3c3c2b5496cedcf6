/**
 * Every known oddity of providers, through the whole gateway: relayed to a client of the same protocol, translated to one of
 * the other, read by the official SDKs.
 */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, CHAT_QUIRKS, CHAT_STREAM_ERRORS, MESSAGES_QUIRKS, rawStream } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';

let gateway: TestGateway;
let openai: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  gateway = await startGateway();
  openai = new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: `${gateway.origin}/api`, apiKey: gateway.key, maxRetries: 0 });
});
afterAll(() => gateway.stop());
beforeEach(() => gateway.vendor.reset());

const messages = [{ role: 'user' as const, content: 'hello' }];
const TOOLS = ['weather', 'now'];

/** What a client understood, whichever protocol it speaks. */
interface Understood {
  text: string;
  reasoning: string;
  calls: { id: string; name: string; arguments: unknown }[];
  finish: string | null;
  input: number;
  output: number;
}

async function readByOpenai(model: string): Promise<Understood> {
  const stream = openai.chat.completions.stream({
    model,
    messages,
    stream_options: { include_usage: true },
    tools: TOOLS.map((name) => ({ type: 'function', function: { name, parameters: { type: 'object' } } })),
  });
  let reasoning = '';
  for await (const chunk of stream) {
    const delta = chunk.choices[0]?.delta as { reasoning_content?: string; reasoning?: string } | undefined;
    reasoning += delta?.reasoning_content ?? delta?.reasoning ?? '';
  }
  const { choices, usage } = await stream.finalChatCompletion();
  const { message, finish_reason } = choices[0] ?? {};
  const calls = (message?.tool_calls ?? []).flatMap((call) => (call.type === 'function' ? [call] : []));
  return {
    text: message?.content ?? '',
    reasoning,
    calls: calls.map(({ id, function: { name, arguments: text } }) => ({
      id,
      name,
      arguments: JSON.parse(text || '{}'),
    })),
    finish: finish_reason ?? null,
    input: usage?.prompt_tokens ?? 0,
    output: usage?.completion_tokens ?? 0,
  };
}

const FINISH: Record<string, string> = { end_turn: 'stop', tool_use: 'tool_calls', max_tokens: 'length' };

async function readByAnthropic(model: string): Promise<Understood> {
  const message = await anthropic.messages
    .stream({
      model,
      max_tokens: 500,
      messages,
      tools: TOOLS.map((name) => ({ name, input_schema: { type: 'object' as const } })),
    })
    .finalMessage();
  const { content, usage } = message;
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    reasoning: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    calls: content.flatMap((block) =>
      block.type === 'tool_use' ? [{ id: block.id, name: block.name, arguments: block.input }] : [],
    ),
    finish: FINISH[message.stop_reason ?? ''] ?? null,
    input: usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0),
    output: usage.output_tokens,
  };
}

function check(seen: Understood, expected: Answer): void {
  expect(seen.text).toBe(expected.text ?? '');
  expect(seen.reasoning).toBe(expected.reasoning ?? '');
  const calls = expected.toolCalls ?? [];
  expect(seen.calls.map(({ name, arguments: value }) => ({ name, arguments: value }))).toEqual(
    calls.map((call) => ({ name: call.name, arguments: JSON.parse(call.arguments || '{}') })),
  );
  seen.calls.forEach((call, i) => {
    expect(call.id).not.toBe('');
    if (calls[i]?.id !== undefined) expect(call.id).toBe(calls[i]?.id);
  });
  expect(seen.finish).toBe(calls.length > 0 ? 'tool_calls' : 'stop');
  expect(seen.input).toBeGreaterThan(0);
  expect(seen.output).toBeGreaterThan(0);
  if (expected.usage) expect(seen).toMatchObject({ input: expected.usage.input, output: expected.usage.output });
}

describe.each([
  ['the OpenAI SDK', readByOpenai],
  ['the Anthropic SDK', readByAnthropic],
] as const)('%s understands', (_sdk, read) => {
  it.each(Object.entries(CHAT_QUIRKS))('a chat provider: %s', async (_name, { behaviour, expected }) => {
    gateway.vendor.next(behaviour);
    check(await read('mock/chat'), expected);
  });

  it.each(Object.entries(MESSAGES_QUIRKS))('a messages provider: %s', async (_name, { behaviour, expected }) => {
    gateway.vendor.next(behaviour);
    check(await read('mock/claude'), expected);
  });

  it.each(Object.entries(CHAT_STREAM_ERRORS))('a failure in disguise: %s', async (_name, frames) => {
    gateway.vendor.next(rawStream(frames));
    await expect(read('mock/chat')).rejects.toMatchObject({ status: 502 });
  });
});
