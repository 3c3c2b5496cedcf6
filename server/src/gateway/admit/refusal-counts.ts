/**
 * Refusals of a key within a minute. They take no place in its rate and cost nothing, so without a bound of their own they
 * would be a way to keep us busy and to fill the request log: beyond the bound the key waits for the minute to end, and of
 * refusals that are alike only the first ones get rows of their own.
 */
import type { Clock } from '../../core/clock.ts';

const WINDOW_MS = 60_000;
const ROWS_OF_THEIR_OWN = 10;

interface Minute {
  endsAtMs: number;
  refused: number;
  /** How many were refused with the same code on the same endpoint. */
  alike: Map<string, number>;
}

export class RefusalCounts {
  readonly #minutes = new Map<string, Minute>();
  readonly most: number;
  readonly #clock: Clock;

  constructor(mostPerMinute: number, clock: Clock) {
    this.most = mostPerMinute;
    this.#clock = clock;
  }

  /** How long the key must wait, in milliseconds; undefined when it need not. */
  waitOf(keyId: string): number | undefined {
    // Nearly always empty: this is asked for every request.
    if (this.#minutes.size === 0) return undefined;
    const minute = this.#minutes.get(keyId);
    if (!minute || minute.refused < this.most) return undefined;
    const leftMs = minute.endsAtMs - this.#clock.monotonicMs();
    return leftMs > 0 ? leftMs : undefined;
  }

  /**
   * Counts one. True when it gets a row of its own; otherwise `summarise` is called once, when the minute is over, with the
   * number of those that got none.
   */
  count(keyId: string, kind: string, summarise: (others: number) => void): boolean {
    const minute = this.#minuteOf(keyId);
    minute.refused++;
    const alike = (minute.alike.get(kind) ?? 0) + 1;
    minute.alike.set(kind, alike);
    if (alike === ROWS_OF_THEIR_OWN + 1) this.#summariseAtEnd(minute, kind, summarise);
    return alike <= ROWS_OF_THEIR_OWN;
  }

  /** Called when this key's refusals on all replicas together have passed the bound. */
  reached(keyId: string): void {
    this.#minuteOf(keyId).refused = this.most;
  }

  #minuteOf(keyId: string): Minute {
    const now = this.#clock.monotonicMs();
    const known = this.#minutes.get(keyId);
    if (known && known.endsAtMs > now) return known;
    const minute: Minute = { endsAtMs: now + WINDOW_MS, refused: 0, alike: new Map() };
    this.#minutes.set(keyId, minute);
    setTimeout(() => {
      if (this.#minutes.get(keyId) === minute) this.#minutes.delete(keyId);
    }, WINDOW_MS).unref();
    return minute;
  }

  #summariseAtEnd(minute: Minute, kind: string, summarise: (others: number) => void): void {
    const leftMs = Math.max(0, minute.endsAtMs - this.#clock.monotonicMs());
    setTimeout(() => summarise((minute.alike.get(kind) ?? 0) - ROWS_OF_THEIR_OWN), leftMs).unref();
  }
}
