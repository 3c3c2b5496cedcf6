/** What is known of keys, by digest: their owner, that they have none, and which entries may be out of date. */

import { boundedCache } from '../platform/bounded-cache.ts';
import type { KeySnapshot } from './rules.ts';

const MAX_KEYS = 100_000;
const MAX_UNKNOWN = 10_000;
const UNKNOWN_TTL_MS = 5_000;

export interface CachedKey {
  key: KeySnapshot;
  /** True when something changed: the next request of this key reads it again. */
  stale: boolean;
  /** Monotonic time until which a stale entry is still served. */
  retryAt: number;
  digest: string;
  /** Wall clock: when the former text of a rotated key stops working. */
  validUntil: number | undefined;
}

export class KeyCache {
  /** A rotated key has two digests while both of its texts work. */
  readonly #digestsOfKey = new Map<string, string[]>();
  readonly #known = boundedCache<CachedKey>(MAX_KEYS, {
    dispose: (entry, _digest, reason) => reason !== 'set' && this.#forgetDigest(entry),
  });
  /** Digest → until when it is known to belong to no key. */
  readonly #unknown = boundedCache<number>(MAX_UNKNOWN);
  #changes = 0;

  /** How many changes were heard of. What was read while one arrived may already be out of date. */
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

  remember(digest: string, key: KeySnapshot, changesBefore: number, validUntil?: number): void {
    this.#known.set(digest, { key, stale: this.#changes !== changesBefore, retryAt: 0, digest, validUntil });
    const digests = this.#digestsOfKey.get(key.id);
    if (!digests) this.#digestsOfKey.set(key.id, [digest]);
    else if (!digests.includes(digest)) digests.push(digest);
  }

  rememberUnknown(digest: string, nowMs: number, changesBefore: number): void {
    this.#known.delete(digest);
    if (this.#changes === changesBefore) this.#unknown.set(digest, nowMs + UNKNOWN_TTL_MS);
  }

  keyChanged(id: string): void {
    this.#changes++;
    // The message does not contain the new key's digest, so every refusal is forgotten; that is cheap and always right.
    this.#unknown.clear();
    for (const digest of this.#digestsOfKey.get(id) ?? []) {
      const entry = this.#known.get(digest);
      if (entry) markStale(entry);
    }
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

  #forgetDigest({ key, digest }: CachedKey): void {
    const left = this.#digestsOfKey.get(key.id)?.filter((one) => one !== digest) ?? [];
    if (left.length > 0) this.#digestsOfKey.set(key.id, left);
    else this.#digestsOfKey.delete(key.id);
  }
}

function markStale(entry: CachedKey): void {
  entry.stale = true;
  entry.retryAt = 0;
}
