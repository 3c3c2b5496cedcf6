/** What codecs are handed by the gateway, with values that a test may override, and the protocol's streams read back. */
import type { ChatRequest } from '../../../src/core/chat.ts';
import { isJsonObject, type JsonObject, parseTrustedJson } from '../../../src/core/json.ts';
import { money } from '../../../src/core/money.ts';
import {
  type AnswerClosing,
  type ClientView,
  type CodecTarget,
  openaiResponsesClient,
} from '../../../src/protocols/index.ts';
import { bytesOf, framesOf } from '../streams.ts';

export function request(body: JsonObject = {}): ChatRequest {
  return openaiResponsesClient.decodeRequest({ input: 'hi', ...body });
}

export function view(more: Partial<ClientView> = {}): ClientView {
  return {
    requestId: 'req_1',
    responseId: 'resp_ours',
    model: 'vendor/model',
    created: 1_700_000_000,
    inputEstimate: 5,
    language: 'en',
    request: request(),
    ...more,
  };
}

export function closing(more: Partial<AnswerClosing> = {}): AnswerClosing {
  return { usage: { buckets: { inputFresh: 10, output: 5 }, source: 'upstream' }, cost: money(1_950n), ...more };
}

export function target(more: Partial<CodecTarget> = {}): CodecTarget {
  return {
    model: 'up-model',
    stream: false,
    maxOutputTokens: undefined,
    modelMaxOutput: undefined,
    capabilities: new Set(['tools', 'vision', 'json_schema', 'reasoning']),
    quirks: {},
    ...more,
  };
}

/** The events of a stream; fails when an `event:` line differs from the type or a number is missing. */
export function wireEvents(text: string): JsonObject[] {
  return framesOf([bytesOf(text)]).map(({ event, json, data }, number) => {
    if (!isJsonObject(json) || json['type'] !== event) throw new Error(`event line '${event}' for ${data}`);
    if (json['sequence_number'] !== number)
      throw new Error(`number ${json['sequence_number']} where ${number} was due`);
    return json;
  });
}

export function typesOf(text: string): unknown[] {
  return wireEvents(text).map(({ type }) => type);
}

/** A provider's stream, written from its events. */
export function streamOf(events: readonly JsonObject[]): string {
  return events
    .map(
      (event, number) => `event: ${event['type']}\ndata: ${JSON.stringify({ ...event, sequence_number: number })}\n\n`,
    )
    .join('');
}

export function json(text: string): JsonObject {
  return parseTrustedJson(text) as JsonObject;
}
