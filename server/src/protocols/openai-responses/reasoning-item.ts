/**
 * Reasoning items. `encrypted_content` goes back byte for byte to the provider that made it; reasoning of another protocol
 * rides in the same field, sealed, since clients replay it without looking.
 */
import type { ReasoningPart } from '../../core/chat.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { isSealed, openForeignReasoning, sealForeignReasoning } from '../reasoning-seal.ts';
import { keep, keptBlock, PROTOCOL } from './own-fields.ts';

/** Reads an item of a request or of an answer. It is lenient, because clients only carry what we or the provider wrote. */
export function decodeReasoningItem(item: JsonObject): ReasoningPart {
  const { id, encrypted_content: encrypted } = item;
  const said = spokenReasoning(item);
  if (typeof encrypted === 'string' && isSealed(encrypted)) {
    return { kind: 'reasoning', text: said.text, ...openForeignReasoning(encrypted) };
  }
  return {
    kind: 'reasoning',
    ...said,
    ...(typeof encrypted === 'string' && encrypted !== '' && { encrypted, origin: PROTOCOL }),
    ...(typeof id === 'string' && id !== '' && { id }),
    ...keep({ block: item }),
  };
}

/** The summary; where there is none, the raw reasoning of open models (`summary: false` distinguishes it). */
export function spokenReasoning(item: JsonObject): { text: string; summary?: boolean } {
  const summary = textsOf(item['summary']);
  if (summary.length > 0) return { text: summary.join('\n\n'), summary: true };
  const content = textsOf(item['content']);
  return content.length > 0 ? { text: content.join('\n\n'), summary: false } : { text: '' };
}

function textsOf(list: Json | undefined): string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry) => (isJsonObject(entry) && typeof entry['text'] === 'string' ? [entry['text']] : []));
}

/** An item of an answer, for the client. */
export function encodeReasoningItem(part: ReasoningPart, id: string): JsonObject {
  const own = keptBlock(part);
  if (own) return { ...own, id };
  const text = part.text === '' ? [] : [part.text];
  const isRaw = part.summary === false;
  const opaque = part.origin === PROTOCOL ? part.encrypted : sealForeignReasoning(part);
  return {
    id,
    type: 'reasoning',
    summary: isRaw ? [] : text.map((words) => ({ type: 'summary_text', text: words })),
    ...(isRaw && { content: text.map((words) => ({ type: 'reasoning_text', text: words })) }),
    ...(opaque && { encrypted_content: opaque }),
  };
}

/** An item of a request, for the provider; undefined when it holds nothing that this provider could read or trust. */
export function replayedReasoning(part: ReasoningPart): JsonObject | undefined {
  const own = keptBlock(part);
  if (own) return isReplayable(own) ? own : undefined;
  if (part.origin !== PROTOCOL || part.encrypted === undefined) return undefined;
  return encodeReasoningItem(part, part.id ?? '');
}

/**
 * The provider keeps nothing of ours (`store: false`), so an item that is only an id would be looked up and not found.
 * What is sealed belongs to a provider of another protocol.
 */
export function isReplayable({ encrypted_content: encrypted, content }: JsonObject): boolean {
  if (typeof encrypted === 'string' && encrypted !== '') return !isSealed(encrypted);
  return textsOf(content).some((text) => text !== '');
}
