/** The canonical conversation as messages of the chat protocol. */
import type { Message, Part, ReasoningPart, TextPart, ToolCallPart, ToolResultPart } from '../../../core/chat.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { Quirks } from '../../protocol.ts';
import { encodeDetails, joinedReasoning } from '../reasoning-details.ts';
import { encodeToolCall } from '../tool-calls.ts';
import { encodeContent, encodeText } from './encode-content.ts';

/** Stands in a tool message for media that only a user message can carry. */
const MEDIA_FOLLOWS = '(see the attached media in the next message)';

export function encodeMessages(messages: readonly Message[], quirks: Quirks): JsonObject[] {
  const wire: JsonObject[] = [];
  // Media of tool results wait until the run of tool messages ends, because no user message may stand between them.
  let media: Part[] = [];
  for (const [index, message] of messages.entries()) {
    const param = `messages.${index}`;
    if (message.role === 'tool') {
      for (const part of message.parts) {
        if (part.kind === 'tool-result') media.push(...encodeToolResult(part, message, quirks, param, wire));
      }
      continue;
    }
    media = flushMedia(media, quirks, param, wire);
    wire.push(encodeMessage(message, quirks, param));
  }
  flushMedia(media, quirks, 'messages', wire);
  return wire;
}

function flushMedia(media: Part[], quirks: Quirks, param: string, wire: JsonObject[]): Part[] {
  if (media.length > 0) wire.push({ role: 'user', content: encodeContent(media, quirks, param) });
  return [];
}

function encodeMessage(message: Message, quirks: Quirks, param: string): JsonObject {
  const frame = {
    ...message.extras?.['openai-chat'],
    role: message.role,
    ...(message.name !== undefined && { name: message.name }),
  };
  if (message.role === 'assistant') return { ...frame, ...encodeAssistant(message.parts, quirks, param) };
  if (message.role === 'user') return { ...frame, content: encodeContent(message.parts, quirks, param) };
  return { ...frame, content: encodeText(message.parts.filter(isText), quirks, param) };
}

function encodeAssistant(parts: readonly Part[], quirks: Quirks, param: string): JsonObject {
  const text = parts.filter(isText);
  const calls = parts.filter((part): part is ToolCallPart => part.kind === 'tool-call');
  const refusals = parts.flatMap((part) => (part.kind === 'refusal' ? [part.text] : []));
  const spoken = parts.find((part) => part.kind === 'audio' && part.id !== undefined);
  const silent = calls.length > 0 || refusals.length > 0 || spoken !== undefined;
  return {
    content: text.length > 0 ? encodeText(text, quirks, param) : silent ? null : '',
    ...(refusals.length > 0 && { refusal: refusals.join('\n\n') }),
    ...(spoken?.kind === 'audio' && { audio: { id: spoken.id } }),
    ...replayedReasoning(
      parts.filter((part): part is ReasoningPart => part.kind === 'reasoning'),
      quirks,
    ),
    ...(calls.length > 0 && {
      tool_calls: calls.map((call) => encodeToolCall(call, quirks.replaysToolSignatures === true)),
    }),
  };
}

/** Earlier reasoning in the one field the provider wants it in; nothing where it wants none. */
export function replayedReasoning(parts: readonly ReasoningPart[], { replayReasoningAs }: Quirks): JsonObject {
  if (replayReasoningAs === undefined || parts.length === 0) return {};
  if (replayReasoningAs === 'reasoning_details') return { reasoning_details: parts.flatMap(encodeDetails) };
  const text = joinedReasoning(parts);
  return text === '' ? {} : { [replayReasoningAs]: text };
}

/** Writes the tool message and returns the media that it cannot carry. */
function encodeToolResult(
  result: ToolResultPart,
  message: Message,
  quirks: Quirks,
  param: string,
  wire: JsonObject[],
): Part[] {
  const text = result.content.filter(isText);
  const media = result.content.filter((part) => part.kind === 'image' || part.kind === 'file' || part.kind === 'audio');
  const words: TextPart[] = text.length > 0 || media.length === 0 ? text : [{ kind: 'text', text: MEDIA_FOLLOWS }];
  wire.push({
    ...message.extras?.['openai-chat'],
    role: 'tool',
    tool_call_id: result.callId,
    ...(message.name !== undefined && { name: message.name }),
    content: words.length === 0 ? '' : encodeText(words, quirks, param),
  });
  return media;
}

function isText(part: Part): part is TextPart {
  return part.kind === 'text';
}
