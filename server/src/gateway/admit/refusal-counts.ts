/**
 * Refusals of a key within a minute. They take no place in its rate and cost nothing, so without a bound of their own they
 * would be a way to keep us busy and to fill the request log: beyond the bound the key waits for the minute to end, and of
 * refusals that are alike only the first ones get rows of their own. A change of the key, its account or its money may be the
 * remedy of what was refused, so it ends the wait.
 */
import type { Clock } from '../../core/clock.ts';

const WINDOW_MS = 60_000;
const ROWS_OF_THEIR_OWN = 10;

/** Whose refusal it is. */
export interface RefusedCaller {
  id: string;
  account: { id: string };
}

interface Minute {
  accountId: string;
  endsAtMs: number;
  /** Without those of our own making. */
  refused: number;
  /** How many were refused with the same code on the same endpoint. */
  alike: Map<string, number>;
}

export class RefusalCounts {
  readonly #minutes = new Map<string, Minute>();
  readonly max: number;
  readonly #clock: Clock;
  /** By `key:<id>` or `account:<id>`: until when what all replicas counted before the change counts no more. */
  readonly #remedied = new Map<string, number>();
  #allRemediedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(maxPerMinute: number, clock: Clock) {
    this.max = maxPerMinute;
    this.#clock = clock;
  }

  /** How long the key must wait, in milliseconds; undefined when it need not. */
  waitOf(keyId: string): number | undefined {
    // Nearly always empty: this is asked for every request.
    if (this.#minutes.size === 0) return undefined;
    const minute = this.#minutes.get(keyId);
    if (!minute || minute.refused < this.max) return undefined;
    const leftMs = minute.endsAtMs - this.#clock.monotonicMs();
    return leftMs > 0 ? leftMs : undefined;
  }

  /**
   * Counts one. True when it gets a row of its own; otherwise `summarise` is called once, when the minute is over, with the
   * number of those that got none. `ours`: it was refused for a reason of our own, so it is not held against the key.
   */
  count(key: RefusedCaller, kind: string, ours: boolean, summarise: (others: number) => void): boolean {
    const minute = this.#minuteOf(key);
    if (!ours) minute.refused++;
    const alike = (minute.alike.get(kind) ?? 0) + 1;
    minute.alike.set(kind, alike);
    if (alike === ROWS_OF_THEIR_OWN + 1) this.#summariseAtEnd(minute, kind, summarise);
    return alike <= ROWS_OF_THEIR_OWN;
  }

  /** Called when this key's refusals on all replicas together have passed the bound. */
  reached(key: RefusedCaller): void {
    if (!this.#wasRemedied(key)) this.#minuteOf(key).refused = this.max;
  }

  keyChanged(id: string): void {
    this.#minutes.delete(id);
    this.#remember(`key:${id}`);
  }

  /** The account's rules, or its money. */
  accountChanged(id: string): void {
    for (const [keyId, { accountId }] of this.#minutes) if (accountId === id) this.#minutes.delete(keyId);
    this.#remember(`account:${id}`);
  }

  /** Messages about changes got lost. */
  anythingChanged(): void {
    this.#minutes.clear();
    this.#allRemediedUntilMs = this.#clock.monotonicMs() + WINDOW_MS;
  }

  /**
   * The window that replicas share still has what was refused before the change, for a minute; until then each replica goes by
   * its own count.
   */
  #remember(changed: string): void {
    const untilMs = this.#clock.monotonicMs() + WINDOW_MS;
    this.#remedied.set(changed, untilMs);
    setTimeout(() => {
      if (this.#remedied.get(changed) === untilMs) this.#remedied.delete(changed);
    }, WINDOW_MS).unref();
  }

  #wasRemedied({ id, account }: RefusedCaller): boolean {
    const now = this.#clock.monotonicMs();
    const isLater = (untilMs: number | undefined): boolean => untilMs !== undefined && untilMs > now;
    const times = [
      this.#allRemediedUntilMs,
      this.#remedied.get(`key:${id}`),
      this.#remedied.get(`account:${account.id}`),
    ];
    return times.some(isLater);
  }

  #minuteOf({ id, account }: RefusedCaller): Minute {
    const now = this.#clock.monotonicMs();
    const known = this.#minutes.get(id);
    if (known && known.endsAtMs > now) return known;
    const minute: Minute = { accountId: account.id, endsAtMs: now + WINDOW_MS, refused: 0, alike: new Map() };
    this.#minutes.set(id, minute);
    setTimeout(() => {
      if (this.#minutes.get(id) === minute) this.#minutes.delete(id);
    }, WINDOW_MS).unref();
    return minute;
  }

  #summariseAtEnd(minute: Minute, kind: string, summarise: (others: number) => void): void {
    const leftMs = Math.max(0, minute.endsAtMs - this.#clock.monotonicMs());
    setTimeout(() => summarise((minute.alike.get(kind) ?? 0) - ROWS_OF_THEIR_OWN), leftMs).unref();
  }
}
