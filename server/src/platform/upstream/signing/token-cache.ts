/**
 * Tokens that credentials are exchanged for. Each is fetched once however many requests wait, renewed while it is still good, and
 * asked for again at most every few seconds when the place that gives them out refuses.
 */
import type { Clock } from '../../../core/clock.ts';
import type { MaybePromise } from '../../../core/maybe-promise.ts';

export interface FetchedToken {
  value: string;
  lastsMs: number;
}

interface Kept {
  value: string;
  renewAtMs: number;
  expiresAtMs: number;
}

interface Entry {
  kept: Kept | undefined;
  pending: Promise<string> | undefined;
  failed: { error: unknown; untilMs: number } | undefined;
}

/** Renewed so long before its end, or after half of a short life. */
const RENEW_BEFORE_MS = 5 * 60_000;
/** A token this close to its end is no longer sent: the request would arrive with a dead one. */
const TOO_LATE_MS = 20_000;
const FAILURE_MS = 5_000;
const MAX_ENTRIES = 1_000;

export class TokenCache {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** At once where there is a good one. */
  get(key: string, fetch: () => Promise<FetchedToken>): MaybePromise<string> {
    const entry = this.#entryOf(key);
    const nowMs = this.#clock.monotonicMs();
    const { kept } = entry;
    if (kept && nowMs < kept.renewAtMs) return kept.value;
    const waitsForFailure = entry.failed !== undefined && nowMs < entry.failed.untilMs;
    if (kept && nowMs < kept.expiresAtMs) {
      // Nobody waits for a renewal, and one that fails is tried again while the old token still serves.
      if (!entry.pending && !waitsForFailure) this.#renew(entry, fetch).catch(() => undefined);
      return kept.value;
    }
    if (entry.pending) return entry.pending;
    if (waitsForFailure) return Promise.reject(entry.failed?.error);
    return this.#renew(entry, fetch);
  }

  /** The provider refused it. A newer one that came meanwhile stays. */
  drop(key: string, value: string): void {
    const entry = this.#entries.get(key);
    if (entry?.kept?.value === value) entry.kept = undefined;
  }

  #renew(entry: Entry, fetch: () => Promise<FetchedToken>): Promise<string> {
    const renewal = fetch().then(
      ({ value, lastsMs }) => {
        const nowMs = this.#clock.monotonicMs();
        const renewInMs = Math.max(lastsMs / 2, lastsMs - RENEW_BEFORE_MS);
        const expiresInMs = Math.max(renewInMs, lastsMs - TOO_LATE_MS);
        entry.kept = { value, renewAtMs: nowMs + renewInMs, expiresAtMs: nowMs + expiresInMs };
        entry.failed = undefined;
        entry.pending = undefined;
        return value;
      },
      (error: unknown) => {
        entry.failed = { error, untilMs: this.#clock.monotonicMs() + FAILURE_MS };
        entry.pending = undefined;
        throw error;
      },
    );
    entry.pending = renewal;
    return renewal;
  }

  #entryOf(key: string): Entry {
    const known = this.#entries.get(key);
    if (known) return known;
    // Credentials come and go over the years; the oldest is the one that is gone.
    const [oldest] = this.#entries.size >= MAX_ENTRIES ? this.#entries.keys() : [];
    if (oldest !== undefined) this.#entries.delete(oldest);
    const entry: Entry = { kept: undefined, pending: undefined, failed: undefined };
    this.#entries.set(key, entry);
    return entry;
  }
}
