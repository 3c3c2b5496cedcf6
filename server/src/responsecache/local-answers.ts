/**
 * Answers in the memory of this process: the least recently used are dropped first, an account's own before those of
 * others.
 */
import type { Clock } from '../core/clock.ts';
import type { CacheBounds, CacheRequest, ClaimedAnswer } from './response-cache.ts';

interface KeptAnswer {
  readonly accountId: string;
  readonly digest: string;
  readonly text: string;
  readonly bytes: number;
  readonly madeAt: number;
  readonly expiresAt: number;
}

/** A request that is making an answer, and the requests that wait for it. */
interface Making {
  readonly accountId: string;
  readonly ended: Promise<string | undefined>;
  /** False once the cache was emptied: those who wait get the answer, but it is not stored. */
  isWanted: boolean;
}

export interface LocalFirst {
  kind: 'first';
  /** `keepMs`: absent for an answer that another replica stores. Returns true when it was stored here. */
  done(text: string | undefined, keepMs?: number): boolean;
}

/** The overhead of one answer beside its text. */
const BYTES_PER_ANSWER = 512;

export class LocalAnswers {
  /** Ordered by their last use. */
  readonly #kept = new Map<string, KeptAnswer>();
  readonly #ofAccounts = new Map<string, { bytes: number; answers: Map<string, KeptAnswer> }>();
  readonly #making = new Map<string, Making>();
  readonly #bounds: () => CacheBounds;
  readonly #clock: Clock;
  readonly #forgotten: (accountId: string, digest: string) => void;
  #bytes = 0;

  /** `forgotten` is called for every answer that was dropped early. */
  constructor(
    bounds: () => CacheBounds,
    clock: Clock,
    forgotten: (accountId: string, digest: string) => void = () => undefined,
  ) {
    this.#bounds = bounds;
    this.#clock = clock;
    this.#forgotten = forgotten;
  }

  claim({ accountId, digest, keepMs }: CacheRequest): Exclude<ClaimedAnswer, { kind: 'first' }> | LocalFirst {
    const name = nameOf(accountId, digest);
    const text = this.#find(name, keepMs);
    if (text !== undefined) return { kind: 'hit', text };
    const making = this.#making.get(name);
    if (making) return { kind: 'made-now', ended: making.ended };
    return this.#first(name, accountId, digest);
  }

  #keep(accountId: string, digest: string, text: string, keepMs: number): boolean {
    const { bytesPerAnswer } = this.#bounds();
    const size = Buffer.byteLength(text);
    this.#forget(nameOf(accountId, digest));
    if (size > bytesPerAnswer) return false;
    const madeAt = this.#clock.now();
    const bytes = size + BYTES_PER_ANSWER;
    this.#add({ accountId, digest, text, bytes, madeAt, expiresAt: madeAt + keepMs });
    this.#makeRoom(accountId);
    return this.#kept.has(nameOf(accountId, digest));
  }

  empty(accountId: string): void {
    for (const [name, making] of this.#making) if (making.accountId === accountId) this.#spoil(name, making);
    for (const digest of [...(this.#ofAccounts.get(accountId)?.answers.keys() ?? [])]) this.#drop(accountId, digest);
  }

  /** Drops everything, because changes may have been missed. */
  emptyAll(): void {
    for (const [name, making] of this.#making) this.#spoil(name, making);
    for (const accountId of [...this.#ofAccounts.keys()]) this.empty(accountId);
  }

  sweep(): void {
    const now = this.#clock.now();
    for (const [name, { expiresAt }] of this.#kept) if (expiresAt <= now) this.#forget(name);
  }

  /** Requests from now on get no answer from before this moment. */
  #spoil(name: string, making: Making): void {
    making.isWanted = false;
    this.#making.delete(name);
  }

  #find(name: string, keepMs: number): string | undefined {
    const answer = this.#kept.get(name);
    if (!answer) return undefined;
    const now = this.#clock.now();
    if (answer.expiresAt <= now) {
      this.#forget(name);
      return undefined;
    }
    // Another request stored it for longer; this caller wants a newer answer.
    if (answer.madeAt + keepMs <= now) return undefined;
    this.#kept.delete(name);
    this.#kept.set(name, answer);
    const own = this.#ofAccounts.get(answer.accountId)?.answers;
    own?.delete(answer.digest);
    own?.set(answer.digest, answer);
    return answer.text;
  }

  #first(name: string, accountId: string, digest: string): LocalFirst {
    let resolve: (text: string | undefined) => void = () => undefined;
    const ended = new Promise<string | undefined>((end) => {
      resolve = end;
    });
    const making: Making = { accountId, ended, isWanted: true };
    this.#making.set(name, making);
    return {
      kind: 'first',
      done: (text, keepMs) => {
        if (this.#making.get(name) === making) this.#making.delete(name);
        const mayKeep = text !== undefined && keepMs !== undefined && making.isWanted;
        const isKept = mayKeep && this.#keep(accountId, digest, text, keepMs);
        resolve(text);
        return isKept;
      },
    };
  }

  #add(answer: KeptAnswer): void {
    const { accountId, digest, bytes } = answer;
    this.#kept.set(nameOf(accountId, digest), answer);
    const own = this.#ofAccounts.get(accountId) ?? { bytes: 0, answers: new Map<string, KeptAnswer>() };
    own.bytes += bytes;
    own.answers.set(digest, answer);
    this.#ofAccounts.set(accountId, own);
    this.#bytes += bytes;
  }

  #makeRoom(accountId: string): void {
    const { bytesPerAccount, bytesTotal } = this.#bounds();
    const own = this.#ofAccounts.get(accountId);
    for (const digest of own?.answers.keys() ?? []) {
      if ((own?.bytes ?? 0) <= bytesPerAccount) break;
      this.#drop(accountId, digest);
    }
    for (const { accountId: owner, digest } of this.#kept.values()) {
      if (this.#bytes <= bytesTotal) break;
      this.#drop(owner, digest);
    }
  }

  #drop(accountId: string, digest: string): void {
    this.#forget(nameOf(accountId, digest));
    this.#forgotten(accountId, digest);
  }

  #forget(name: string): void {
    const answer = this.#kept.get(name);
    if (!answer) return;
    const { accountId, digest, bytes } = answer;
    this.#kept.delete(name);
    this.#bytes -= bytes;
    const own = this.#ofAccounts.get(accountId);
    if (!own) return;
    own.bytes -= bytes;
    own.answers.delete(digest);
    if (own.answers.size === 0) this.#ofAccounts.delete(accountId);
  }
}

function nameOf(accountId: string, digest: string): string {
  return `${accountId} ${digest}`;
}
