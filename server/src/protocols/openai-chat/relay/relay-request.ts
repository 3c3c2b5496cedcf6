/** The client's own body, adapted to its provider; fields unknown to us stay as they are. */
import type { ChatRequest } from '../../../core/chat.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import type { CodecTarget, HttpParts } from '../../protocol.ts';
import { splitToolSignature } from '../../tool-signature.ts';
import { DEFAULT_EFFORT } from '../client/read-effort.ts';
import { decodeReasoning } from '../reasoning-details.ts';
import { replayedReasoning } from '../upstream/encode-messages.ts';
import { httpParts } from '../upstream/encode-request.ts';
import { applyQuirks } from '../upstream/quirks.ts';

/** Fields of a request that are ours to write; `svc` is ours alone. */
const REWRITTEN_FIELDS: ReadonlySet<string> = new Set([
  'svc',
  'model',
  'messages',
  'max_tokens',
  'max_completion_tokens',
  'stream',
  'stream_options',
]);

export function patchRequest(body: JsonObject, request: ChatRequest, target: CodecTarget): HttpParts {
  const warnings: string[] = [];
  const patched: JsonObject = { model: target.model, messages: replayHistory(body['messages'], target) };
  // The body is copied instead of deleted from, because an object that lost a field is slow ever after.
  for (const name in body) if (!REWRITTEN_FIELDS.has(name)) patched[name] = body[name];
  fillIn(patched, request);
  setOutputLimit(patched, body, target);
  if (target.stream) {
    const options = isJsonObject(body['stream_options']) ? body['stream_options'] : {};
    patched['stream'] = true;
    patched['stream_options'] = { ...options, include_usage: true };
  }
  applyQuirks(patched, request, target, warnings);
  return httpParts(patched, target, warnings);
}

/** Values that we accept from clients though the provider would refuse them. */
function fillIn(patched: JsonObject, { output }: ChatRequest): void {
  if (patched['reasoning_effort'] === DEFAULT_EFFORT) delete patched['reasoning_effort'];
  const format = patched['response_format'];
  if (output.kind !== 'json-schema' || !isJsonObject(format) || !isJsonObject(format['json_schema'])) return;
  if ((format['json_schema']['name'] ?? null) !== null) return;
  patched['response_format'] = { ...format, json_schema: { ...format['json_schema'], name: output.name } };
}

/**
 * It goes under the name the client used, unless the provider insists on one: newer and older models each refuse the other's
 * name.
 */
function setOutputLimit(patched: JsonObject, body: JsonObject, { maxOutputTokens }: CodecTarget): void {
  const { max_tokens: older, max_completion_tokens: newer } = body;
  if (maxOutputTokens !== undefined) {
    patched[(newer ?? null) === null ? 'max_tokens' : 'max_completion_tokens'] = maxOutputTokens;
    return;
  }
  if (older !== undefined) patched['max_tokens'] = older;
  if (newer !== undefined) patched['max_completion_tokens'] = newer;
}

/** Clients send earlier reasoning back under the name we gave it; each provider wants it under its own, or not at all. */
function replayHistory(messages: Json | undefined, { quirks }: CodecTarget): Json | undefined {
  if (!Array.isArray(messages)) return messages;
  return messages.map((given) =>
    isJsonObject(given) ? replayMessage(withImageObjects(withoutSignatures(given)), quirks) : given,
  );
}

/** Wraps a plain address where the wire wants an object. */
function withImageObjects(message: JsonObject): JsonObject {
  const { content } = message;
  if (!Array.isArray(content) || !content.some(isBareImage)) return message;
  return {
    ...message,
    content: content.map((part) => (isBareImage(part) ? { ...part, image_url: { url: part['image_url'] } } : part)),
  };
}

function isBareImage(part: Json | undefined): part is JsonObject {
  return isJsonObject(part) && typeof part['image_url'] === 'string';
}

function replayMessage(message: JsonObject, quirks: CodecTarget['quirks']): JsonObject {
  const { reasoning_content: content, reasoning, reasoning_details: details } = message;
  if (content === undefined && reasoning === undefined && details === undefined) return message;
  const { reasoning_content: _content, reasoning: _reasoning, reasoning_details: _details, ...rest } = message;
  return { ...rest, ...replayedReasoning(decodeReasoning(message), quirks) };
}

/**
 * Earlier turns may come from a Gemini model, whose signatures are part of the ids of its calls. No other provider
 * needs them, and some refuse an id of that length.
 */
function withoutSignatures(message: JsonObject): JsonObject {
  const { tool_call_id: answered, tool_calls: calls } = message;
  if (typeof answered === 'string') {
    const { id } = splitToolSignature(answered);
    return id === answered ? message : { ...message, tool_call_id: id };
  }
  if (!Array.isArray(calls) || !calls.some(isSigned)) return message;
  return { ...message, tool_calls: calls.map(unsigned) };
}

function isSigned(call: Json): boolean {
  return isJsonObject(call) && typeof call['id'] === 'string' && splitToolSignature(call['id']).signature !== undefined;
}

function unsigned(call: Json): Json {
  if (!isJsonObject(call) || typeof call['id'] !== 'string') return call;
  return { ...call, id: splitToolSignature(call['id']).id };
}
