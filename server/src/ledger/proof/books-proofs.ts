/**
 * The proof of the books as a service: what is known now, the runs, and the job that keeps it up to date. Pages only
 * read; a proof is started by the job, or by a person who asks for a whole one.
 */

import { MINUTE_MS } from '@dargah/core/time-spans.ts';
import { makeId } from '../../core/ids.ts';
import { type Page, type PageRequest, startOfPage, toPage } from '../../platform/db/pages.ts';
import { dayAfter, openDayAt } from '../seal/home-days.ts';
import { dayToSeal, readSealClock } from '../seal/seal-clock.ts';
import { CHECKS } from './checks-sql.ts';
import { failRun, takeRun } from './lease.ts';
import type { BooksState, ProofRun, SealedDay } from './proof.ts';
import { INSERT_LIGHT_RUN, PROOF_RUN, readRuns, SEALED_DAYS, STATEMENT_TIME, TAKE_LIGHT, toRun } from './proof-rows.ts';
import { OPEN_ROWS_AND_ORDERS } from './rows-to-read-sql.ts';
import { type OwnRun, ProofStopped, proveBooks, type RunnerOptions } from './run.ts';
import { failingOf, noteFailure, noteLight, readState, type StoredState } from './state.ts';
import { askChecks } from './statement-checks.ts';

const KNOWN_FOR_MS = 5_000;
/** What was read before is answered for so long while it is read again; the job reads it every minute. */
const TOLD_FOR_MS = 90_000;
const LIGHT_EVERY_MS = 10 * MINUTE_MS;
/** A light proof takes at most one part in so many of the time. */
const LIGHT_SHARE = 200;
const RETRY_MS = 10 * MINUTE_MS;
const LIGHT_CHECKS = CHECKS.filter(({ light }) => light === true);

export interface BooksProofsOptions extends Omit<RunnerOptions, 'pause'> {
  replicaId: string;
  /** Ends at once when the process stops. */
  pause(ms: number, stopped: AbortSignal): Promise<void>;
  /** Runs work in the background. */
  detach(work: Promise<unknown>, name: string): void;
}

export interface BooksProofs {
  /** What is known now; every page reads it, and memory answers for some seconds. */
  state(): Promise<BooksState>;
  /** The state that was read last, for metrics. */
  known(): BooksState | undefined;
  /** Starts a whole proof. The one that is under way is returned; that of a night becomes a whole one. */
  start(askedBy: string): Promise<ProofRun>;
  find(id: string): Promise<ProofRun | undefined>;
  /** Newest first. */
  list(page: PageRequest): Promise<Page<ProofRun> | undefined>;
  /** Sealed days, newest first. */
  sealedDays(limit: number): Promise<SealedDay[]>;
  /** The job that is due now, if any. Its promise rejects when the run did not finish. */
  due(): Promise<(() => Promise<void>) | undefined>;
  /** Makes runs of this process stop at their next slice. */
  stop(): void;
}

export function createBooksProofs(options: BooksProofsOptions): BooksProofs {
  return new LedgerProofs(options);
}

class LedgerProofs implements BooksProofs {
  readonly #options: BooksProofsOptions;
  readonly #holder: string;
  readonly #stopped = new AbortController();
  #told: { at: number; state: StoredState } | undefined;
  #reading: Promise<StoredState> | undefined;
  #lastRead: StoredState | undefined;
  #lightTookMs = 0;

  constructor(options: BooksProofsOptions) {
    this.#options = options;
    // A process that starts again is another holder, so its former run is over.
    this.#holder = `${options.replicaId}:${makeId('run', options.clock.now(), options.randomBytes)}`;
  }

