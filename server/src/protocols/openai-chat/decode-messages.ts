/** The conversation. One wire message becomes one canonical message, so the index in a `param` is the client's own. */
import type { Message, Part, ToolCallPart, ToolResultPart } from '../../core/chat.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { reasons } from '../../core/reasons.ts';
import { asArray, asName, asObject, asString, fieldsBeside, oneOf, optional, refuseParam } from '../read-fields.ts';
import { splitToolSignature } from '../tool-signature.ts';
import { MAX_MESSAGES, MAX_NAME, MAX_TOOL_CALLS, MAX_TOOL_ID } from './bounds.ts';
import { decodeContent, type WirePartType } from './decode-content.ts';
import { MESSAGE_FIELDS, ROLES } from './own-fields.ts';
import { decodeReasoning } from './reasoning-details.ts';
import { refuseBrokenToolOrder } from './tool-order.ts';

const SYSTEM_PARTS: readonly WirePartType[] = ['text'];
const USER_PARTS: readonly WirePartType[] = ['text', 'image_url', 'input_audio', 'file'];
const ASSISTANT_PARTS: readonly WirePartType[] = ['text', 'refusal', 'thinking'];
const TOOL_PARTS: readonly WirePartType[] = ['text', 'image_url', 'file'];

const readRole = oneOf(ROLES);
type Role = (typeof ROLES)[number];

/** The legacy form has no call ids: a `function` message answers the last call of its name. */
interface LegacyCall {
  id: string;
  name: string;
}

export function decodeMessages(value: Json | undefined): Message[] {
  const list = asArray(value, 'messages', MAX_MESSAGES);
  if (list.length === 0) refuseParam('messages', reasons.needsOne('messages'));
  const messages = new Array<Message>(list.length);
  let legacyCall: LegacyCall | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    const wire = isJsonObject(item) ? item : asObject(item, `messages.${index}`);
    const message = decodeMessage(wire, index, legacyCall);
    if (isJsonObject(wire['function_call'])) legacyCall = message.parts.findLast(isToolCall);
    messages[index] = message;
  }
  refuseBrokenToolOrder(messages, list);
  return messages;
}

/** The path of a field is written only where the field can be wrong: this runs for every message of a conversation. */
function decodeMessage(wire: JsonObject, index: number, legacyCall: LegacyCall | undefined): Message {
  const { role: given, name } = wire;
  const role = ROLES.find((known) => known === given) ?? readRole(given ?? null, `messages.${index}.role`);
  const message: Message = {
    role: role === 'function' ? 'tool' : role,
    parts: isPlainText(role, wire['content'])
      ? [{ kind: 'text', text: wire['content'] }]
      : decodeParts(role, wire, index, legacyCall),
  };
  if (name !== undefined && name !== null) {
    const checked = asName(name, `messages.${index}.name`, MAX_NAME);
    if (role !== 'function') message.name = checked;
  }
  const rest = fieldsBeside(wire, MESSAGE_FIELDS);
  if (rest) message.extras = { 'openai-chat': rest };
  return message;
}

function isPlainText(role: Role, content: Json | undefined): content is string {
  return typeof content === 'string' && (role === 'user' || role === 'system' || role === 'developer');
}

function decodeParts(role: Role, wire: JsonObject, index: number, legacyCall: LegacyCall | undefined): Part[] {
  const param = `messages.${index}`;
  switch (role) {
    case 'system':
    case 'developer':
      return decodeContent(wire['content'], `${param}.content`, SYSTEM_PARTS);
    case 'user':
      return decodeContent(wire['content'], `${param}.content`, USER_PARTS);
    case 'assistant':
      return decodeAssistantParts(wire, param, index);
    case 'tool':
      return [decodeToolResult(wire, param)];
    case 'function':
      return [decodeFunctionResult(wire, param, legacyCall)];
  }
}

