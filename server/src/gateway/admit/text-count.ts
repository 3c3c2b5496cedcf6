/**
 * Counts the texts of one request: at once as long as that is quick, and the rest later in slices (count-waiting.ts),
 * so that other requests do not wait for it.
 */
import { SLICE, type TokenCount } from '../../core/token-estimate.ts';
import { countInputText, recalledCount } from './remembered-counts.ts';

/** So many characters are counted at once: a few milliseconds. */
export const COUNTED_AT_ONCE = 256 * 1024;
/** The cost of reading even the shortest text, in characters. */
const CHARACTERS_PER_TEXT = 8;
const LIKELY_CHARACTERS_PER_TOKEN = 4;

/**
 * What a text belongs to: the prompt; fields that a hold covers though they hardly enter the prompt; or predicted
 * output, whose tokens cost as output.
 */
export type TextUse = 'prompt' | 'aside' | 'predicted';

export interface WaitingText {
  text: string;
  use: TextUse;
  /** The bound that was used for it so far. */
  counted: TokenCount;
}

export class TextCount {
  /** Texts that were not read yet. */
  waiting: WaitingText[] | undefined;
  readonly #read: (text: string) => TokenCount;
  #left = COUNTED_AT_ONCE;

  constructor(read: (text: string) => TokenCount = countInputText) {
    this.#read = read;
  }

  /** Never far below the true count. For a text that must wait the result is only an upper bound. */
  of(text: string, use: TextUse = 'prompt'): TokenCount {
    if (this.#left > 0 && text.length <= SLICE) {
      this.#left -= CHARACTERS_PER_TEXT + text.length;
      return this.#read(text);
    }
    return recalledCount(text) ?? this.#wait(text, use);
  }

  #wait(text: string, use: TextUse): TokenCount {
    const counted = uncounted(text);
    this.waiting ??= [];
    this.waiting.push({ text, use, counted });
    return counted;
  }
}

/** No tokenizer makes more tokens of a text than it has bytes. */
function uncounted(text: string): TokenCount {
  return { likely: Math.ceil(text.length / LIKELY_CHARACTERS_PER_TOKEN), max: Buffer.byteLength(text) };
}
