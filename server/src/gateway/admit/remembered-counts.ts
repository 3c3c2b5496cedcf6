/**
 * Caches token counts of long texts. Agents send the same system prompt, tools and turns with every call, and a look-up
 * is far cheaper than counting (docs/performance.md). Only exact counts are cached, because a sampled one that was too
 * low by chance must not stay.
 */
import { LRUCache } from 'lru-cache';
import { countTokens, type TokenCount } from '../../core/token-estimate.ts';

/** A shorter text is counted in the time that a look-up takes. */
const WORTH_REMEMBERING = 512;
/**
 * The bound on the characters of all cached texts: about as many bytes, or twice as many for scripts other than Latin.
 */
const MAX_CHARACTERS = 4 * 2 ** 20;
/** The bound on one text, so that one caller does not evict what all others use. */
const MAX_REMEMBERED_CHARS = MAX_CHARACTERS / 8;
const MARK_LENGTH = 24;

interface Remembered {
  text: string;
  count: TokenCount;
}

const counts = new LRUCache<string, Remembered>({
  maxSize: MAX_CHARACTERS,
  sizeCalculation: ({ text }) => text.length,
});

/** Counts the whole text where it is not cached. */
export function countInputText(text: string): TokenCount {
  const known = recalledCount(text);
  if (known) return known;
  const count = countTokens(text);
  rememberCount(text, count);
  return count;
}

export function recalledCount(text: string): TokenCount | undefined {
  if (!isKept(text)) return undefined;
  const found = counts.get(markOf(text));
  return found?.text === text ? found.count : undefined;
}

/** `count` must be of the whole text. */
export function rememberCount(text: string, count: TokenCount): void {
  if (isKept(text)) counts.set(markOf(text), { text, count });
}

function isKept({ length }: string): boolean {
  return length >= WORTH_REMEMBERING && length <= MAX_REMEMBERED_CHARS;
}

/** A few characters of the text: enough to tell most texts apart, and cheaper than a map keyed by the whole text. */
function markOf(text: string): string {
  const middle = text.length >>> 1;
  return `${text.length}${text.slice(0, MARK_LENGTH)}${text.slice(middle, middle + MARK_LENGTH)}${text.slice(-MARK_LENGTH)}`;
}
