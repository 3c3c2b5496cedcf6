/** The yardstick: BM25 as textbooks have it, computed over every passage: over our words, or over words that are only normalised. */
import { latinDigits, searchForm } from '../../packages/core/src/persian-text.ts';
import { wordsOf } from '../../server/src/knowledge/language/words.ts';
import type { Search } from '../../server/src/knowledge/retrieve/search.ts';

const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.75;

/** One spelling of letters and digits, parted where half-spaces stand; every word is one, and none is stemmed. */
export function normalisedWords(text: string): string[] {
  const plain = searchForm(text.normalize('NFKC')).replace(/[\u064b-\u065f\u0640]/g, '');
  return latinDigits(plain).match(/[\p{L}\p{N}]+/gu) ?? [];
}

export function bm25Search(
  passages: readonly { text: string; heading?: string }[],
  wordsIn: (text: string) => string[] = wordsOf,
): Search {
  const indexed = passages.map((passage) => ({ passage, words: wordsIn(`${passage.heading ?? ''}\n${passage.text}`) }));
  const average = indexed.reduce((sum, { words }) => sum + words.length, 0) / Math.max(1, indexed.length);
  const passagesWith = new Map<string, number>();
  for (const { words } of indexed)
    for (const word of new Set(words)) passagesWith.set(word, (passagesWith.get(word) ?? 0) + 1);
  const worth = (word: string, words: readonly string[]) => {
    const count = words.filter((each) => each === word).length;
    const among = passagesWith.get(word) ?? 0;
    const rarity = Math.log(1 + (indexed.length - among + 0.5) / (among + 0.5));
    const length = 1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * words.length) / average;
    return (rarity * count * (SATURATION + 1)) / (count + SATURATION * length);
  };
  return async ({ question, limit }) => {
    const asked = new Set(wordsIn(question));
    return indexed
      .map(({ passage, words }, at) => ({
        ...passage,
        score: [...asked].reduce((sum, word) => sum + worth(word, words), 0),
        at,
      }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || a.at - b.at)
      .slice(0, limit)
      .map(({ at, text, heading, score }) => ({
        id: BigInt(at),
        baseId: '',
        documentId: '',
        documentName: '',
        documentUrl: null,
        revision: 1,
        ordinal: 0,
        text,
        page: null,
        heading: heading ?? null,
        tokens: 0,
        score,
      }));
  };
}
