/**
 * Compacted conversations (`POST /responses/compact`). The summary is in an item that is opaque to clients and with
 * which every later request may begin, whichever provider answers it. Items that a provider has made have another form,
 * which only that provider understands.
 */
import type { Json, JsonObject } from '../../core/json.ts';
import { fromBase64Url, toBase64Url } from '../base64url.ts';

const COMPACTION = 'compaction';
const MARK = 'svcc1.';
const INTRODUCTION = 'Summary of the conversation so far:\n\n';

export function compactionItem(id: string, summary: string): JsonObject {
  return { id, type: COMPACTION, encrypted_content: MARK + toBase64Url(summary) };
}

/** The message that the item stands for; undefined for any other item, and for one that somebody else has made. */
export function messageOfCompaction(item: JsonObject): JsonObject | undefined {
  const summary = summaryIn(item);
  return summary === undefined ? undefined : { type: 'message', role: 'user', content: INTRODUCTION + summary };
}

function summaryIn({ type, encrypted_content: sealed }: JsonObject): string | undefined {
  if (type !== COMPACTION || !isOurs(sealed)) return undefined;
  return fromBase64Url(sealed.slice(MARK.length));
}

function isOurs(sealed: Json | undefined): sealed is string {
  return typeof sealed === 'string' && sealed.startsWith(MARK);
}
