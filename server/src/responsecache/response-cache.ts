/**
 * THE RESPONSE CACHE: whole answers under the digest of the request that got them, scoped to the account. What an answer is made of
 * is the endpoint's affair; here it is a text. See ADR 0070.
 */
import type { MaybePromise } from '../core/maybe-promise.ts';

/** One request among equal ones. */
export interface CacheRequest {
  accountId: string;
  /** Of everything that changes the answer. */
  digest: string;
  /** No older answer is given, and none is kept for longer. */
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
  /** Forgets everything of the account, also what is being made now, on every replica. */
  empty(accountId: string): Promise<void>;
  close(): void;
}

export interface CacheBounds {
  bytesPerAnswer: number;
  bytesPerAccount: number;
  bytesTotal: number;
}
