/**
 * A question as words, and as weighted words for the index that all bases share. Rare words weigh more than common
 * ones, and each word brings along similar words of the bases (pg_trgm): misspellings, and inflections of Persian that
 * the stemmer does not know.
 */
import type { Queryable } from '../../platform/db/index.ts';
import { wordsOf } from '../language/words.ts';
import { type AlikeForm, COUNTS_OF_WORDS, WORDS_ALIKE } from './search-sql.ts';

/** One word of the question with its look-alikes. */
export interface WeighedConcept {
  weight: number;
  /** Word of the index → how much finding it counts, 1 for the word itself. */
  forms: Map<string, number>;
  /** An upper bound of the passages that contain any of the forms. */
  passages: number;
}

const MAX_QUESTION_CHARS = 4_000;
const MAX_WORDS = 32;
export const MIN_SIMILAR_CHARS = 4;
export const MAX_LIKENED = 16;
const MIN_LIKENESS = 0.45;
export const FORMS_PER_WORD = 5;
/** A word that the bases contain as it was asked needs its look-alikes less. */
const KNOWN_DISCOUNT = 0.5;

export async function readQuestion(
  db: Queryable,
  baseIds: readonly string[],
  passages: number,
  question: string,
): Promise<WeighedConcept[]> {
  const words = askedWords(question);
  if (words.length === 0) return [];
  const likened = words.filter((word) => word.length >= MIN_SIMILAR_CHARS).slice(0, MAX_LIKENED);
  const [counts, alike] = await Promise.all([countWords(db, baseIds, words), findAlike(db, baseIds, likened)]);
  return words
    .map((word) => conceptOf(word, counts.get(word) ?? 0, alike.get(word) ?? [], passages))
    .filter(({ forms }) => forms.size > 0);
}

/** Each once, in the order of the question. */
export function askedWords(question: string): string[] {
  return [...new Set(wordsOf(question.slice(0, MAX_QUESTION_CHARS)))].slice(0, MAX_WORDS);
}

function conceptOf(word: string, count: number, alike: readonly AlikeForm[], total: number): WeighedConcept {
  const forms = new Map<string, number>();
  if (count > 0) forms.set(word, 1);
  let passages = count;
  for (const { form, likeness, passages: others } of alike) {
    if (form === word) continue;
    // A look-alike that is far more common than the word itself is another word.
    if (count > 0 && others > count * 20 + 20) continue;
    forms.set(form, likeness * likeness * (count > 0 ? KNOWN_DISCOUNT : 1));
    passages += others;
  }
  return { weight: rarity(count > 0 ? count : passages, total), forms, passages };
}

/** As in BM25. */
function rarity(passages: number, total: number): number {
  return Math.log(1 + (Math.max(total, passages) - passages + 0.5) / (passages + 0.5));
}

export async function countWords(
  db: Queryable,
  baseIds: readonly string[],
  words: readonly string[],
): Promise<Map<string, number>> {
  const rows = await COUNTS_OF_WORDS.rows(db, [baseIds, words]);
  return new Map(rows.map(({ word, passages }) => [word, passages]));
}

async function findAlike(
  db: Queryable,
  baseIds: readonly string[],
  words: readonly string[],
): Promise<Map<string, AlikeForm[]>> {
  const found = new Map<string, AlikeForm[]>();
  if (words.length === 0) return found;
  const rows = await WORDS_ALIKE.rows(db, [baseIds, words, MIN_LIKENESS, FORMS_PER_WORD]);
  for (const { asked, ...alike } of rows) found.set(asked, [...(found.get(asked) ?? []), alike]);
  return found;
}