function decodeAssistantParts(wire: JsonObject, param: string, index: number): Part[] {
  const parts: Part[] = decodeReasoning(wire);
  const content = wire['content'];
  if (
    content !== undefined &&
    content !== null &&
    content !== '' &&
    !(Array.isArray(content) && content.length === 0)
  ) {
    parts.push(...decodeContent(content, `${param}.content`, ASSISTANT_PARTS));
  }
  const refusal = optional(wire['refusal'], `${param}.refusal`, asString);
  if (refusal) parts.push({ kind: 'refusal', text: refusal });
  const audio = optional(wire['audio'], `${param}.audio`, asObject);
  if (audio)
    parts.push({ kind: 'audio', format: '', data: '', id: asName(audio['id'], `${param}.audio.id`, MAX_NAME) });
  const calls = optional(wire['tool_calls'], `${param}.tool_calls`, (value, path) =>
    asArray(value, path, MAX_TOOL_CALLS),
  );
  for (const [at, call] of calls?.entries() ?? []) parts.push(decodeToolCall(call, `${param}.tool_calls.${at}`));
  const legacy = optional(wire['function_call'], `${param}.function_call`, asObject);
  if (legacy) {
    parts.push({
      kind: 'tool-call',
      id: `call_function_${index}`,
      ...decodeFunction(legacy, `${param}.function_call`),
    });
  }
  if (parts.length === 0 && content !== '') refuseParam(`${param}.content`, reasons.required(`${param}.content`));
  return parts;
}

function decodeToolCall(value: Json, param: string): ToolCallPart {
  const wire = asObject(value, param);
  const { id, signature: ridden } = splitToolSignature(asName(wire['id'], `${param}.id`, MAX_TOOL_ID));
  const type = optional(wire['type'], `${param}.type`, oneOf(['function', 'custom'])) ?? 'function';
  const signature = thoughtSignature(wire) ?? ridden;
  const signed = signature === undefined ? {} : { signature };
  if (type === 'function') {
    const called = decodeFunction(asObject(wire['function'], `${param}.function`), `${param}.function`);
    return { kind: 'tool-call', id, ...called, ...signed };
  }
  const custom = asObject(wire['custom'], `${param}.custom`);
  const name = asName(custom['name'], `${param}.custom.name`, MAX_NAME);
  const input = asString(custom['input'], `${param}.custom.input`);
  return { kind: 'tool-call', id, name, arguments: input, custom: true, ...signed };
}

function decodeFunction(wire: JsonObject, param: string): { name: string; arguments: string } {
  const name = asName(wire['name'], `${param}.name`, MAX_NAME);
  return { name, arguments: optional(wire['arguments'], `${param}.arguments`, asString) ?? '' };
}

/** Where OpenAI-compatible Gemini keeps the signature of a call. */
export function thoughtSignature(wire: JsonObject): string | undefined {
  const extra = wire['extra_content'];
  const google = isJsonObject(extra) ? extra['google'] : undefined;
  const signature = isJsonObject(google) ? google['thought_signature'] : undefined;
  return typeof signature === 'string' && signature !== '' ? signature : undefined;
}

function decodeToolResult(wire: JsonObject, param: string): ToolResultPart {
  const callId = splitToolSignature(asName(wire['tool_call_id'], `${param}.tool_call_id`, MAX_TOOL_ID)).id;
  return { kind: 'tool-result', callId, content: decodeContent(wire['content'], `${param}.content`, TOOL_PARTS) };
}

function decodeFunctionResult(wire: JsonObject, param: string, call: LegacyCall | undefined): ToolResultPart {
  const name = asName(wire['name'], `${param}.name`, MAX_NAME);
  if (call?.name !== name) refuseParam(`${param}.name`, reasons.orphanToolMessage(name));
  return {
    kind: 'tool-result',
    callId: call.id,
    content: decodeContent(wire['content'], `${param}.content`, TOOL_PARTS),
  };
}

function isToolCall(part: Part): part is ToolCallPart {
  return part.kind === 'tool-call';
}
