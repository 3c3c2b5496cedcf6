/**
 * How much of a running stream is paid for. What may be delivered is held first: the hold grows in steps while tokens
 * arrive, asked for a little ahead so that nobody waits, and when wallet or caps refuse a step the answer ends there.
 * Between steps it costs a few additions per piece.
 */
import type { MeteredEvent } from '../../core/events.ts';
import { type Money, money } from '../../core/money.ts';
import { countTokens } from '../../core/token-estimate.ts';
import { completionTokens } from '../../core/usage.ts';

/** More money is held this many tokens before the hold is used up, so that a stream seldom waits for wallet and caps. */
const ASKED_AHEAD = 64;
/** At most this share of the hold is asked for ahead, so that a short answer within its hold never asks. */
const ASKED_AHEAD_SHARE = 1 / 4;

/** The cut is placed a little early, because the beginning of a piece may have more tokens than the rest. */
const CAUTIOUS = 0.9;

export interface AllowanceOptions {
  /** Output tokens that the hold covers already. */
  held: number;
  stepTokens: number;
  /** The highest price of one output token. */
  price: Money;
  /** Holds more, between `least` and `want`; answers what was granted. */
  hold(amount: { want: Money; least: Money }): Promise<Money>;
}

export class OutputAllowance {
  readonly #options: AllowanceOptions;
  #held: number;
  /** The tokens of the output so far, without the pieces in `#tail`. */
  #counted = 0;
  #tail = '';
  #tailPieces = 0;
  /** The tail has no more tokens than this: it is counted only when so many could be too many. */
  #tailMost = 0;
  #usedUp = false;
  #asking: Promise<void> | undefined;

  constructor(options: AllowanceOptions) {
    this.#options = options;
    this.#held = options.price === 0n ? Number.POSITIVE_INFINITY : options.held;
  }

  /** May this go out? */
  covers(event: MeteredEvent): boolean | Promise<boolean> {
    if (event.type === 'usage-update') this.#counted = Math.max(this.#counted, completionTokens(event.usage));
    const text = outputOf(event);
    if (text === '') return true;
    this.#tail += text;
    this.#tailPieces++;
    this.#tailMost += mostTokens(text);
    const comfortable = this.#comfortable;
    if (this.#counted + this.#tailMost <= comfortable) return true;
    this.#count();
    if (this.#counted <= comfortable) return true;
    if (this.#asking === undefined && !this.#usedUp) this.#ask();
    if (this.#counted <= this.#held) return true;
    return this.#asking === undefined ? false : this.#whenAnswered();
  }

  /**
   * How many of these pieces may go out before more must be held; the next one is to be asked for alone. It counts where `covers`
   * would, piece by piece, so that the money ends in the same place.
   */
  coveredOf(text: string, pieces: readonly string[]): number {
    const comfortable = this.#comfortable;
    const isAscii = Buffer.byteLength(text) === text.length;
    if (isAscii && this.#counted + this.#tailMost + text.length <= comfortable) {
      this.#tail += text;
      this.#tailPieces += pieces.length;
      this.#tailMost += text.length;
      return pieces.length;
    }
    for (let at = 0; at < pieces.length; at++) {
      const piece = pieces[at] as string;
      const [tail, tailPieces, tailMost, counted] = [this.#tail, this.#tailPieces, this.#tailMost, this.#counted];
      this.#tail += piece;
      this.#tailPieces++;
      this.#tailMost += isAscii ? piece.length : mostTokens(piece);
      if (counted + this.#tailMost <= comfortable) continue;
      this.#count();
      if (this.#counted <= comfortable) continue;
      this.#tail = tail;
      this.#tailPieces = tailPieces;
      this.#tailMost = tailMost;
      this.#counted = counted;
      return at;
    }
    return pieces.length;
  }

  /** So much may be used before more is asked for. */
  get #comfortable(): number {
    return this.#held - Math.min(ASKED_AHEAD, this.#held * ASKED_AHEAD_SHARE);
  }

  /** The part of a piece that the rest of the hold pays for. */
  affordablePart(text: string): string {
    const tokens = countTokens(text).max;
    const room = this.#held - (this.#counted - tokens);
    if (room <= 0) return '';
    const length = Math.floor((text.length * room * CAUTIOUS) / tokens);
    // Half of a pair of surrogates is no character.
    return text.slice(0, /[\ud800-\udbff]/.test(text[length - 1] ?? '') ? length - 1 : length);
  }

  async #whenAnswered(): Promise<boolean> {
    await this.#asking;
    if (this.#counted <= this.#held) return true;
    if (this.#usedUp) return false;
    // More text arrived meanwhile than the step had covered.
    this.#ask();
    await this.#asking;
    return this.#counted <= this.#held;
  }

  /** Counts each piece as at least one token. */
  #count(): void {
    this.#counted += Math.max(this.#tailPieces, countTokens(this.#tail).max);
    this.#tail = '';
    this.#tailPieces = 0;
    this.#tailMost = 0;
  }

  #ask(): void {
    const { price, stepTokens, hold } = this.#options;
    // The amount held need not pay for a whole number of tokens.
    const tokens = Math.ceil(stepTokens + Math.max(0, this.#counted - this.#held));
    const want = money(price * BigInt(tokens));
    this.#asking = hold({ want, least: price })
      .then((amount) => this.#grew(amount, want))
      .catch(() => this.#grew(money(0n), want))
      .finally(() => {
        this.#asking = undefined;
      });
  }

  /** A grant below the step means that the budget is used up. */
  #grew(granted: Money, want: Money): void {
    this.#held += Number(granted / this.#options.price);
    if (granted < want) this.#usedUp = true;
  }
}

/** No text has more tokens than bytes, and UTF-16 no more than three bytes per unit. */
function mostTokens(text: string): number {
  return Buffer.byteLength(text) === text.length ? text.length : text.length * 3;
}

function outputOf(event: MeteredEvent): string {
  if (event.type === 'part-delta') return event.transcript ?? event.text;
  if (event.type === 'unread-text') return event.text;
  if (event.type === 'part-start') return event.toolCall?.name ?? '';
  return '';
}
