/** Several rankings to one, by place and not by score: scores of words and of vectors have no common measure. */
import { wordsOf } from '../language/words.ts';
import type { FoundPassage } from '../store/passage-rows.ts';

export interface ScoredPassage extends FoundPassage {
  /** Between 0 and 1: 1 is first place in every ranking. */
  score: number;
}

/** The usual constant of reciprocal rank fusion: how much the first places outweigh the later ones. */
const DAMPING = 60;
/** Passages that share more of their words than this are one passage said twice. */
const SAME = 0.85;

export function fuse(rankings: readonly (readonly FoundPassage[])[]): ScoredPassage[] {
  const merged = new Map<bigint, ScoredPassage>();
  for (const ranking of rankings) {
    ranking.forEach((passage, place) => {
      const worth = (DAMPING + 1) / (DAMPING + 1 + place) / rankings.length;
      const known = merged.get(passage.id);
      if (known) known.score += worth;
      else merged.set(passage.id, { ...passage, score: worth });
    });
  }
  return [...merged.values()].sort((a, b) => b.score - a.score || Number(a.id - b.id));
}

/** Of two near-duplicates the better one is kept, because the other adds nothing. */
export function dropDuplicates(passages: readonly ScoredPassage[], max: number): ScoredPassage[] {
  const kept: { passage: ScoredPassage; words: Set<string> }[] = [];
  for (const passage of passages) {
    if (kept.length === max) break;
    const words = new Set(wordsOf(passage.text));
    if (!kept.some((other) => likeness(words, other.words) > SAME)) kept.push({ passage, words });
  }
  return kept.map(({ passage }) => passage);
}

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return a.size === b.size ? 1 : 0;
  let shared = 0;
  for (const word of a) if (b.has(word)) shared++;
  return shared / (a.size + b.size - shared);
}
