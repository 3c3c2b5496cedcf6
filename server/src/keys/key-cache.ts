/** What is known of keys, by digest: whose they are, that they are nobody's, and which of it may be out of date. */
import { RecentMap } from './recent-map.ts';
import type { KeySnapshot } from './rules.ts';

const MAX_KEYS = 100_000;
const MAX_UNKNOWN = 10_000;
const UNKNOWN_TTL_MS = 5_000;

export interface CachedKey {
  key: KeySnapshot;
  /** Something changed: to be read again by its next user. */
  stale: boolean;
  /** Monotonic; a stale entry is served as it is until then. */
  retryAt: number;
}

export class KeyCache {
  readonly #digestOfKey = new Map<string, string>();
  readonly #known = new RecentMap<string, CachedKey>(MAX_KEYS, ({ key }) => this.#digestOfKey.delete(key.id));
  /** Digest → until when it is known to be nobody's. */
  readonly #unknown = new RecentMap<string, number>(MAX_UNKNOWN);
  #changes = 0;

  /** Counts changes heard of: what was read while one arrived may already be old. */
  get changes(): number {
    return this.#changes;
  }

  known(digest: string): CachedKey | undefined {
    return this.#known.get(digest);
  }

  isUnknown(digest: string, nowMs: number): boolean {
    const until = this.#unknown.get(digest);
    return until !== undefined && nowMs < until;
  }

  remember(digest: string, key: KeySnapshot, changesBefore: number): void {
    this.#known.set(digest, { key, stale: this.#changes !== changesBefore, retryAt: 0 });
    this.#digestOfKey.set(key.id, digest);
  }

  rememberUnknown(digest: string, nowMs: number, changesBefore: number): void {
    const old = this.#known.get(digest);
    if (old) {
      this.#known.delete(digest);
      // A rotated key has another digest by now, which must stay findable.
      if (this.#digestOfKey.get(old.key.id) === digest) this.#digestOfKey.delete(old.key.id);
    }
    if (this.#changes === changesBefore) this.#unknown.set(digest, nowMs + UNKNOWN_TTL_MS);
  }

  keyChanged(id: string): void {
    this.#changes++;
    // A new key's digest is not in the message; forgetting every refusal is cheap and always right.
    this.#unknown.clear();
    const digest = this.#digestOfKey.get(id);
    const entry = digest === undefined ? undefined : this.#known.get(digest);
    if (entry) markStale(entry);
  }

  accountChanged(id: string): void {
    this.#changes++;
    for (const entry of this.#known.values()) if (entry.key.account.id === id) markStale(entry);
  }

  anythingChanged(): void {
    this.#changes++;
    this.#unknown.clear();
    for (const entry of this.#known.values()) markStale(entry);
  }
}

function markStale(entry: CachedKey): void {
  entry.stale = true;
  entry.retryAt = 0;
}
