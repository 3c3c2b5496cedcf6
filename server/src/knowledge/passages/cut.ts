/**
 * Cuts a document into passages along its own structure: a heading begins a new passage, paragraphs and sentences stay
 * whole, and where a section is longer than a passage the next one repeats the last sentence, so that no thought is
 * lost at the cut.
 */
import { estimateTokens } from '../../core/token-estimate.ts';
import type { Block } from '../reading/blocks.ts';
import { piecesOf, sentencesOf } from './sentences.ts';

export interface CutPassage {
  text: string;
  tokens: number;
  page?: number;
  /** The path of headings above it: `Leave › Maternity leave`. */
  heading?: string;
}

export interface CutSizes {
  /** A passage is closed when the next sentence would make it longer than this. */
  maxTokens: number;
  /** A section shorter than this is joined with the next one under the same parent. */
  minTokens: number;
  overlapTokens: number;
}

const DEFAULT_SIZES: CutSizes = { maxTokens: 320, minTokens: 30, overlapTokens: 48 };

/** Even the densest text has no more characters than this in a token. */
const CHARACTERS_PER_TOKEN = 2;
const MAX_HEADING_PATH_CHARS = 300;

export function cutPassages(blocks: readonly Block[], sizes: CutSizes = DEFAULT_SIZES): CutPassage[] {
  const cutter = new Cutter(sizes);
  for (const block of blocks) {
    if (block.kind === 'heading') cutter.heading(block);
    else cutter.paragraph(block);
  }
  return cutter.finish();
}

interface Sentence {
  text: string;
  tokens: number;
  startsParagraph: boolean;
  page: number | undefined;
}

class Cutter {
  readonly #sizes: CutSizes;
  readonly #passages: CutPassage[] = [];
  #path: { level: number; text: string }[] = [];
  #open: Sentence[] = [];
  #openTokens = 0;
  /** How many sentences at the beginning only repeat the previous passage. */
  #repeated = 0;
  #heading: string | undefined;

  constructor(sizes: CutSizes) {
    this.#sizes = sizes;
  }

  heading({ text, level = 1 }: Block): void {
    const parent = this.#pathText(level);
    const staysTogether =
      this.#openTokens > 0 && this.#openTokens < this.#sizes.minTokens && (this.#heading ?? '').startsWith(parent);
    if (!staysTogether) this.#close(false);
    this.#path = [...this.#path.filter((above) => above.level < level), { level, text }];
    if (staysTogether) this.#push({ text, tokens: estimateTokens(text), startsParagraph: true, page: undefined });
    else this.#heading = this.#pathText();
  }

  paragraph(block: Block): void {
    let startsParagraph = true;
    for (const sentence of sentencesOf(block.text)) {
      for (const text of piecesOf(sentence, this.#sizes.maxTokens * CHARACTERS_PER_TOKEN)) {
        this.#push({ text, tokens: estimateTokens(text), startsParagraph, page: block.page });
        startsParagraph = false;
      }
    }
  }

  finish(): CutPassage[] {
    this.#close(false);
    return this.#passages;
  }

  #push(sentence: Sentence): void {
    if (this.#openTokens > 0 && this.#openTokens + sentence.tokens > this.#sizes.maxTokens) this.#close(true);
    this.#open.push(sentence);
    this.#openTokens += sentence.tokens;
  }

  #close(continues: boolean): void {
    if (this.#open.length > this.#repeated) this.#passages.push(this.#passage());
    const carried = continues ? this.#tail() : [];
    this.#open = carried;
    this.#repeated = carried.length;
    this.#openTokens = carried.reduce((sum, { tokens }) => sum + tokens, 0);
    if (!continues) this.#heading = this.#pathText() || undefined;
  }

  #passage(): CutPassage {
    const text = this.#open
      .map((sentence, at) => (at === 0 ? '' : sentence.startsParagraph ? '\n' : ' ') + sentence.text)
      .join('');
    const page = this.#open[this.#repeated]?.page;
    const heading = this.#heading;
    return {
      text,
      tokens: estimateTokens(text),
      ...(page !== undefined && { page }),
      ...(heading !== undefined && heading !== '' && { heading }),
    };
  }

  #tail(): Sentence[] {
    const tail: Sentence[] = [];
    let tokens = 0;
    for (const sentence of this.#open.toReversed()) {
      tokens += sentence.tokens;
      if (tokens > this.#sizes.overlapTokens) break;
      tail.unshift(sentence);
    }
    return tail;
  }

  /** With a level, only the headings above that level. */
  #pathText(below = Number.POSITIVE_INFINITY): string {
    return this.#path
      .filter(({ level }) => level < below)
      .map(({ text }) => text)
      .join(' › ')
      .slice(0, MAX_HEADING_PATH_CHARS);
  }
}
