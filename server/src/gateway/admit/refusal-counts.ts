/**
 * Counts refusals of a key within a minute. They do not count in its rate and cost nothing, so without a limit they
 * could be used to overload us and to fill the request log. Beyond the limit the key waits until the minute ends, and
 * of equal refusals only the first ones get rows. A change of the key, its account or its money may remedy the
 * refusals, so it ends the wait.
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
  /** Refusals that are not our own fault. */
  refused: number;
  /** How many were refused with the same code on the same endpoint. */
  alike: Map<string, number>;
}

export class RefusalCounts {
  readonly #minutes = new Map<string, Minute>();
  readonly max: number;
  readonly #clock: Clock;
  /** By `key:<id>` or `account:<id>`: until when the shared count of before the change is ignored. */
  readonly #remedied = new Map<string, number>();
  #allRemediedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(maxPerMinute: number, clock: Clock) {
    this.max = maxPerMinute;
    this.#clock = clock;
  }

  /** How long the key must wait, in milliseconds; undefined when it need not. */
  waitOf(keyId: string): number | undefined {
    // Nearly always empty, and read for every request.
    if (this.#minutes.size === 0) return undefined;
    const minute = this.#minutes.get(keyId);
    if (!minute || minute.refused < this.max) return undefined;
    const leftMs = minute.endsAtMs - this.#clock.monotonicMs();
    return leftMs > 0 ? leftMs : undefined;
  }

  /**
   * Counts one refusal. Returns true when it gets a row of its own; otherwise `summarise` is called once, when the
   * minute is over, with the number of those without a row. `ours`: the cause was ours, so it is not counted against
   * the key.
   */
  count(key: RefusedCaller, kind: string, ours: boolean, summarise: (others: number) => void): boolean {
    const minute = this.#minuteOf(key);
    if (!ours) minute.refused++;
    const alike = (minute.alike.get(kind) ?? 0) + 1;
    minute.alike.set(kind, alike);
    if (alike === ROWS_OF_THEIR_OWN + 1) this.#summariseAtEnd(minute, kind, summarise);
    return alike <= ROWS_OF_THEIR_OWN;
  }

  /** Called when this key's refusals on all replicas together exceed the limit. */
  reached(key: RefusedCaller): void {
    if (!this.#wasRemedied(key)) this.#minuteOf(key).refused = this.max;
  }

  keyChanged(id: string): void {
    this.#minutes.delete(id);
    this.#remember(`key:${id}`);
  }

  /** The account's rules or its money changed. */
  accountChanged(id: string): void {
    for (const [keyId, { accountId }] of this.#minutes) if (accountId === id) this.#minutes.delete(keyId);
    this.#remember(`account:${id}`);
  }

  /** Messages about changes were lost. */
  anythingChanged(): void {
    this.#minutes.clear();
    this.#allRemediedUntilMs = this.#clock.monotonicMs() + WINDOW_MS;
  }

  /**
   * The window shared by replicas still contains the refusals of before the change for a minute; until then each
   * replica uses its own count.
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
