/**
 * BM25 over postings: every passage that has a word of the question is scored, so the order of reading cannot hide the
 * best one.
 */
import { eachPosting, POSTING_BYTES } from '../store/posting-format.ts';

/** One word of the question, or the similar words that the bases have instead. */
export interface Concept {
  /** Word of the bases → how much finding it counts, 1 for the word itself. */
  forms: Map<string, number>;
}

export interface Collection {
  passages: number;
  /** Words in all of them. */
  words: number;
}

const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.75;

/** Passage → score. */
export function scoreConcepts(
  concepts: readonly Concept[],
  postings: ReadonlyMap<string, Buffer>,
  { passages, words }: Collection,
): Map<number, number> {
  const scores = new Map<number, number>();
  const usualLength = Math.max(1, words / Math.max(1, passages));
  const fixed = SATURATION * (1 - LENGTH_WEIGHT);
  const perWord = (SATURATION * LENGTH_WEIGHT) / usualLength;
  for (const { forms } of concepts) {
    const weight = rarity(passagesWith(forms, postings), passages) * (SATURATION + 1);
    const add = (id: number, count: number, length: number) => {
      scores.set(id, (scores.get(id) ?? 0) + (weight * count) / (count + fixed + perWord * length));
    };
    if (forms.size === 1) for (const [form, worth] of forms) eachPosting(bytesOf(postings, form), scaled(add, worth));
    else addForms(forms, postings, add);
  }
  return scores;
}

/**
 * The scores of words in one passage whose counts are known; each word comes with the number of passages that contain
 * it.
 */
export function scoreCounts(
  counts: ReadonlyMap<string, number>,
  length: number,
  words: ReadonlyMap<string, number>,
  collection: Collection,
): number {
  const usualLength = Math.max(1, collection.words / Math.max(1, collection.passages));
  const damping = SATURATION * (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * length) / usualLength);
  let score = 0;
  for (const [word, among] of words) {
    const count = counts.get(word) ?? 0;
    score += (rarity(among, collection.passages) * (SATURATION + 1) * count) / (count + damping);
  }
  return score;
}

type Visit = (id: number, count: number, length: number) => void;

function scaled(add: Visit, worth: number): Visit {
  return worth === 1 ? add : (id, count, length) => add(id, count * worth, length);
}

/** Forms of one word count together: a passage that has two of them contains the word twice, not two words. */
function addForms(forms: ReadonlyMap<string, number>, postings: ReadonlyMap<string, Buffer>, add: Visit): void {
  const together = new Map<number, { count: number; length: number }>();
  for (const [form, worth] of forms) {
    eachPosting(bytesOf(postings, form), (id, count, length) => {
      const known = together.get(id);
      if (known) known.count += count * worth;
      else together.set(id, { count: count * worth, length });
    });
  }
  for (const [id, { count, length }] of together) add(id, count, length);
}

function passagesWith(forms: ReadonlyMap<string, number>, postings: ReadonlyMap<string, Buffer>): number {
  let bytes = 0;
  for (const form of forms.keys()) bytes += bytesOf(postings, form).length;
  return bytes / POSTING_BYTES;
}

const NOTHING = Buffer.alloc(0);

function bytesOf(postings: ReadonlyMap<string, Buffer>, form: string): Buffer {
  return postings.get(form) ?? NOTHING;
}

/** A word in few passages says more than one that is everywhere. */
function rarity(among: number, total: number): number {
  return Math.log(1 + (Math.max(total, among) - among + 0.5) / (among + 0.5));
}

/** The best first; among equals the older passage comes first. */
export function bestOf(scores: ReadonlyMap<number, number>, limit: number): number[] {
  let least = Number.NEGATIVE_INFINITY;
  if (scores.size > limit * 4) least = boundOf(scores, limit);
  const best: [number, number][] = [];
  for (const entry of scores) if (entry[1] >= least) best.push(entry);
  return best
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, limit)
    .map(([id]) => id);
}

/** The score that at least `limit` passages reach: sorting numbers is far cheaper than sorting pairs. */
function boundOf(scores: ReadonlyMap<number, number>, limit: number): number {
  const sorted = Float64Array.from(scores.values()).sort();
  return sorted[sorted.length - limit] ?? Number.NEGATIVE_INFINITY;
}
