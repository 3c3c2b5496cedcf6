/**
 * Finds passages by their words, for a base whose postings are not complete. The database finds candidates through the
 * index that all bases share, by the rarer words of the question only, so that a common word never makes it read the
 * whole base; the final order is BM25, computed here over the few candidates.
 */
import type { Queryable } from '../../platform/db/index.ts';
import type { WeighedConcept } from './question.ts';
import { CANDIDATES_BY_WORDS, type FoundCandidate } from './search-sql.ts';

/** The most passages that the database may score per search; more would cost time and gain nothing. */
const MAX_SCORED = 2_000;
const CANDIDATES = 50;
const MAX_CONCEPTS = 16;

const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.75;

export async function searchByWords(
  db: Queryable,
  baseIds: readonly string[],
  concepts: readonly WeighedConcept[],
): Promise<number[]> {
  const rarest = [...concepts].sort((a, b) => b.weight - a.weight).slice(0, MAX_CONCEPTS);
  if (rarest.length === 0) return [];
  const { chosen, query } = matching(rarest);
  // More common words count only in passages that contain one of the chosen words; the index answers both conditions.
  const queries = rarest.map((concept) => (chosen.has(concept) ? anyOf(concept) : `(${query}) & (${anyOf(concept)})`));
  const rows = await CANDIDATES_BY_WORDS.rows(db, [
    baseIds,
    queries,
    rarest.map(({ weight }) => weight),
    MAX_SCORED,
    CANDIDATES,
  ]);
  return rank(rows, rarest);
}

/**
 * A candidate must have at least one of these words: the rarest, as many as keep the number of candidates within
 * limits.
 */
function matching(rarest: readonly WeighedConcept[]): { chosen: Set<WeighedConcept>; query: string } {
  const chosen = new Set<WeighedConcept>();
  let passages = 0;
  for (const concept of rarest) {
    if (chosen.size > 0 && passages + concept.passages > MAX_SCORED) break;
    passages += concept.passages;
    chosen.add(concept);
  }
  const [first, second, third] = rarest.map((concept) => `(${anyOf(concept)})`);
  // When even the rarest word is everywhere, two of them together are not.
  if (passages > MAX_SCORED && first !== undefined && second !== undefined)
    return {
      chosen: new Set(),
      query: [`${first} & ${second}`, ...(third === undefined ? [] : [`${first} & ${third}`])].join(' | '),
    };
  return { chosen, query: [...chosen].map(anyOf).join(' | ') };
}

function anyOf({ forms }: WeighedConcept): string {
  return [...forms.keys()].map((form) => `'${form.replaceAll(/['\\]/g, ' ')}'`).join(' | ');
}

function rank(candidates: readonly FoundCandidate[], concepts: readonly WeighedConcept[]): number[] {
  const split = candidates.map(({ id, terms }) => ({ id: Number(id), words: terms.split(' ') }));
  // The average length of the candidates, not of all passages: lengths matter only among passages that compete.
  const usualLength = split.reduce((sum, { words }) => sum + words.length, 0) / Math.max(1, split.length);
  return split
    .map(({ id, words }) => ({ id, score: bm25(words, concepts, usualLength) }))
    .sort((a, b) => b.score - a.score || a.id - b.id)
    .map(({ id }) => id);
}

function bm25(words: readonly string[], concepts: readonly WeighedConcept[], usualLength: number): number {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const length = 1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * words.length) / usualLength;
  let score = 0;
  for (const { weight, forms } of concepts) {
    let count = 0;
    for (const [form, worth] of forms) count += worth * (counts.get(form) ?? 0);
    score += (weight * count * (SATURATION + 1)) / (count + SATURATION * length);
  }
  return score;
}
