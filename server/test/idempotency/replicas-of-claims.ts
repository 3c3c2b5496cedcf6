/** Claims of several replicas on one database, by a clock the test moves; nothing runs by itself. */
import { expect } from 'vitest';
import { money } from '../../src/core/money.ts';
import {
  type Claimant,
  openSharedClaims,
  type SharedAnswer,
  type SharedBounds,
  type SharedClaims,
} from '../../src/idempotency/index.ts';
import type { Background } from '../../src/platform/background.ts';
import type { Database } from '../../src/platform/db/index.ts';
import { eventually } from '../services/eventually.ts';
import { type RecordedLog, recordedLog } from '../services/silent-log.ts';

export const KEEP_MS = 86_400_000;
export const LEASE_MS = 30_000;

export interface ReplicaOfClaims extends SharedClaims {
  log: RecordedLog;
  /** Heartbeat, a look at what is awaited, another try at what was not written. */
  tend(): Promise<void>;
  expireWaits(): void;
  purge(): Promise<void>;
  trim(): Promise<void>;
}

export class ClaimsUnderTest {
  nowMs = 1_700_000_000_000;
  readonly #db: () => Database;
  #serial = 0;

  constructor(db: () => Database) {
    this.#db = db;
  }

  get deadlineAtMs(): number {
    return this.nowMs + 60_000;
  }

  async replica(owner: string, bounds: Partial<SharedBounds> = {}, db = this.#db()): Promise<ReplicaOfClaims> {
    const jobs = new Map<string, () => void | Promise<void>>();
    const background: Background = {
      every(_ms, name, work) {
        jobs.set(name, work);
        return () => undefined;
      },
      after: () => () => undefined,
      detach: (work) => void work.catch(() => undefined),
      drain: async () => [],
    };
    const log = recordedLog();
    const claims = await openSharedClaims({
      db,
      clock: { now: () => this.nowMs, monotonicMs: () => this.nowMs },
      background,
      log,
      owner,
      bounds: {
        bytesPerAnswer: 10_000,
        bytesPerAccount: 1_000_000,
        entriesPerAccount: 1_000,
        keepMs: KEEP_MS,
        ...bounds,
      },
    });
    const run = (name: string) => async () => jobs.get(name)?.();
    return {
      claim: (claimant, deadlineAtMs) => claims.claim(claimant, deadlineAtMs),
      charging: (claimant) => claims.charging(claimant),
      finished: (claimant, answer) => claims.finished(claimant, answer),
      release: (claimant) => claims.release(claimant),
      flush: () => claims.flush(),
      log,
      tend: run('idempotency claims'),
      expireWaits: () => void jobs.get('idempotency deadlines')?.(),
      purge: run('expired idempotency keys'),
      trim: run('idempotency bounds'),
    };
  }

  claimant(id: string, more: Partial<Claimant> = {}): Claimant {
    return {
      id,
      accountId: 'acme',
      bodyDigest: 'body',
      requestId: `req_${++this.#serial}`,
      createdAt: this.nowMs,
      expiresAt: this.nowMs + KEEP_MS,
      ...more,
    };
  }

  /** As if its owner had been silent for longer than a lease. */
  async silence(id: string): Promise<void> {
    await this.#db().query(
      `update idempotency_claim set lease_until = now() - interval '1 second' where id = $1 and state = 'running'`,
      [id],
    );
  }
}

export function answerOf(text: string, more: Partial<SharedAnswer> = {}): SharedAnswer {
  return {
    kind: 'body',
    status: 200,
    contentType: 'application/json; charset=utf-8',
    headers: {},
    model: 'mock/chat',
    cost: money(12_345_678_901_234_567_890n),
    warnings: [],
    body: Buffer.from(text),
    ...more,
  };
}

/** Two replicas on one database. */
export interface Stage {
  db: Database;
  claims: ClaimsUnderTest;
  one: ReplicaOfClaims;
  two: ReplicaOfClaims;
}

/** Waits until the database knows that somebody waits, which is when nothing is left to do but to wait. */
export function awaited({ db }: Stage, id: string): Promise<void> {
  return eventually(async () => {
    expect(await db.query('select awaited from idempotency_claim where id = $1', [id])).toEqual([{ awaited: true }]);
  });
}

/** The same database, unreachable or silent whenever the test says so; opening a replica on it always works. */
export function intermittent(db: Database, away: () => 'refuses' | 'hangs' | false): Database {
  let opened = false;
  return {
    ...db,
    // A replica's first statement is its look at what it left behind.
    query: (text, values, options) => {
      const state = opened && away();
      opened = true;
      if (state === 'refuses') return Promise.reject(new Error('gone'));
      return state === 'hangs' ? new Promise(() => undefined) : db.query(text, values, options);
    },
  };
}