  /**
   * Never waits for the database, which may be busy with this very proof: an older state is answered, and read again
   * meanwhile.
   */
  state(): Promise<BooksState> {
    const now = this.#options.clock.monotonicMs();
    if (this.#told !== undefined && now < this.#told.at + TOLD_FOR_MS) {
      if (now >= this.#told.at + KNOWN_FOR_MS) this.#read().catch(() => undefined);
      return Promise.resolve(this.#told.state);
    }
    return this.#read();
  }

  /** One read at a time, whoever asks. */
  #read(): Promise<StoredState> {
    if (this.#reading !== undefined) return this.#reading;
    const { db, clock } = this.#options;
    const reading = readState(db, clock.now())
      .then((state) => {
        if (this.#reading === reading) this.#told = { at: clock.monotonicMs(), state };
        this.#lastRead = state;
        return state;
      })
      .finally(() => {
        if (this.#reading === reading) this.#reading = undefined;
      });
    this.#reading = reading;
    return reading;
  }

  known(): BooksState | undefined {
    return this.#lastRead;
  }

  async start(askedBy: string): Promise<ProofRun> {
    const { id, isMine } = await this.#take('whole', askedBy);
    if (isMine) this.#options.detach(this.#carryOut(id, 'whole'), 'proof of the books');
    const run = await this.find(id);
    if (run === undefined) throw new Error('a proof that was begun is gone');
    return run;
  }

  async find(id: string): Promise<ProofRun | undefined> {
    const row = await PROOF_RUN.first(this.#options.db, [id]);
    return row && toRun(row);
  }

  async list(page: PageRequest): Promise<Page<ProofRun> | undefined> {
    const start = startOfPage(page);
    if (start === undefined) return undefined;
    const rows = await readRuns(this.#options.db, start);
    return toPage(rows.map(toRun), start, ({ startedAt, id }) => ({ time: startedAt, id }));
  }

  async sealedDays(limit: number): Promise<SealedDay[]> {
    return SEALED_DAYS.rows(this.#options.db, [limit]);
  }

  async due(): Promise<(() => Promise<void>) | undefined> {
    const { clock } = this.#options;
    if (this.#stopped.signal.aborted) return undefined;
    const state = await this.#read();
    const retriesLater = state.triedAt !== null && clock.now() - state.triedAt.getTime() < RETRY_MS;
    const isUnfinished = state.reason !== null;
    if (await this.#isNightDue(state)) {
      if (isUnfinished && retriesLater) return undefined;
      const { id, isMine } = await this.#take('night', 'schedule');
      return isMine ? () => this.#carryOut(id, 'night') : undefined;
    }
    return (await this.#takeLight(state)) ? () => this.#light() : undefined;
  }

  stop(): void {
    this.#stopped.abort();
  }

  /** Also discards a read that began before the change. */
  #forget(): void {
    this.#told = undefined;
    this.#reading = undefined;
  }

  #take(kind: OwnRun['kind'], askedBy: string) {
    const { db, clock, randomBytes } = this.#options;
    const nowMs = clock.now();
    return takeRun(db, { id: makeId('prf', nowMs, randomBytes), kind, askedBy, holder: this.#holder, nowMs });
  }

  /** Throws when the run does not finish, after recording that. */
  async #carryOut(id: string, kind: OwnRun['kind']): Promise<void> {
    const { db, clock } = this.#options;
    const { signal } = this.#stopped;
    const run: OwnRun = { id, kind, holder: this.#holder, isStopped: () => signal.aborted };
    try {
      await proveBooks({ ...this.#options, pause: (ms) => this.#options.pause(ms, signal) }, run);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      await db.transaction(async (tx) => {
        const wasOurs = await failRun(tx, id, this.#holder, clock.now(), reason);
        // A process that ends has not failed to prove anything; another one continues.
        if (wasOurs && !(error instanceof ProofStopped)) await noteFailure(tx, new Date(clock.now()), reason);
      });
      if (!(error instanceof ProofStopped)) throw error;
    } finally {
      this.#forget();
    }
  }

  /** Decided by the slower of both clocks, because days are closed by the database's. */
  async #isNightDue(state: StoredState): Promise<boolean> {
    const { db, clock } = this.#options;
    if (state.provedAt === null) return true;
    const sealClock = await readSealClock(db);
    if (sealClock === undefined || dayToSeal(sealClock) !== undefined) return true;
    const row = await STATEMENT_TIME.first(db);
    const nowMs = Math.min(clock.now(), row?.now.getTime() ?? 0);
    return openDayAt(nowMs) > dayAfter(sealClock.sealedTo);
  }

  async #takeLight(state: StoredState): Promise<boolean> {
    const { db, clock } = this.#options;
    const everyMs = Math.max(LIGHT_EVERY_MS, this.#lightTookMs * LIGHT_SHARE);
    if (state.lightAt !== null && clock.now() - state.lightAt.getTime() < everyMs) return false;
    const taken = await TAKE_LIGHT.rows(db, [new Date(clock.now()), state.lightAt]);
    return taken.length > 0;
  }

  async #light(): Promise<void> {
    const { db, clock, randomBytes } = this.#options;
    const began = clock.monotonicMs();
    const startedAt = new Date(clock.now());
    const results = await db.report((tx) => askChecks(tx, LIGHT_CHECKS, OPEN_ROWS_AND_ORDERS), {
      for: 'job',
      snapshot: true,
    });
    this.#lightTookMs = clock.monotonicMs() - began;
    const id = makeId('prf', clock.now(), randomBytes);
    const failing = failingOf(results, id);
    await db.transaction(async (tx) => {
      await noteLight(tx, failing);
      if (failing.length > 0)
        await INSERT_LIGHT_RUN.run(tx, [id, this.#holder, startedAt, new Date(clock.now()), JSON.stringify(results)]);
    });
    this.#forget();
  }
}
