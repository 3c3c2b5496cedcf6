/**
 * Shares answers with the other replicas. Each replica writes what it stores itself and deletes what it had to drop, so
 * Redis holds no more than all of them together; entries of a killed replica expire. While Redis is away every replica
 * uses its own memory.
 */
import { after, type Clock } from '../core/clock.ts';
import type { RedisClient } from '../platform/redis/index.ts';
import type { CacheRequest } from './response-cache.ts';

/** One hash tag per account, so that a cluster keeps its keys together. */
const keyOf = (accountId: string, digest: string) => `dargah:cache:{${accountId}}:answer:${digest}`;
const makingOf = (accountId: string, digest: string) => `dargah:cache:{${accountId}}:making:${digest}`;
const emptiedOf = (accountId: string) => `dargah:cache:{${accountId}}:emptied`;

/** After this time without a renewal the maker of an answer counts as dead. */
const MAKING_MS = 15_000;
const HEARTBEAT_MS = 5_000;
/** How often a request polls for the answer that another replica makes. */
const LOOK_MS = 100;
/** A slower Redis counts as away: the request asks its provider itself. */
const SLOWEST_MS = 1_000;
/** No answer is stored for longer, so an older count of emptyings concerns none. */
const EMPTIED_MS = 8 * 24 * 3_600_000;

export type FoundElsewhere = { kind: 'hit' | 'joined'; text: string } | { kind: 'nothing'; emptied: string };

export class RedisAnswers {
  readonly #redis: RedisClient;
  readonly #clock: Clock;

  constructor(redis: RedisClient, clock: Clock) {
    this.#redis = redis;
    this.#clock = clock;
  }

  /** Returns what another replica has, waiting for it; otherwise this replica must make the answer. */
  async find(request: CacheRequest): Promise<FoundElsewhere> {
    const { accountId, digest, deadlineAtMs } = request;
    const making = makingOf(accountId, digest);
    for (let kind: 'hit' | 'joined' = 'hit'; ; kind = 'joined') {
      const { isFirst, kept, emptied } = await this.#soon(this.#look(making, accountId, digest));
      const text = kept === null ? undefined : this.#read(kept, emptied, request.keepMs);
      if (text !== undefined) {
        if (isFirst) this.#redis.del(making).catch(() => undefined);
        return { kind, text };
      }
      if (isFirst || this.#clock.monotonicMs() >= deadlineAtMs) return { kind: 'nothing', emptied };
      await new Promise<void>((resolve) => after(this.#clock, LOOK_MS, resolve));
    }
  }

  /** The claim is taken before the answer is looked up: its maker writes the answer before it gives the claim up. */
  async #look(making: string, accountId: string, digest: string) {
    const commands = this.#redis.multi().set(making, '1', 'PX', MAKING_MS, 'NX');
    const results = await commands.mget(keyOf(accountId, digest), emptiedOf(accountId)).exec();
    const [set, got] = results ?? [];
    const failure = set?.[0] ?? got?.[0];
    if (failure || !set || !got) throw failure ?? new Error('redis did not answer');
    const [kept, emptied] = got[1] as [string | null, string | null];
    return { isFirst: set[1] !== null, kept, emptied: emptied ?? '' };
  }

  /** Renews the claim while an answer is made; the returned function stops that. */
  heartbeat({ accountId, digest }: CacheRequest): () => void {
    const making = makingOf(accountId, digest);
    let isOver = false;
    const next = () =>
      after(this.#clock, HEARTBEAT_MS, () => {
        if (isOver) return;
        this.#redis.pexpire(making, MAKING_MS).catch(() => undefined);
        next();
      });
    next();
    return () => {
      isOver = true;
      this.#redis.del(making).catch(() => undefined);
    };
  }

  /**
   * `emptied` is the count at the time of the request: an answer that was asked for before an emptying is not stored
   * after it.
   */
  async keep({ accountId, digest, keepMs }: CacheRequest, text: string, emptied: string): Promise<void> {
    const written = `${emptied}\n${this.#clock.now()}\n${text}`;
    await this.#redis.set(keyOf(accountId, digest), written, 'PX', keepMs);
  }

  forget(accountId: string, digest: string): void {
    this.#redis.del(keyOf(accountId, digest)).catch(() => undefined);
  }

  async empty(accountId: string): Promise<void> {
    const key = emptiedOf(accountId);
    await this.#redis.multi().incr(key).pexpire(key, EMPTIED_MS).exec();
  }

  close(): void {
    this.#redis.disconnect();
  }

  #soon<T>(command: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      after(this.#clock, SLOWEST_MS, () => reject(new Error('redis did not answer')));
      command.then(resolve, reject);
    });
  }

  #read(written: string, emptied: string, keepMs: number): string | undefined {
    const first = written.indexOf('\n');
    const second = written.indexOf('\n', first + 1);
    if (written.slice(0, first) !== emptied) return undefined;
    const madeAt = Number(written.slice(first + 1, second));
    return madeAt + keepMs > this.#clock.now() ? written.slice(second + 1) : undefined;
  }
}
