/** What codecs are handed by the gateway, with values that a test may override. */
import type { ChatRequest, Message } from '../../../src/core/chat.ts';
import { type JsonObject, parseTrustedJson } from '../../../src/core/json.ts';
import { money } from '../../../src/core/money.ts';
import type { Usage } from '../../../src/core/usage.ts';
import type { AnswerClosing, ClientView, CodecTarget } from '../../../src/protocols/index.ts';
import { bytesOf, framesOf } from '../streams.ts';

export function chat(request: Partial<ChatRequest> = {}): ChatRequest {
  return {
    model: 'vendor/model',
    messages: [{ role: 'user', parts: [{ kind: 'text', text: 'hi' }] }],
    tools: [],
    output: { kind: 'text' },
    sampling: {},
    stream: false,
    includeUsage: true,
    svc: { knowledgeBaseIds: [] },
    extras: {},
    ...request,
  };
}

export function view(more: Partial<ClientView> = {}): ClientView {
  return {
    requestId: 'req_1',
    responseId: 'msg_ours',
    model: 'vendor/model',
    created: 1_700_000_000,
    inputEstimate: 12,
    language: 'en',
    request: chat(),
    ...more,
  };
}

const USAGE: Usage = { buckets: { inputFresh: 10, output: 5 }, source: 'upstream' };

export function closing(more: Partial<AnswerClosing> = {}): AnswerClosing {
  return { usage: USAGE, cost: money(1_950n), ...more };
}

export function target(more: Partial<CodecTarget> = {}): CodecTarget {
  return {
    model: 'claude-x',
    stream: false,
    maxOutputTokens: undefined,
    modelMaxOutput: 64_000,
    capabilities: new Set(['tools', 'vision', 'json_schema', 'reasoning']),
    quirks: {},
    ...more,
  };
}

/** The events of a stream in this protocol; fails when an `event:` line is missing or differs from the type. */
export function wireEvents(text: string): JsonObject[] {
  return framesOf([bytesOf(text)]).map(({ event, json, data }) => {
    const parsed = json as JsonObject;
    if (event === undefined || parsed?.['type'] !== event) throw new Error(`event line '${event}' for ${data}`);
    return parsed;
  });
}

/** A provider's stream, written from its events. */
export function streamOf(events: readonly JsonObject[]): string {
  return events.map((event) => `event: ${event['type']}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

export function json(text: string): JsonObject {
  return parseTrustedJson(text) as JsonObject;
}

export function said(role: Message['role'], ...texts: string[]): Message {
  return { role, parts: texts.map((text) => ({ kind: 'text', text })) };
}

export function called(...ids: string[]): Message {
  return { role: 'assistant', parts: ids.map((id) => ({ kind: 'tool-call', id, name: 'f', arguments: '{"a":1}' })) };
}

export function answered(id: string, text = 'ok'): Message {
  return { role: 'tool', parts: [{ kind: 'tool-result', callId: id, content: [{ kind: 'text', text }] }] };
}
