/**
 * The index behind the search of guide and reference. It is built when somebody searches for the first time in a language; words are
 * compared as knowledge bases compare them, so Arabic letters, half-spaces, digits and endings make no difference.
 */
import { wordsOf } from '../../../knowledge/index.ts';

export interface DocsEntry {
  kind: 'guide' | 'endpoint' | 'error';
  /** Address of the place, without the language. */
  path: string;
  title: string;
  /** Shown below the title, around what was found. */
  text: string;
  /** Text that is found too, but not shown. */
  more?: string;
}

export interface DocsHit {
  entry: DocsEntry;
  /** Words of the index that the question met, for marking them. */
  met: ReadonlySet<string>;
}

const MAX_WORDS = 8;
const MAX_HITS = 20;
/** A shorter prefix occurs in too many words. */
const MIN_PREFIX_CHARS = 3;
const TITLE_WEIGHT = 6;
/** The weight of a prefix match against that of the whole word. */
const BEGINNING_WEIGHT = 0.5;
/** How soon repetitions stop to count, and how much long texts are discounted, as in BM25. */
const SATURATION = 1.2;
const LENGTH_DISCOUNT = 0.6;

export class DocsIndex {
  readonly #entries: readonly DocsEntry[];
  /** How much each word weighs in which entry. */
  readonly #weights = new Map<string, Map<number, number>>();
  readonly #lengths: number[] = [];
  readonly #usualLength: number;

  constructor(entries: readonly DocsEntry[]) {
    this.#entries = entries.map(({ more: _more, ...shown }) => shown);
    for (const [at, { title, text, more = '' }] of entries.entries()) {
      const words = wordsOf(`${text} ${more}`);
      for (const word of wordsOf(title)) this.#add(word, at, TITLE_WEIGHT);
      for (const word of words) this.#add(word, at, 1);
      this.#lengths.push(words.length + 1);
    }
    this.#usualLength = this.#lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, entries.length);
  }

  search(question: string): DocsHit[] {
    const asked = [...new Set(wordsOf(question))].slice(0, MAX_WORDS);
    const found = new Map<number, { score: number; answered: number; met: Set<string> }>();
    for (const word of asked) {
      for (const [at, { score, met }] of this.#scores(word)) {
        const known = found.get(at) ?? { score: 0, answered: 0, met: new Set<string>() };
        for (const one of met) known.met.add(one);
        found.set(at, { score: known.score + score, answered: known.answered + 1, met: known.met });
      }
    }
    return [...found]
      .sort(([one, a], [other, b]) => b.answered - a.answered || b.score - a.score || one - other)
      .slice(0, MAX_HITS)
      .flatMap(([at, { met }]) => {
        const entry = this.#entries[at];
        return entry ? [{ entry, met }] : [];
      });
  }

  /** Entries that hold the word or one that begins with it; the better of both counts. */
  #scores(asked: string): Map<number, { score: number; met: Set<string> }> {
    const scores = new Map<number, { score: number; met: Set<string> }>();
    for (const [word, weights] of this.#weights) {
      const share = word === asked ? 1 : isBeginning(asked, word) ? BEGINNING_WEIGHT : 0;
      if (share === 0) continue;
      const rarity = Math.log(1 + this.#entries.length / weights.size);
      for (const [at, weight] of weights) {
        const length = 1 - LENGTH_DISCOUNT + (LENGTH_DISCOUNT * (this.#lengths[at] ?? 1)) / this.#usualLength;
        const score = (share * rarity * weight * (SATURATION + 1)) / (weight + SATURATION * length);
        const known = scores.get(at);
        if (known) known.met.add(word);
        scores.set(at, { score: Math.max(score, known?.score ?? 0), met: known?.met ?? new Set([word]) });
      }
    }
    return scores;
  }

  #add(word: string, at: number, weight: number): void {
    let weights = this.#weights.get(word);
    if (!weights) {
      weights = new Map();
      this.#weights.set(word, weights);
    }
    weights.set(at, (weights.get(at) ?? 0) + weight);
  }
}

function isBeginning(asked: string, word: string): boolean {
  return asked.length >= MIN_PREFIX_CHARS && word.startsWith(asked);
}
