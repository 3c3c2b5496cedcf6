/**
 * The arithmetic of rolling windows: pure, no clock of its own.
 *
 * Admissions are summed by the second. A second counts until its *youngest* admission is 60 s old, so every
 * admission counts for at least 60 s and at most 60 s after the last one beside it. Hence no span of 60 seconds ever
 * holds more than the limit, and one minute after the last admission the window is empty. (Dropping a second by its
 * number instead would either admit too much at the seam or make every caller wait up to 61 s.)
 */
import type { WindowState } from './admission.ts';

export const WINDOW_MS = 60_000;
const SECOND_MS = 1_000;
/** A span of 60 s touches at most 61 seconds; the next power of two lets an index wrap by masking. */
const MAX_SECONDS = 64;

function secondOf(nowMs: number): number {
  return Math.floor(nowMs / SECOND_MS);
}

export interface WindowEntry {
  second: number;
  amount: number;
  /** When the youngest admission of the second happened. */
  lastAt: number;
}

/** One counter. Grows with use: a key with one request a minute costs four slots, not sixty-four. */
export class RollingWindow {
  #seconds: number[] = [0, 0, 0, 0];
  #amounts: number[] = [0, 0, 0, 0];
  #lastAts: number[] = [0, 0, 0, 0];
  #head = 0;
  #size = 0;
  #used = 0;

  /** What counts against the limit now. */
  used(nowMs: number): number {
    this.#expire(nowMs);
    return this.#used;
  }

  fits(limit: number, amount: number, nowMs: number): boolean {
    return this.used(nowMs) + amount <= limit;
  }

  /** Adds without checking the limit; returns the second to which a later correction belongs. */
  add(amount: number, nowMs: number): number {
    this.#expire(nowMs);
    // A clock that stepped back must not put a younger second behind an older one: expiry reads from the head.
    const at = this.#size > 0 ? Math.max(nowMs, this.#newestAt()) : nowMs;
    const second = secondOf(at);
    if (amount === 0) return second;
    let slot = this.#slot(this.#size - 1);
    if (this.#size === 0 || this.#seconds[slot] !== second) {
      slot = this.#append(second);
    }
    this.#amounts[slot] = (this.#amounts[slot] as number) + amount;
    this.#lastAts[slot] = at;
    this.#used += amount;
    return second;
  }

  /** Changes what was taken in a second; false when that second no longer counts. The sum may exceed the limit. */
  correct(second: number, delta: number): boolean {
    for (let i = this.#size - 1; i >= 0; i--) {
      const slot = this.#slot(i);
      if (this.#seconds[slot] !== second) continue;
      this.#amounts[slot] = (this.#amounts[slot] as number) + delta;
      this.#used += delta;
      return true;
    }
    return false;
  }

  state(limit: number, nowMs: number): WindowState {
    const used = this.used(nowMs);
    return { limit, remaining: Math.max(0, limit - used), resetMs: used > 0 ? this.emptyInMs(nowMs) : 0 };
  }

  emptyInMs(nowMs: number): number {
    this.#expire(nowMs);
    return this.#size === 0 ? 0 : this.#newestAt() + WINDOW_MS - nowMs;
  }

  /** Until `amount` fits. What never fits is told the longest wait: the limit may have been raised by then. */
  roomInMs(limit: number, amount: number, nowMs: number): number {
    let used = this.used(nowMs);
    if (amount > limit) return WINDOW_MS;
    if (used + amount <= limit) return 0;
    for (let i = 0; i < this.#size; i++) {
      const slot = this.#slot(i);
      used -= this.#amounts[slot] as number;
      if (used + amount <= limit) return (this.#lastAts[slot] as number) + WINDOW_MS - nowMs;
    }
    return WINDOW_MS;
  }

  entries(nowMs: number): WindowEntry[] {
    this.#expire(nowMs);
    return Array.from({ length: this.#size }, (_, i) => {
      const slot = this.#slot(i);
      return {
        second: this.#seconds[slot] as number,
        amount: this.#amounts[slot] as number,
        lastAt: this.#lastAts[slot] as number,
      };
    });
  }

  #expire(nowMs: number): void {
    if (this.#size === 0) return;
    // Set back by more than a window: the stored times mean nothing any more, and keeping them would block the key
    // until the old time returns. The price is one more limit, once per such step.
    if (this.#newestAt() - nowMs > WINDOW_MS) this.#size = 0;
    while (this.#size > 0 && (this.#lastAts[this.#head] as number) + WINDOW_MS <= nowMs) {
      this.#used -= this.#amounts[this.#head] as number;
      this.#head = this.#slot(1);
      this.#size--;
    }
    if (this.#size === 0) this.#used = 0;
  }

  #append(second: number): number {
    if (this.#size === this.#seconds.length) this.#grow();
    const slot = this.#slot(this.#size);
    this.#size++;
    this.#seconds[slot] = second;
    this.#amounts[slot] = 0;
    return slot;
  }

  #grow(): void {
    const capacity = Math.min(MAX_SECONDS, this.#seconds.length * 2);
    const unrolled = (ring: number[]): number[] => [
      ...ring.slice(this.#head),
      ...ring.slice(0, this.#head),
      ...new Array<number>(capacity - ring.length).fill(0),
    ];
    this.#seconds = unrolled(this.#seconds);
    this.#amounts = unrolled(this.#amounts);
    this.#lastAts = unrolled(this.#lastAts);
    this.#head = 0;
  }

  #newestAt(): number {
    return this.#lastAts[this.#slot(this.#size - 1)] as number;
  }

  #slot(index: number): number {
    return (this.#head + index) & (this.#seconds.length - 1);
  }
}
