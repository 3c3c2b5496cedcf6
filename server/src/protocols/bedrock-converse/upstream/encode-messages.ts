/** Canonical messages → `system` and `messages`: two roles, results of calls first in the turn after them, media as bytes. */
import type { ChatRequest, FilePart, ImagePart, Message, Part, ToolResultPart } from '../../../core/chat.ts';
import { invalidRequest } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import { reasons } from '../../../core/reasons.ts';
import { toolInput } from '../../anthropic-messages/encode-blocks.ts';
import { ToolIds } from '../../anthropic-messages/tool-ids.ts';
import { PROTOCOL } from '../own-fields.ts';
import { encodeDocument, encodeImage } from './encode-media.ts';

interface Turn extends JsonObject {
  role: 'user' | 'assistant';
  content: JsonObject[];
}

interface Conversation {
  system: JsonObject[];
  messages: Turn[];
}

interface Terms {
  ids: ToolIds;
  /** Names of documents must differ. */
  documents: { count: number };
  at: string;
}

/** `json_object` has no switch in this protocol. */
const JSON_INSTRUCTION =
  'Answer with exactly one valid JSON object and nothing else: no code fence, no explanation before or after it.';

export function encodeConversation(request: ChatRequest): Conversation {
  const shared = { ids: new ToolIds(), documents: { count: 0 } };
  const system: JsonObject[] = [];
  const messages: Turn[] = [];
  for (const [index, message] of request.messages.entries()) {
    const content = encodeParts(message.parts, { ...shared, at: `messages.${index}` });
    if (isPrompt(message) && messages.length === 0) system.push(...content);
    else append(messages, message.role === 'assistant' ? 'assistant' : 'user', content);
  }
  if (request.output.kind === 'json') system.push({ text: JSON_INSTRUCTION });
  for (const turn of messages) if (turn.role === 'user') turn.content = resultsFirst(turn.content);
  if (messages.length > 0) return { system, messages };
  if (system.length === 0) throw invalidRequest('messages', reasons.required('messages'));
  // A conversation of instructions alone needs a user message.
  return { system: [], messages: [{ role: 'user', content: system }] };
}

/** Later system text has no slot of its own, so it becomes part of a user message. */
function isPrompt({ role }: Message): boolean {
  return role === 'system' || role === 'developer';
}

function append(messages: Turn[], role: Turn['role'], content: JsonObject[]): void {
  if (content.length === 0) return;
  const last = messages.at(-1);
  if (last?.role === role) last.content.push(...content);
  else messages.push({ role, content });
}

function resultsFirst(content: JsonObject[]): JsonObject[] {
  const isResult = (block: JsonObject) => block['toolResult'] !== undefined;
  return [...content.filter(isResult), ...content.filter((block) => !isResult(block))];
}

function encodeParts(parts: readonly Part[], terms: Terms): JsonObject[] {
  const blocks: JsonObject[] = [];
  for (const part of parts) {
    const block = encodePart(part, terms);
    if (!block) continue;
    blocks.push(block);
    if (part.cacheControl) blocks.push(cachePoint(part.cacheControl));
  }
  return blocks;
}

export function cachePoint({ ttl }: NonNullable<Part['cacheControl']>): JsonObject {
  return { cachePoint: { type: 'default', ...(ttl !== undefined && { ttl }) } };
}

function encodePart(part: Part, terms: Terms): JsonObject | undefined {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      // The provider refuses texts of white space alone.
      return part.text.trim() === '' ? undefined : { text: part.text };
    case 'image':
    case 'file':
      return encodeMedia(part, terms);
    case 'reasoning':
      return replayed(part);
    case 'tool-call':
      return { toolUse: { toolUseId: terms.ids.of(part.id), name: part.name, input: toolInput(part) } };
    case 'tool-result':
      return { toolResult: encodeResult(part, terms) };
    case 'audio':
      throw invalidRequest(terms.at, reasons.notCarried('input_audio'));
  }
}

function encodeMedia(part: ImagePart | FilePart, terms: Terms): JsonObject {
  if (part.kind === 'image') return encodeImage(part.source, terms.at);
  return encodeDocument(part, ++terms.documents.count, terms.at);
}

/** Only reasoning that came through this protocol may be sent back by it. */
function replayed(part: Extract<Part, { kind: 'reasoning' }>): JsonObject | undefined {
  if (part.origin !== PROTOCOL) return undefined;
  if (part.encrypted !== undefined) return { reasoningContent: { redactedContent: part.encrypted } };
  if (!part.signature) return undefined;
  return { reasoningContent: { reasoningText: { text: part.text, signature: part.signature } } };
}

function encodeResult(part: ToolResultPart, terms: Terms): JsonObject {
  const content = encodeParts(part.content, terms);
  return {
    toolUseId: terms.ids.of(part.callId),
    content: content.length > 0 ? content : [{ text: '(no output)' }],
    ...(part.isError !== undefined && { status: part.isError ? 'error' : 'success' }),
  };
}
