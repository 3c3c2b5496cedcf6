/**
 * One whole tool call of the chat protocol. The signature of a call is in `extra_content`, as in Gemini's chat
 * endpoint, and in the id, because many clients keep only the fields they know.
 */
import type { ToolCallPart } from '../../core/chat.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { joinToolSignature, splitToolSignature } from '../tool-signature.ts';
import { thoughtSignature } from './decode-messages.ts';

export function encodeToolCall(call: ToolCallPart, withSignature: boolean): JsonObject {
  const { id, name, custom, signature } = call;
  return {
    id,
    ...(custom
      ? { type: 'custom', custom: { name, input: call.arguments } }
      : // Clients parse the arguments; an empty text would break them where the model meant "none".
        { type: 'function', function: { name, arguments: call.arguments || '{}' } }),
    ...(withSignature && signature !== undefined && { extra_content: signedContent(signature) }),
  };
}

/** Writes the form for clients. */
export function signedToolCall(call: ToolCallPart): JsonObject {
  return { ...encodeToolCall(call, true), id: joinToolSignature(call.id, call.signature) };
}

export function signedContent(signature: string): JsonObject {
  return { google: { thought_signature: signature } };
}

/** What one entry of `tool_calls`, whole or a piece, contains; every field may be missing. */
export interface ToolCallPiece {
  index: number | undefined;
  id: string | undefined;
  name: string | undefined;
  arguments: string;
  custom: boolean;
  signature: string | undefined;
}

export function readToolCallPiece(entry: JsonObject): ToolCallPiece {
  const custom = isCustomCall(entry);
  const called = custom ? entry['custom'] : entry['function'];
  const { name, arguments: args, input } = isJsonObject(called) ? called : {};
  const { index } = entry;
  // The id may carry a signature, because the provider may be another installation of this gateway.
  const { id, signature } = splitToolSignature(typeof entry['id'] === 'string' ? entry['id'] : '');
  return {
    index: typeof index === 'number' ? index : undefined,
    id: id === '' ? undefined : id,
    name: typeof name === 'string' && name !== '' ? name : undefined,
    arguments: argumentText(custom ? input : args),
    custom,
    signature: thoughtSignature(entry) ?? signature,
  };
}

/** SDKs that fill in every field write the form that was not used as well, as an empty object. */
function isCustomCall({ type, custom, function: called }: JsonObject): boolean {
  if (!isJsonObject(custom)) return false;
  if (!isJsonObject(called) || type === 'custom') return true;
  return Object.keys(called).length === 0 && Object.keys(custom).length > 0;
}

/** Ollama and others give the arguments as an object instead of text. */
function argumentText(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/**
 * An id for a call that came without one. It holds the answer's id: the client sends it back in a later turn, where it
 * must not meet the ids of other answers (Anthropic's providers refuse a conversation that uses one twice).
 */
export function madeToolCallId(responseId: string | undefined, choice: number, position: number): string {
  const answer = (responseId ?? '').replace(/[^A-Za-z0-9_-]/g, '').slice(-40);
  return answer === '' ? `call_${choice}_${position}` : `call_${answer}_${choice}_${position}`;
}
