/**
 * Canonical messages → `system` and `messages`. The wire has two roles and wants every result of a turn's calls in one
 * user message right after it, so neighbours of the same role are merged and results are put first.
 */
import type { ChatRequest, Message } from '../../../core/chat.ts';
import { invalidRequest } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import { reasons } from '../../../core/reasons.ts';
import { encodeParts } from '../encode-blocks.ts';
import { ToolIds } from '../tool-ids.ts';

export interface WireMessage {
  role: 'user' | 'assistant';
  content: JsonObject[];
}

export interface EncodedConversation {
  system: JsonObject[];
  messages: WireMessage[];
}

/** `json_object` has no switch in this protocol; a prefilled "{" is refused by newer models, an instruction is not. */
const JSON_INSTRUCTION =
  'Answer with exactly one valid JSON object and nothing else: no code fence, no explanation before or after it.';

export function encodeConversation(request: ChatRequest): EncodedConversation {
  const ids = new ToolIds();
  const system: JsonObject[] = [];
  const messages: WireMessage[] = [];
  for (const [index, message] of request.messages.entries()) {
    const content = encodeParts(message.parts, ids, `messages.${index}`);
    if (isPrompt(message) && messages.length === 0) system.push(...content);
    else append(messages, message.role === 'assistant' ? 'assistant' : 'user', content);
  }
  if (request.output.kind === 'json') system.push({ type: 'text', text: JSON_INSTRUCTION });
  return settle({ system, messages });
}

/** Later system text has no slot of its own, so it becomes part of a user message. */
function isPrompt({ role }: Message): boolean {
  return role === 'system' || role === 'developer';
}

function append(messages: WireMessage[], role: WireMessage['role'], content: JsonObject[]): void {
  if (content.length === 0) return;
  const last = messages.at(-1);
  if (last?.role === role) last.content.push(...content);
  else messages.push({ role, content });
}

function settle({ system, messages }: EncodedConversation): EncodedConversation {
  for (const message of messages) if (message.role === 'user') message.content = resultsFirst(message.content);
  trimEnd(messages);
  if (messages.length > 0) return { system, messages };
  if (system.length === 0) throw invalidRequest('messages', reasons.required('messages'));
  // A conversation of instructions alone needs a user message.
  return { system: [], messages: [{ role: 'user', content: system }] };
}

function resultsFirst(content: JsonObject[]): JsonObject[] {
  const isResult = (block: JsonObject) => block['type'] === 'tool_result';
  return [...content.filter(isResult), ...content.filter((block) => !isResult(block))];
}

/** The provider refuses a last assistant message that ends in white space. */
function trimEnd(messages: WireMessage[]): void {
  const last = messages.at(-1);
  const block = last?.role === 'assistant' ? last.content.at(-1) : undefined;
  if (!last || typeof block?.['text'] !== 'string') return;
  const text = block['text'].trimEnd();
  last.content = last.content.slice(0, -1);
  if (text !== '') last.content.push({ ...block, text });
  else if (last.content.length === 0) messages.pop();
}
