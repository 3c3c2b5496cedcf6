/**
 * Files and vector stores that a request names by an id of the provider's. Under one key of the provider everybody's lie
 * together, so an id alone says nothing about whose they are.
 */
import type { ChatRequest, Part } from '../core/chat.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';

export interface NamedAtProvider {
  id: string;
  param: string;
}

/** What Google reads with the rights of whoever asks. */
const STORED_AT_GOOGLE = /^(?:gs:|https:\/\/[^/?#]{0,300}\bgenerativelanguage\.googleapis\.com)/i;

/** Returns the first file or store that is named; undefined for nearly every request. */
export function namedAtProvider({ messages, priced }: ChatRequest): NamedAtProvider | undefined {
  for (const { reaches } of priced?.hosted?.uses ?? []) if (reaches) return reaches;
  for (let index = 0; index < messages.length; index++)
    for (const part of messages[index]?.parts ?? []) {
      const id = idIn(part);
      if (id !== undefined) return { id, param: `messages.${index}.content` };
    }
  return undefined;
}

function idIn(part: Part): string | undefined {
  switch (part.kind) {
    case 'image':
    case 'file': {
      const { source } = part;
      if (source.kind === 'file-id') return source.id;
      return source.kind === 'url' && STORED_AT_GOOGLE.test(source.url) ? source.url : undefined;
    }
    case 'tool-result':
      for (const inner of part.content) {
        const id = idIn(inner);
        if (id !== undefined) return id;
      }
      return undefined;
    case 'text':
      return part.extras && idInBlock(part.extras);
    default:
      return undefined;
  }
}

/** A block that is passed on as it came (Anthropic's `container_upload`). */
function idInBlock(extras: NonNullable<Part['extras']>): string | undefined {
  for (const { block } of Object.values<JsonObject>(extras))
    if (isJsonObject(block) && typeof block['file_id'] === 'string') return block['file_id'];
  return undefined;
}

/** The stores that `file_search` looks into. */
export function storesOf({ vector_store_ids: ids = null }: JsonObject, at: string): NamedAtProvider | undefined {
  if (ids === null || (Array.isArray(ids) && ids.length === 0)) return undefined;
  const [first] = Array.isArray(ids) ? ids : [ids];
  return { id: String(first), param: `${at}.vector_store_ids` };
}
