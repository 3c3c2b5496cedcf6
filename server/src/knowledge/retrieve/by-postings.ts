/**
 * Finds passages by their words, through the postings of their own bases, so other bases are never read. Every passage
 * that has a word of the question is scored. Only in a large base the most common words are left out, and counted
 * afterwards in the passages that the others found.
 */
import type { Queryable } from '../../platform/db/index.ts';
import type { SearchedBase } from '../store/base-rows.ts';
import { livePassages, termsOfPassages } from '../store/passage-rows.ts';
import { countsOf, readPostings } from '../store/posting-rows.ts';
import { bestOf, type Collection, type Concept, scoreConcepts, scoreCounts } from './bm25.ts';
import { askedWords, countWords, FORMS_PER_WORD, MAX_LIKENED, MIN_SIMILAR_CHARS } from './question.ts';
import type { Alike, Vocabularies } from './vocabulary.ts';

const CANDIDATES = 60;
/** Up to so many passages, all postings of a question are read without first counting them. */
const FEW_PASSAGES = 5_000;
const MAX_POSTINGS = 40_000;
/** The number of passages in which the words that were left out are counted. */
const COUNTED_AFTERWARDS = 100;

interface Chosen {
  words: string[];
  /** Words too common to be read, with the number of their passages. */
  leftOut: Map<string, number>;
}

/** Ids of passages, best first. */
export async function searchPostings(
  db: Queryable,
  vocabularies: Vocabularies,
  bases: readonly SearchedBase[],
  question: string,
): Promise<number[]> {
  const asked = askedWords(question);
  if (asked.length === 0) return [];
  const ids = bases.map(({ id }) => id);
  const collection = {
    passages: sumOf(bases, ({ indexedPassages }) => indexedPassages),
    words: sumOf(bases, ({ indexedWords }) => indexedWords),
  };
  const { words, leftOut } = await chooseWords(db, ids, collection, asked);
  const postings = await readPostings(db, ids, words);
  const unknown = words.filter((word) => !postings.has(word) && word.length >= MIN_SIMILAR_CHARS);
  const alike = await likened(vocabularies, bases, unknown.slice(0, MAX_LIKENED));
  const forms = [...alike.values()].flatMap((found) => found.map(({ form }) => form));
  for (const [form, data] of await readPostings(db, ids, [...new Set(forms)])) postings.set(form, data);
  const concepts = words.map((word): Concept => ({ forms: formsOf(word, postings, alike.get(word) ?? []) }));
  const scores = scoreConcepts(concepts, postings, collection);
  if (leftOut.size > 0) await countLeftOut(db, scores, leftOut, collection);
  const gone = collection.passages > sumOf(bases, ({ passages }) => passages);
  return gone ? bestLive(db, scores) : bestOf(scores, CANDIDATES);
}

function sumOf(bases: readonly SearchedBase[], value: (base: SearchedBase) => number): number {
  return bases.reduce((sum, base) => sum + value(base), 0);
}

/** The rarest words, as many as keep the reading within limits, but at least one. */
async function chooseWords(
  db: Queryable,
  baseIds: readonly string[],
  { passages }: Collection,
  asked: string[],
): Promise<Chosen> {
  if (passages <= FEW_PASSAGES) return { words: asked, leftOut: new Map() };
  const counts = await countWords(db, baseIds, asked);
  const leftOut = new Map<string, number>();
  const words: string[] = [];
  let read = 0;
  for (const word of [...asked].sort((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0))) {
    const count = counts.get(word) ?? 0;
    if (read > 0 && read + count > MAX_POSTINGS) leftOut.set(word, count);
    else words.push(word);
    read += count;
  }
  return { words, leftOut };
}

async function likened(
  vocabularies: Vocabularies,
  bases: readonly SearchedBase[],
  unknown: readonly string[],
): Promise<Map<string, Alike[]>> {
  const found = new Map<string, Alike[]>();
  if (unknown.length === 0) return found;
  for (const base of bases) {
    for (const [word, alike] of await vocabularies.alike(base, unknown)) {
      const known = found.get(word) ?? [];
      const fresh = alike.filter(({ form }) => !known.some((other) => other.form === form));
      found.set(word, [...known, ...fresh].sort((a, b) => b.likeness - a.likeness).slice(0, FORMS_PER_WORD));
    }
  }
  return found;
}

function formsOf(word: string, postings: ReadonlyMap<string, Buffer>, alike: readonly Alike[]): Map<string, number> {
  if (postings.has(word) && alike.length === 0) return new Map([[word, 1]]);
  return new Map(alike.map(({ form, likeness }) => [form, likeness * likeness]));
}

async function countLeftOut(
  db: Queryable,
  scores: Map<number, number>,
  leftOut: ReadonlyMap<string, number>,
  collection: Collection,
): Promise<void> {
  const terms = await termsOfPassages(db, bestOf(scores, COUNTED_AFTERWARDS));
  for (const [id, words] of terms) {
    const counts = countsOf(words);
    scores.set(id, (scores.get(id) ?? 0) + scoreCounts(counts, words.length, leftOut, collection));
  }
}

/** Some of the scored passages may be deleted, so more and more are checked until enough are live. */
async function bestLive(db: Queryable, scores: ReadonlyMap<number, number>): Promise<number[]> {
  for (let limit = CANDIDATES * 2; ; limit *= 4) {
    const live = await livePassages(db, bestOf(scores, limit));
    if (live.length >= CANDIDATES || limit >= scores.size) return live.slice(0, CANDIDATES);
  }
}
