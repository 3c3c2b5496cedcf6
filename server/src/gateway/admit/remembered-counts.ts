/**
 * Counts of long texts that were read whole. Agents send the same system prompt, tools and turns with every call, and finding a
 * text is far cheaper than counting it (docs/performance.md). Texts that are only sampled are counted each time, because a count
 * that was too low by chance must not stay.
 */
import { LRUCache } from 'lru-cache';
import { countTokens, READ_WHOLE, type TokenCount } from '../../core/token-estimate.ts';

/** A shorter text is counted in the time that finding it would take. */
const WORTH_REMEMBERING = 512;
/** All remembered texts together have so many characters: about as many bytes, or twice as many for other scripts than Latin. */
const MOST_CHARACTERS = 4 * 2 ** 20;
const MARK_LENGTH = 24;

interface Remembered {
  text: string;
  count: TokenCount;
}

const counts = new LRUCache<string, Remembered>({
  maxSize: MOST_CHARACTERS,
  sizeCalculation: ({ text }) => text.length,
});

export function countInputText(text: string): TokenCount {
  if (text.length < WORTH_REMEMBERING || text.length > READ_WHOLE) return countTokens(text);
  const mark = markOf(text);
  const found = counts.get(mark);
  if (found?.text === text) return found.count;
  const count = countTokens(text);
  counts.set(mark, { text, count });
  return count;
}

/** A few characters from the text: enough to tell most texts apart, and cheaper than a map keyed by the whole text. */
function markOf(text: string): string {
  const middle = text.length >>> 1;
  return `${text.length}${text.slice(0, MARK_LENGTH)}${text.slice(middle, middle + MARK_LENGTH)}${text.slice(-MARK_LENGTH)}`;
}
