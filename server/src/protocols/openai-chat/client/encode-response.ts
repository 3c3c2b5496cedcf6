/** A whole answer in the shape of the contract. */
import type { ChatResponse, Choice, Part, ReasoningPart } from '../../../core/chat.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { AnswerClosing, ClientView } from '../../protocol.ts';
import { encodeServiceExtension } from '../../service-extension.ts';
import { encodeFinish } from '../finish.ts';
import { encodeCitation, encodeImage } from '../message-parts.ts';
import { encodeDetails, joinedReasoning } from '../reasoning-details.ts';
import { signedToolCall } from '../tool-calls.ts';
import { encodeUsage } from '../usage.ts';

export function encodeResponse(response: ChatResponse, view: ClientView, closing: AnswerClosing): JsonObject {
  const body: JsonObject = {
    // Strict readers want the field in whole answers, and take null.
    system_fingerprint: null,
    ...response.extras?.['openai-chat'],
    id: view.responseId,
    object: 'chat.completion',
    created: view.created,
    model: view.model,
    choices: response.choices.map(encodeChoice),
  };
  if (response.serviceTier !== undefined) body['service_tier'] = response.serviceTier;
  return addClosing(body, closing);
}

/** What the gateway itself adds to every answer: usage with its cost, and the sources it drew on. */
export function addClosing(body: JsonObject, closing: AnswerClosing): JsonObject {
  const svc = encodeServiceExtension(closing);
  body['usage'] = encodeUsage(closing);
  if (svc) body['svc'] = svc;
  return body;
}

function encodeChoice({ index, parts, finish, logprobs }: Choice): JsonObject {
  return { index, message: encodeMessage(parts), logprobs: logprobs ?? null, finish_reason: encodeFinish(finish) };
}

function encodeMessage(parts: readonly Part[]): JsonObject {
  const text = textOf(parts, 'text');
  const refusal = textOf(parts, 'refusal');
  const calls = parts.flatMap((part) => (part.kind === 'tool-call' ? [signedToolCall(part)] : []));
  const citations = parts.flatMap((part) => (part.kind === 'text' ? (part.citations ?? []) : []));
  const annotations = citations.map(encodeCitation).filter((annotation) => annotation !== undefined);
  const images = parts.flatMap((part) =>
    part.kind === 'image' && part.source.kind === 'data' ? [encodeImage(part.source)] : [],
  );
  const audio = parts.find((part) => part.kind === 'audio');
  const somethingElse = calls.length > 0 || refusal !== undefined || audio !== undefined;
  return {
    role: 'assistant',
    content: text ?? (somethingElse ? null : ''),
    refusal: refusal ?? null,
    ...encodeReasoning(parts.filter((part): part is ReasoningPart => part.kind === 'reasoning')),
    ...(annotations.length > 0 && { annotations }),
    ...(images.length > 0 && { images }),
    ...(audio?.kind === 'audio' && { audio: encodeAudio(audio) }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function textOf(parts: readonly Part[], kind: 'text' | 'refusal'): string | undefined {
  const texts = parts.flatMap((part) => (part.kind === kind ? [part.text] : []));
  return texts.length === 0 ? undefined : texts.join('');
}

/**
 * Reasoning is shown as `reasoning_content`, the name most clients read, and stands beside it in `reasoning_details`, which
 * OpenRouter's clients read, and which clients that continue the conversation send along.
 */
function encodeReasoning(parts: readonly ReasoningPart[]): JsonObject {
  if (parts.length === 0) return {};
  const text = joinedReasoning(parts);
  return { ...(text !== '' && { reasoning_content: text }), reasoning_details: parts.flatMap(encodeDetails) };
}

function encodeAudio({ id, data, transcript, format }: Extract<Part, { kind: 'audio' }>): JsonObject {
  return {
    ...(id !== undefined && { id }),
    data,
    format,
    ...(transcript !== undefined && { transcript }),
  };
}
