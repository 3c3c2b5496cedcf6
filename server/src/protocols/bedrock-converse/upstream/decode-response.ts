/** A whole answer of Converse → the canonical form. */
import type { ChatResponse, Part } from '../../../core/chat.ts';
import type { UpstreamFailure } from '../../../core/failure.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import { decodeFinish } from '../finish.ts';
import { PROTOCOL } from '../own-fields.ts';
import { decodeUsage } from '../usage.ts';

export function decodeResponse(body: Json): ChatResponse | UpstreamFailure {
  const output = isJsonObject(body) ? body['output'] : undefined;
  const message = isJsonObject(output) ? output['message'] : undefined;
  if (!isJsonObject(body) || !isJsonObject(message) || !Array.isArray(message['content']))
    return { kind: 'malformed', message: 'the answer is not a message' };
  const parts: Part[] = [];
  for (const block of message['content']) {
    const part = isJsonObject(block) ? decodeBlock(block) : undefined;
    if (part) parts.push(part);
  }
  const { usage } = body;
  return {
    choices: [{ index: 0, parts, finish: decodeFinish(body['stopReason']) }],
    ...(isJsonObject(usage) && { usage: decodeUsage(usage) }),
    ...servedTier(body),
  };
}

export function servedTier({ serviceTier }: JsonObject): { serviceTier?: string } {
  const type = isJsonObject(serviceTier) ? serviceTier['type'] : undefined;
  return typeof type === 'string' ? { serviceTier: type } : {};
}

function decodeBlock(block: JsonObject): Part | undefined {
  const { text, toolUse, reasoningContent, citationsContent } = block;
  if (typeof text === 'string') return { kind: 'text', text };
  if (isJsonObject(toolUse) && typeof toolUse['toolUseId'] === 'string' && typeof toolUse['name'] === 'string')
    return {
      kind: 'tool-call',
      id: toolUse['toolUseId'],
      name: toolUse['name'],
      arguments: JSON.stringify(toolUse['input'] ?? {}),
    };
  if (isJsonObject(reasoningContent)) return decodeReasoning(reasoningContent);
  if (isJsonObject(citationsContent)) return { kind: 'text', text: citedText(citationsContent['content']) };
  return undefined;
}

function decodeReasoning({ reasoningText, redactedContent }: JsonObject): Part | undefined {
  if (typeof redactedContent === 'string')
    return { kind: 'reasoning', text: '', encrypted: redactedContent, origin: PROTOCOL };
  if (!isJsonObject(reasoningText) || typeof reasoningText['text'] !== 'string') return undefined;
  const { text, signature } = reasoningText;
  const signed = typeof signature === 'string' && signature !== '' ? { signature } : {};
  return { kind: 'reasoning', text, ...signed, origin: PROTOCOL };
}

function citedText(content: Json | undefined): string {
  const texts = Array.isArray(content) ? content.filter(isJsonObject).map(({ text }) => text) : [];
  return texts.filter((text) => typeof text === 'string').join('');
}
