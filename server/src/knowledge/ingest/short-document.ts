/** Short texts, which are worth neither the queue nor a draft: what writes them down costs more than to read them. */
import { type CutPassage, cutPassages } from '../passages/cut.ts';
import { readShortText } from '../reading/reader.ts';
import type { NewContent } from '../store/document-rows.ts';

/** Passages that are written and published in one transaction. */
export const MAX_AT_ONCE = 64;

/** Undefined for what the queue has to read: files of other formats, longer ones, and those of which it says why they failed. */
export async function cutAtOnce({ content, name, mediaType }: NewContent): Promise<CutPassage[] | undefined> {
  const blocks = content && (await readShortText({ bytes: content, name, mediaType: mediaType ?? undefined }));
  if (!blocks) return undefined;
  const passages = cutPassages(blocks);
  return passages.length <= MAX_AT_ONCE ? passages : undefined;
}
