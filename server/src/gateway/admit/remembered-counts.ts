/**
 * Counts of long texts. Agents send the same system prompt, tools and turns with every call, and finding a text is far cheaper
 * than counting it (docs/performance.md). Only counts of texts that were read whole are kept, because a sampled one that was
 * too low by chance must not stay.
 */
import { LRUCache } from 'lru-cache';
import { countTokens, type TokenCount } from '../../core/token-estimate.ts';

/** A shorter text is counted in the time that finding it would take. */
const WORTH_REMEMBERING = 512;
/** All remembered texts together have so many characters: about as many bytes, or twice as many for other scripts than Latin. */
const MAX_CHARACTERS = 4 * 2 ** 20;
/** A single text takes no more room than this, so that one caller does not push out what all others use. */
const LONGEST_REMEMBERED = MAX_CHARACTERS / 8;
const MARK_LENGTH = 24;

interface Remembered {
  text: string;
  count: TokenCount;
}

const counts = new LRUCache<string, Remembered>({
  maxSize: MAX_CHARACTERS,
  sizeCalculation: ({ text }) => text.length,
});

/** Reads all of a text that it does not know. */
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
  return length >= WORTH_REMEMBERING && length <= LONGEST_REMEMBERED;
}

/** A few characters from the text: enough to tell most texts apart, and cheaper than a map keyed by the whole text. */
function markOf(text: string): string {
  const middle = text.length >>> 1;
  return `${text.length}${text.slice(0, MARK_LENGTH)}${text.slice(middle, middle + MARK_LENGTH)}${text.slice(-MARK_LENGTH)}`;
}
