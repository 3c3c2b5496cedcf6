/**
 * THE RESPONSE CACHE: whole answers under the digest of their request, per account. The cache stores texts; what they
 * mean is up to the endpoint. See ADR 0070.
 */
import type { MaybePromise } from '../core/maybe-promise.ts';

/** One request among equal ones. */
export interface CacheRequest {
  accountId: string;
  /** Digest of everything that changes the answer. */
  digest: string;
  /** How old an answer may be, and for how long a new one is stored. */
  keepMs: number;
  /** Monotonic time until which the request may wait for another one's answer. */
  deadlineAtMs: number;
}

export type ClaimedAnswer =
  | { kind: 'hit'; text: string }
  /** Another request was making it. */
  | { kind: 'joined'; text: string }
  /** Another request is making it: its answer, or undefined when there is none to share. */
  | { kind: 'made-now'; ended: Promise<string | undefined> }
  /** This request makes it, and says so exactly once; undefined: there is nothing that may be given to others. */
  | { kind: 'first'; done(text: string | undefined): void };

export interface ResponseCache {
  claim(request: CacheRequest): MaybePromise<ClaimedAnswer>;
  /** Drops all answers of the account on every replica, also those being made now. */
  empty(accountId: string): Promise<void>;
  close(): void;
}

export interface CacheBounds {
  bytesPerAnswer: number;
  bytesPerAccount: number;
  bytesTotal: number;
}
