/** Short texts skip the queue and the draft, because writing those would cost more than reading the text. */
import { type CutPassage, cutPassages } from '../passages/cut.ts';
import { readShortText } from '../reading/reader.ts';
import type { NewContent } from '../store/document-rows.ts';

/** Passages that are written and published in one transaction. */
export const MAX_AT_ONCE = 64;

/**
 * Undefined for what the queue must read: files of other formats, longer texts, and texts that fail, so that the queue
 * reports why.
 */
export async function cutAtOnce({ content, name, mediaType }: NewContent): Promise<CutPassage[] | undefined> {
  const blocks = content && (await readShortText({ bytes: content, name, mediaType: mediaType ?? undefined }));
  if (!blocks) return undefined;
  const passages = cutPassages(blocks);
  return passages.length <= MAX_AT_ONCE ? passages : undefined;
}
