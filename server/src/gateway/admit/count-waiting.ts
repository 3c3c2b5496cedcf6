/**
 * Counts the texts of a request that were too long to be counted at once. All of them are read in slices, with other
 * requests served in between. Two exceptions: a prompt that no model of the request can take is refused as soon as that
 * is certain, and very long texts are only sampled where wallet and caps could pay the most that they can be.
 */
import type { RandomBytes } from '../../core/ids.ts';
import { SLICE, SlicedCount, type TokenCount } from '../../core/token-estimate.ts';
import { charactersSampled, sampleTokens } from '../../core/token-sample.ts';
import { countInputText, rememberCount } from './remembered-counts.ts';
import type { WaitingText } from './text-count.ts';
import { nextTurn } from './turns.ts';

/** A shorter text is read whole in hardly more time than a sample of it. */
const SAMPLED_FROM = 512 * 1024;
/** The most efficient tokenizers make half as many tokens of a text as our likely count. */
const MIN_SHARE = 1 / 2;

export interface WaitingOptions {
  waiting: readonly WaitingText[];
  randomBytes: RandomBytes;
  /** Called when the count of a text is known. */
  put(text: WaitingText, counted: TokenCount): void;
  /** The request has at least this many tokens: throws where that is more than any model takes. */
  checkLeast(tokens: number): void;
  /** Whether wallet and caps could pay if each unread byte were a token; a sample is then enough. */
  canPayMax(): Promise<boolean>;
}

export async function countWaiting(options: WaitingOptions): Promise<void> {
  const counting = new WaitingCount(options);
  const long: WaitingText[] = [];
  for (const text of options.waiting) {
    if (text.text.length >= SAMPLED_FROM) long.push(text);
    else await counting.read(text);
  }
  if (long.length === 0) return;
  const samples = await counting.sample(long);
  const isEnough = await options.canPayMax();
  for (const [index, text] of long.entries()) {
    if (isEnough) options.put(text, samples[index] as TokenCount);
    else await counting.read(text);
  }
}

class WaitingCount {
  readonly #options: WaitingOptions;
  /** Characters that may still be read in this turn of the event loop. */
  #room = 0;
  /** The part of `likely` in texts that were read. */
  #read = 0;

  constructor(options: WaitingOptions) {
    this.#options = options;
  }

  async read(waiting: WaitingText): Promise<void> {
    const counted = await this.#count(waiting.text);
    this.#options.put(waiting, counted);
    this.#read += counted.likely;
    this.#options.checkLeast(this.#read * MIN_SHARE);
  }

  async sample(texts: readonly WaitingText[]): Promise<TokenCount[]> {
    const { randomBytes, checkLeast } = this.#options;
    const samples: TokenCount[] = [];
    let least = this.#read;
    for (const { text } of texts) {
      const turn = this.#reserve(charactersSampled(text));
      if (turn) await turn;
      const sampled = sampleTokens(text, randomBytes);
      samples.push(sampled);
      least += sampled.least;
      checkLeast(least * MIN_SHARE);
    }
    return samples;
  }

  async #count(text: string): Promise<TokenCount> {
    if (text.length <= SLICE) {
      const turn = this.#reserve(text.length);
      if (turn) await turn;
      return countInputText(text);
    }
    const sliced = new SlicedCount(text);
    while (!sliced.isDone) {
      const turn = this.#reserve(SLICE);
      if (turn) await turn;
      sliced.readSlice();
    }
    const counted = sliced.total();
    rememberCount(text, counted);
    return counted;
  }

  /**
   * Returns a promise where this turn has no room left for so many characters: thousands of short texts share one turn.
   */
  #reserve(characters: number): Promise<void> | undefined {
    const fits = this.#room >= characters;
    this.#room = (fits ? this.#room : SLICE) - characters;
    return fits ? undefined : nextTurn();
  }
}

/** Counts one text, such as a document, with other requests served in between. */
export async function countInTurns(text: string): Promise<TokenCount> {
  const sliced = new SlicedCount(text);
  while (!sliced.isDone) {
    if (text.length > SLICE) await nextTurn();
    sliced.readSlice();
  }
  return sliced.total();
}
