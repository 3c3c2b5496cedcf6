/**
 * Joins several rankings into one, by rank and not by score, because scores of words and of vectors cannot be compared.
 */
import { wordsOf } from '../language/words.ts';
import type { FoundPassage, PassageWithTerms } from '../store/passage-rows.ts';

export interface ScoredPassage extends FoundPassage {
  /** Between 0 and 1, where 1 is first in every ranking. */
  score: number;
}

/** The usual constant of reciprocal rank fusion: how much the first places outweigh the later ones. */
const DAMPING = 60;
/** Passages that share more of their words than this count as duplicates. */
const SAME = 0.85;

/** Passages by their ids, best first. */
export interface FusedPlace {
  id: number;
  score: number;
}

export function fuse(rankings: readonly (readonly number[])[]): FusedPlace[] {
  const merged = new Map<number, number>();
  for (const ranking of rankings) {
    ranking.forEach((id, place) => {
      const worth = (DAMPING + 1) / (DAMPING + 1 + place) / rankings.length;
      merged.set(id, (merged.get(id) ?? 0) + worth);
    });
  }
  return [...merged].map(([id, score]) => ({ id, score })).sort((a, b) => b.score - a.score || a.id - b.id);
}

/** Collects passages, best first. Of two near-duplicates the better one is kept, because the other adds nothing. */
export class DistinctPassages {
  readonly passages: ScoredPassage[] = [];
  readonly #words: Set<string>[] = [];

  add({ terms, ...passage }: PassageWithTerms, score: number): void {
    const title = wordsOf(`${passage.documentName}\n${passage.heading ?? ''}`).length;
    const words = new Set(terms.split(' ').slice(title));
    if (this.#words.some((other) => likeness(words, other) > SAME)) return;
    this.#words.push(words);
    this.passages.push({ ...passage, score });
  }
}

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return a.size === b.size ? 1 : 0;
  let shared = 0;
  for (const word of a) if (b.has(word)) shared++;
  return shared / (a.size + b.size - shared);
}
