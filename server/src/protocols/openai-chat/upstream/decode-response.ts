/** A provider's whole answer. A 200 may still be an error in disguise. */
import type { ChatResponse, Choice, Extras, Part } from '../../../core/chat.ts';
import type { UpstreamFailure } from '../../../core/failure.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import { errorIn, inBandFailure } from '../../provider-error.ts';
import { fieldsBeside } from '../../read-fields.ts';
import { decodeFinish } from '../finish.ts';
import { readAudio, readCitations, readContent, readImages, readReasoningText } from '../message-parts.ts';
import { decodeDetails } from '../reasoning-details.ts';
import { madeToolCallId, readToolCallPiece } from '../tool-calls.ts';
import { decodeUsage } from '../usage.ts';

const RESPONSE_FIELDS: ReadonlySet<string> = new Set(['id', 'object', 'created', 'model', 'choices', 'usage']);

export function decodeResponse(body: Json): ChatResponse | UpstreamFailure {
  if (!isJsonObject(body))
    return { kind: 'malformed', message: `not a JSON object: ${JSON.stringify(body)}`.slice(0, 200) };
  const error = errorIn(body);
  if (error) return inBandFailure(error);
  const wire = body['choices'];
  if (!Array.isArray(wire)) return { kind: 'malformed', message: 'an answer without choices' };
  if (wire.length === 0) return { kind: 'empty', message: 'an answer with no choice in it' };
  const id = typeof body['id'] === 'string' && body['id'] !== '' ? body['id'] : undefined;
  const choices = new Array<Choice>(wire.length);
  for (let index = 0; index < wire.length; index++) {
    const item = wire[index];
    const choice = isJsonObject(item) ? decodeChoice(item, index, id) : undefined;
    if (!choice) return { kind: 'malformed', message: 'a choice without a message' };
    if ('kind' in choice) return choice;
    choices[index] = choice;
  }
  return named(body, id, { choices });
}

/** Assigned one by one, because each spread of an optional object would make a copy (docs/performance.md). */
function named(body: JsonObject, id: string | undefined, response: ChatResponse): ChatResponse {
  const { model, created, service_tier: tier } = body;
  if (id !== undefined) response.id = id;
  if (typeof model === 'string') response.model = model;
  if (typeof created === 'number') response.created = created;
  if (typeof tier === 'string') response.serviceTier = tier;
  const usage = decodeUsage(body['usage']);
  if (usage) response.usage = usage;
  const extras = responseExtras(body);
  if (extras) response.extras = extras;
  return response;
}

export function responseExtras(body: JsonObject): Extras | undefined {
  const rest = fieldsBeside(body, RESPONSE_FIELDS);
  return rest && { 'openai-chat': rest };
}

function decodeChoice(
  wire: JsonObject,
  position: number,
  id: string | undefined,
): Choice | UpstreamFailure | undefined {
  const { error, finish_reason: finish, logprobs } = wire;
  // OpenRouter reports the failure of one choice inside it.
  if (isJsonObject(error)) return inBandFailure(error);
  const message = isJsonObject(wire['message']) ? wire['message'] : wire['delta'];
  const decoded = decodeFinish(finish) ?? { kind: 'stop' };
  // Azure leaves the message out where its filter removed everything: that is the answer, so no other route is tried.
  if (!isJsonObject(message) && decoded.kind !== 'content-filter') return undefined;
  const parts = isJsonObject(message) ? decodeParts(message, position, id) : [];
  const calls = parts.some((part) => part.kind === 'tool-call');
  const choice: Choice = {
    index: position,
    parts,
    finish: decoded.kind === 'stop' && calls ? { kind: 'tool-calls' } : decoded,
  };
  if (isJsonObject(logprobs)) choice.logprobs = logprobs;
  return choice;
}

function decodeParts(message: JsonObject, choice: number, id: string | undefined): Part[] {
  const { text, thinking } = readContent(message['content']);
  const parts: Part[] = decodeReasoningParts(message, thinking);
  const citations = readCitations(message['annotations']);
  if (citations.length > 0) parts.push({ kind: 'text', text, citations });
  else if (text !== '') parts.push({ kind: 'text', text });
  if (typeof message['refusal'] === 'string' && message['refusal'] !== '') {
    parts.push({ kind: 'refusal', text: message['refusal'] });
  }
  if (message['images'] !== undefined) parts.push(...readImages(message['images']));
  const audio = readAudio(message['audio']);
  if (audio) parts.push(audio);
  if (Array.isArray(message['tool_calls']) || isJsonObject(message['function_call']))
    parts.push(...decodeToolCalls(message, choice, id));
  return parts;
}

function decodeReasoningParts(message: JsonObject, thinking: string): Part[] {
  const details = Array.isArray(message['reasoning_details']) ? decodeDetails(message['reasoning_details']) : [];
  if (details.length > 0) return details;
  const text = thinking || readReasoningText(message);
  return text === '' ? [] : [{ kind: 'reasoning', text }];
}

function decodeToolCalls(message: JsonObject, choice: number, id: string | undefined): Part[] {
  const list = Array.isArray(message['tool_calls']) ? message['tool_calls'].filter(isJsonObject) : [];
  if (isJsonObject(message['function_call'])) list.push({ function: message['function_call'] });
  const taken = new Set<string>();
  const calls: Part[] = [];
  for (const entry of list) {
    const piece = readToolCallPiece(entry);
    if (piece.name === undefined) continue;
    const ownId = piece.id !== undefined && !taken.has(piece.id) ? piece.id : undefined;
    const callId = ownId ?? madeToolCallId(id, choice, calls.length);
    taken.add(callId);
    calls.push({
      kind: 'tool-call',
      id: callId,
      name: piece.name,
      arguments: piece.arguments,
      ...(piece.custom && { custom: true }),
      ...(piece.signature !== undefined && { signature: piece.signature }),
    });
  }
  return calls;
}
