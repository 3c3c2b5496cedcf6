/**
 * `reasoning_details`: the list in which the chat protocol carries what must be replayed byte for byte (signatures, encrypted
 * reasoning). Plain reasoning stands in it too, beside `reasoning_content`: OpenRouter's clients read the list alone, others the
 * field alone, and none of both.
 */
import type { ProtocolId, ReasoningPart } from '../../core/chat.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';

/** The names under which OpenRouter and its clients know who signed. */
const FORMATS: Record<ProtocolId, string> = {
  'anthropic-messages': 'anthropic-claude-v1',
  'openai-responses': 'openai-responses-v1',
  'gemini-generate': 'google-gemini-v1',
  'bedrock-converse': 'bedrock-converse-v1',
  'openai-chat': 'unknown',
};

export function originOf(format: Json | undefined): ProtocolId | undefined {
  for (const [protocol, name] of Object.entries(FORMATS)) if (name === format) return protocol as ProtocolId;
  return undefined;
}

/** The items of one part. Encrypted text and readable text are two items of the same index. */
export function encodeDetails(part: ReasoningPart, index: number): JsonObject[] {
  const frame = {
    ...(part.id !== undefined && { id: part.id }),
    ...(part.origin !== undefined && { format: FORMATS[part.origin] }),
    index,
  };
  const items: JsonObject[] = [];
  if (part.text !== '' || part.signature !== undefined || part.encrypted === undefined) {
    const said = part.summary
      ? { type: 'reasoning.summary', summary: part.text }
      : { type: 'reasoning.text', text: part.text };
    items.push({ ...said, ...(part.signature !== undefined && { signature: part.signature }), ...frame });
  }
  if (part.encrypted !== undefined) items.push({ type: 'reasoning.encrypted', data: part.encrypted, ...frame });
  return items;
}

/** Adds the list to a message or delta of a provider that tells plain reasoning in `reasoning_content` alone. */
export function addDetails(message: JsonObject): void {
  const text = message['reasoning_content'];
  if (typeof text !== 'string' || text === '') return;
  // OpenRouter's clients also read `reasoning`.
  if (message['reasoning'] !== undefined || message['reasoning_details'] !== undefined) return;
  message['reasoning_details'] = encodeDetails({ kind: 'reasoning', text }, 0);
}

/** Reading is lenient: an item that is not understood is left out, since the list comes back from clients that only carried it. */
export function decodeDetails(list: readonly Json[]): ReasoningPart[] {
  const parts: ReasoningPart[] = [];
  let lastIndex: Json | undefined;
  for (const item of list) {
    if (!isJsonObject(item)) continue;
    const previous = lastIndex !== undefined && item['index'] === lastIndex ? parts.at(-1) : undefined;
    lastIndex = item['index'];
    if (!previous || !continues(previous, item)) parts.push({ kind: 'reasoning', text: '' });
    addDetail(parts[parts.length - 1] as ReasoningPart, item);
  }
  return parts.filter(
    ({ text, signature, encrypted }) => text !== '' || signature !== undefined || encrypted !== undefined,
  );
}

/** Streams cut one block into several items of the same index; clients replay them so. */
function continues(part: ReasoningPart, item: JsonObject): boolean {
  if (typeof item['data'] === 'string') return part.encrypted === undefined;
  return part.signature === undefined;
}

function addDetail(part: ReasoningPart, item: JsonObject): void {
  const { text, summary, signature, data, id, format } = item;
  if (typeof text === 'string') part.text += text;
  if (typeof summary === 'string') {
    part.text += summary;
    part.summary = true;
  }
  if (typeof signature === 'string') part.signature = signature;
  if (typeof data === 'string') part.encrypted = data;
  if (typeof id === 'string') part.id = id;
  const origin = originOf(format);
  if (origin) part.origin = origin;
}

/** Earlier reasoning of an assistant message, whichever of the three fields carries it. */
export function decodeReasoning(message: JsonObject): ReasoningPart[] {
  const details = message['reasoning_details'];
  if (Array.isArray(details)) {
    const parts = decodeDetails(details);
    if (parts.length > 0) return parts;
  }
  for (const field of ['reasoning_content', 'reasoning']) {
    const text = message[field];
    if (typeof text === 'string' && text !== '') return [{ kind: 'reasoning', text }];
  }
  return [];
}

export function joinedReasoning(parts: readonly ReasoningPart[]): string {
  return parts
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join('\n\n');
}
