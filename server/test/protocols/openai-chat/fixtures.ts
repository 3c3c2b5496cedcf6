/** What the suites of the chat protocol share: a target, a view, a closing, and raw streams beside this file. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChatRequest } from '../../../src/core/chat.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { money } from '../../../src/core/money.ts';
import type { AnswerClosing, ClientView, CodecTarget, Quirks } from '../../../src/protocols/index.ts';
import { openaiChatClient } from '../../../src/protocols/index.ts';

export function fixture(name: string): string {
  return readFileSync(join(import.meta.dirname, 'streams', `${name}.sse`), 'utf8');
}

export function target(quirks: Quirks = {}, more: Partial<CodecTarget> = {}): CodecTarget {
  return {
    model: 'upstream-model',
    stream: false,
    maxOutputTokens: undefined,
    modelMaxOutput: undefined,
    capabilities: new Set(),
    quirks,
    ...more,
  };
}

export function request(body: JsonObject = {}): ChatRequest {
  return openaiChatClient.decodeRequest({ messages: [{ role: 'user', content: 'hi' }], ...body });
}

export function view(more: Partial<ClientView> = {}): ClientView {
  return {
    requestId: 'req_1',
    responseId: 'chatcmpl-ours',
    model: 'vendor/model',
    created: 1_700_000_000,
    inputEstimate: 5,
    language: 'en',
    request: request({ stream: true, stream_options: { include_usage: true } }),
    ...more,
  };
}

export const silentView = (): ClientView => view({ request: request({ stream: true }) });

export const closing: AnswerClosing = {
  usage: { source: 'upstream', buckets: { inputFresh: 3, cacheRead: 2, output: 4, reasoning: 1 } },
  cost: money(1_950n),
};

export const closingUsage = {
  prompt_tokens: 5,
  completion_tokens: 5,
  total_tokens: 10,
  prompt_tokens_details: { cached_tokens: 2 },
  completion_tokens_details: { reasoning_tokens: 1 },
  cost: 0.00195,
};

/** The JSON of each data frame; '[DONE]' stays a string. */
export function payloads(text: string): (JsonObject | '[DONE]')[] {
  return text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => {
      const data = frame.slice('data: '.length);
      return data === '[DONE]' ? data : (JSON.parse(data) as JsonObject);
    });
}
