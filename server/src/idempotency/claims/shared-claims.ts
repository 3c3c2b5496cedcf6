/**
 * Idempotency keys that all replicas share, and that outlive a restart. A request under a key takes a claim in the database
 * before it runs; whoever comes later finds it and waits for its answer, or is given it again. A claim is kept alive by its
 * owner's heartbeat; one whose owner died is taken over by exactly one other. A database that does not answer in time does not
 * stop a request: it then runs on the word of this process alone.
 */

import { HOUR_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../../core/clock.ts';
import type { Background } from '../../platform/background.ts';
import type { Database } from '../../platform/db/index.ts';
import type { Log } from '../../platform/log.ts';
import { completedAmong } from '../../requestlog/index.ts';
import {
  type Claimant,
  type ClaimRow,
  deleteClaim,
  deleteRunningOf,
  insertClaim,
  markAnswerLost,
  markAwaited,
  markCharged,
  type Ownership,
  prolongLeases,
  saveAnswer,
  selectClaim,
  selectRunning,
  selectRunningOf,
  takeOver,
} from './claim-rows.ts';
import type { Claimed, Join } from './claimed.ts';
import { AccountGrowth, purgeExpired, type SharedBounds, trimAccount, trimEveryAccount } from './purge.ts';
import { answerOf, type SharedAnswer } from './shared-answer.ts';
import { type Unsaved, UnsavedAnswers } from './unsaved-answers.ts';
import { Waiting } from './waiting.ts';

export interface SharedClaims {
  /** Waits, until the monotonic deadline, for an answer that is being given elsewhere. */
  claim(claimant: Claimant, deadlineAtMs: number, join?: Join): Promise<Claimed>;
  /**
   * Marks the claim just before the request is charged, so that nobody takes it over and charges again. False: the key is
   * another request's by now, and this one must stay free. True also when the database cannot be asked.
   */
  charging(claimant: Claimant): Promise<boolean>;
  /** Without `answer` only the fact is stored. Never waits for the database. */
  finished(claimant: Claimant, answer: SharedAnswer | undefined): void;
  /** Nothing was answered: the key is free again. */
  release(claimant: Claimant): Promise<void>;
  /** Writes what waits for the database. */
  flush(): Promise<void>;
}

export interface SharedClaimsOptions {
  db: Database;
  clock: Clock;
  background: Background;
  log: Log;
  /** The same across restarts, and different for every process. */
  owner: string;
  bounds: SharedBounds;
}

const LEASE_MS = 30_000;
const HEARTBEAT_MS = 5_000;
const TEND_MS = 1_000;
const PURGE_MS = 60_000;
const TRIM_MS = HOUR_MS;
/** How long a request waits for the database before it goes on without. */
const TIMEOUT_MS = 1_000;
/** A database that was away a moment ago is asked again, but not waited for. */
const UNHEALTHY_TIMEOUT_MS = 250;
/**
 * A claim may be released between our insert and our read. After so many tries the caller is told that the request still runs.
 */
const MAX_LOOKS = 5;
/** Each waiting request holds a connection and its body; further ones are told that the request still runs. */
const MAX_WAITING = 5_000;
const MAX_UNSAVED_BYTES = 64 * 1024 * 1024;
const TOPIC = 'idempotency';

export async function openSharedClaims(options: SharedClaimsOptions): Promise<SharedClaims> {
  const { db, clock, background } = options;
  const claims = new DatabaseClaims(options);
  await claims.resume();
  background.every(TEND_MS, 'idempotency deadlines', () => claims.expireWaits());
  background.every(TEND_MS, 'idempotency claims', () => claims.tend());
  background.every(PURGE_MS, 'expired idempotency keys', () => purgeExpired(db, clock.now()));
  background.every(TRIM_MS, 'idempotency bounds', () => claims.trim());
  return claims;
}

class DatabaseClaims implements SharedClaims {
  readonly #options: SharedClaimsOptions;
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #by: Ownership;
  readonly #waiting = new Waiting();
  /** Claims that need heartbeats, including those that may not have reached the database. */
  readonly #alive = new Map<string, Claimant>();
  readonly #unsaved: UnsavedAnswers;
  readonly #growth: AccountGrowth;
  #lastHeartbeatMs = Number.NEGATIVE_INFINITY;
  /**
   * Monotonic time before which a silent owner proves nothing, because the database was away and nobody could send a heartbeat.
   */
  #judgeFromMs = Number.NEGATIVE_INFINITY;

  constructor(options: SharedClaimsOptions) {
    this.#options = options;
    this.#db = options.db;
    this.#clock = options.clock;
    this.#growth = new AccountGrowth(options.bounds);
    this.#by = { owner: options.owner, leaseMs: LEASE_MS };
    this.#unsaved = new UnsavedAnswers({
      maxBytes: MAX_UNSAVED_BYTES,
      save: (unsaved) => this.#save(unsaved),
      onSettled: ({ id, requestId }) => this.#letGo(id, requestId),
      log: options.log,
    });
    this.#db.subscribe(
      TOPIC,
      (id) => this.#waiting.wake(id),
      () => {
        this.#wasAway();
        this.#waiting.wakeAll();
      },
    );
  }

  /** Ends the claims of requests that this replica ran before it was killed. Those that were charged keep their key. */
  async resume(): Promise<void> {
    const left = await selectRunningOf(this.#db, this.#by.owner);
    if (left.length === 0) return;
    const requestIds = left.map((row) => row.request_id);
    const charged = await completedAmong(this.#db, requestIds);
    await markAnswerLost(
      this.#db,
      left.map((row) => row.id),
      [...charged],
    );
    await deleteRunningOf(this.#db, this.#by.owner);
  }

  async claim(claimant: Claimant, deadlineAtMs: number, join?: Join): Promise<Claimed> {
    this.#alive.set(claimant.id, claimant);
    for (let seenElsewhere = false; ; ) {
      const woken = this.#waiting.for(claimant.id, deadlineAtMs);
      const claimed = await this.#withinTimeout<Claimed>(this.#look(claimant), { kind: 'unavailable' });
      if (claimed.kind === 'running') {
        seenElsewhere = true;
        const { requestId } = claimed;
        const stream = requestId === undefined ? undefined : await join?.(requestId);
        if (requestId !== undefined && stream) {
          this.#waiting.wake(claimant.id);
          this.#letGo(claimant.id, claimant.requestId);
          return { kind: 'joined', requestId, stream };
        }
      }
      // It was seen running elsewhere. If the database has gone away since, running it here as well could charge it twice.
      const mustWait = claimed.kind === 'running' || (claimed.kind === 'unavailable' && seenElsewhere);
      const mayWait = this.#clock.monotonicMs() < deadlineAtMs && this.#waiting.size <= MAX_WAITING;
      if (!mustWait || !mayWait) {
        this.#waiting.wake(claimant.id);
        if (mustWait || (claimed.kind !== 'ours' && claimed.kind !== 'unavailable'))
          this.#letGo(claimant.id, claimant.requestId);
        return mustWait ? { kind: 'running' } : claimed;
      }
      await woken;
    }
  }

  charging(claimant: Claimant): Promise<boolean> {
    return this.#withinTimeout(markCharged(this.#db, claimant, this.#by), true);
  }

  finished(claimant: Claimant, answer: SharedAnswer | undefined): void {
    const { bytesPerAnswer, bytesPerAccount } = this.#options.bounds;
    const kept = answer && answer.body.byteLength <= Math.min(bytesPerAnswer, bytesPerAccount) ? answer : undefined;
    this.#unsaved.put({ claimant, answer: kept });
  }

  async release(claimant: Claimant): Promise<void> {
    this.#letGo(claimant.id, claimant.requestId);
    // If this fails, the claim ends with its lease.
    await this.#withinTimeout(this.#free(claimant), undefined);
  }

  flush(): Promise<void> {
    return this.#unsaved.flush();
  }

  expireWaits(): void {
    this.#waiting.expire(this.#clock.monotonicMs());
  }

  /** Sends heartbeats, checks claims that others wait for, and writes what could not be written before. */
  async tend(): Promise<void> {
    this.#unsaved.retry(this.#clock.now());
    const nowMs = this.#clock.monotonicMs();
    try {
      if (this.#alive.size > 0 && nowMs - this.#lastHeartbeatMs >= HEARTBEAT_MS) {
        await prolongLeases(this.#db, this.#alive.values(), LEASE_MS);
        this.#lastHeartbeatMs = nowMs;
      }
      const ids = this.#waiting.ids;
      if (ids.length === 0) return;
      const running = await selectRunning(this.#db, ids);
      for (const id of ids) if (!running.has(id)) this.#waiting.wake(id);
    } catch (error) {
      this.#wasAway();
      this.#options.log.debug({ err: error }, 'idempotency claims could not be tended');
    }
  }

  async trim(): Promise<void> {
    this.#growth.forget();
    await trimEveryAccount(this.#db, this.#options.bounds);
  }

  async #look(claimant: Claimant): Promise<Claimed> {
    for (let look = 0; look < MAX_LOOKS; look++) {
      if (await insertClaim(this.#db, claimant, this.#by)) return { kind: 'ours' };
      const row = await selectClaim(this.#db, claimant.id);
      const claimed = row && (row.state === 'done' ? found(row, claimant) : await this.#meetRunning(row, claimant));
      if (claimed) return claimed;
    }
    return { kind: 'running' };
  }

  /** Returns undefined when the row has changed meanwhile and must be read again. */
  async #meetRunning(row: ClaimRow, claimant: Claimant): Promise<Claimed | undefined> {
    // Our own claim, made by a look that we no longer waited for.
    if (row.request_id === claimant.requestId) return { kind: 'ours' };
    if (row.abandoned && this.#clock.monotonicMs() >= this.#judgeFromMs) {
      const charged = await completedAmong(this.#db, [row.request_id]);
      if (charged.size > 0) await markAnswerLost(this.#db, [claimant.id], [row.request_id]);
      // Only the owner can tell whether the charge was written, so the key waits until the owner is back.
      else if (row.charged) return found(row, claimant);
      else if (await takeOver(this.#db, claimant, this.#by, row.request_id)) return { kind: 'ours' };
      return undefined;
    }
    if (row.body_digest !== claimant.bodyDigest) return { kind: 'other-body' };
    return (await markAwaited(this.#db, claimant.id)) ? { kind: 'running', requestId: row.request_id } : undefined;
  }

  async #free(claimant: Claimant): Promise<void> {
    if (await deleteClaim(this.#db, claimant)) await this.#db.publish(this.#db, TOPIC, claimant.id);
  }

  async #save({ claimant, answer }: Unsaved): Promise<void> {
    const awaited = await saveAnswer(this.#db, claimant, this.#by, answer);
    if (awaited) await this.#db.publish(this.#db, TOPIC, claimant.id);
    const { bounds, background } = this.#options;
    const { accountId } = claimant;
    if (this.#growth.grew(accountId, answer?.body.byteLength ?? 0))
      background.detach(trimAccount(this.#db, accountId, bounds), 'idempotency bounds');
  }

  /** Waits a limited time for the database. A look that takes longer still has its effect there, under the request's id. */
  async #withinTimeout<T>(work: Promise<T>, otherwise: T): Promise<T> {
    const limitMs = this.#db.healthy() ? TIMEOUT_MS : UNHEALTHY_TIMEOUT_MS;
    let timer: NodeJS.Timeout | undefined;
    const timedOut = new Promise<T>((resolve) => {
      timer = setTimeout(() => resolve(otherwise), limitMs);
    });
    const answered = work.catch((error: unknown) => {
      this.#wasAway();
      this.#options.log.debug({ err: error }, 'an idempotency claim did not reach the database');
      return otherwise;
    });
    const result = await Promise.race([answered, timedOut]);
    clearTimeout(timer);
    return result;
  }

  #wasAway(): void {
    this.#judgeFromMs = this.#clock.monotonicMs() + LEASE_MS;
    this.#lastHeartbeatMs = Number.NEGATIVE_INFINITY;
  }

  #letGo(id: string, requestId: string): void {
    if (this.#alive.get(id)?.requestId === requestId) this.#alive.delete(id);
  }
}

function found(row: ClaimRow, claimant: Claimant): Claimed {
  const { request_id: requestId, answer_head, answer_body, expires_at } = row;
  if (row.body_digest !== claimant.bodyDigest) return { kind: 'other-body' };
  const answer = answer_head !== null && answer_body !== null ? answerOf(answer_head, answer_body) : undefined;
  return answer
    ? { kind: 'answered', requestId, expiresAt: expires_at.getTime(), answer }
    : { kind: 'answer-gone', requestId };
}
