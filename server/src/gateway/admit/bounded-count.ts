/** Counts the texts of one request. It reads a limited amount of them, so that other requests do not wait long. */
import { charactersRead, type TokenCount } from '../../core/token-estimate.ts';

/** No model takes much more in one request. */
export const MOST_CHARACTERS_READ = 4 * 2 ** 20;
/** The cost of reading even the shortest text, in characters. */
const CHARACTERS_PER_TEXT = 8;

export class BoundedCount {
  readonly #read: (text: string) => TokenCount;
  #left = MOST_CHARACTERS_READ;

  constructor(read: (text: string) => TokenCount) {
    this.#read = read;
  }

  of(text: string): TokenCount {
    if (this.#left <= 0) return { likely: Math.ceil(text.length / 4), most: text.length };
    this.#left -= CHARACTERS_PER_TEXT + charactersRead(text);
    return this.#read(text);
  }
}
