/** Takes documents from the queue and ingests them, a few at a time; any number of other replicas do the same. */

import type { Clock } from '../../core/clock.ts';
import { makeId, type RandomBytes } from '../../core/ids.ts';
import type { Background } from '../../platform/background.ts';
import { type QueueWatch, tendTables } from '../../platform/db/index.ts';
import type { Log } from '../../platform/log.ts';
import {
  DOCUMENTS_WAITING,
  failDocument,
  finishJob,
  type Job,
  leaseJob,
  postponeJob,
  releaseAllLeases,
  renewLease,
} from '../store/job-rows.ts';
import { givenUpReason, lastingReason } from './failure-reason.ts';
import { indexNextBase } from './index-bases.ts';
import { type IngestTools, ingestDocument, JobLost } from './ingest-document.ts';

export const JOB_TOPIC = 'knowledge-job';

export interface IngesterOptions extends IngestTools {
  background: Background;
  clock: Clock;
  randomBytes: RandomBytes;
  log: Log;
  parallel: number;
  queues: QueueWatch;
  leaseMs?: number;
}

/** A document that ended this many processes or tries counts as their cause. */
const MAX_ATTEMPTS = 5;
const FIRST_RETRY_MS = 1_000;
/** How often bases with incomplete postings are looked for. */
const INDEX_MS = 5_000;
/** After so many documents the planner's statistics are renewed at once; fewer wait for the regular maintenance. */
const MANY_DOCUMENTS = 32;

export class Ingester {
  readonly #options: IngesterOptions;
  readonly #holder: string;
  readonly #leaseMs: number;
  readonly #stopped = new AbortController();
  #running = 0;
  /** How many documents were read since the tables were last maintained. */
  #read = 0;
  #leasing = false;
  #unsubscribe: () => void = () => undefined;

  constructor(options: IngesterOptions) {
    this.#options = options;
    this.#holder = makeId('ing', options.clock.now(), options.randomBytes);
    this.#leaseMs = options.leaseMs ?? 15_000;
  }

  async start(): Promise<void> {
    const { db, background, queues } = this.#options;
    if (db.kind === 'embedded') await releaseAllLeases(db);
    const wake = () => background.detach(this.#takeMore(), 'knowledge queue');
    this.#unsubscribe = db.subscribe(JOB_TOPIC, wake, wake);
    // The queue is also looked into, because a replica that died announces nothing.
    queues.add({ name: 'knowledge queue', waiting: DOCUMENTS_WAITING, work: () => this.#takeMore() });
    background.every(INDEX_MS, 'knowledge postings', () => this.#indexBases());
    wake();
  }

  /** One step after the other, so that documents and searches can use the database in between. */
  async #indexBases(): Promise<void> {
    while (!this.#stopped.signal.aborted && (await indexNextBase(this.#options.db)));
  }

  /** Stops. Other processes take over running jobs when their lease has run out, or at the next start. */
  stop(): void {
    this.#unsubscribe();
    this.#stopped.abort();
  }

  async #takeMore(): Promise<void> {
    if (this.#leasing) return;
    this.#leasing = true;
    try {
      while (this.#running < this.#options.parallel && !this.#stopped.signal.aborted) {
        const job = await leaseJob(this.#options.db, this.#holder, this.#leaseMs);
        if (!job) {
          await this.#afterTheLast();
          return;
        }
        this.#read++;
        this.#running++;
        const work = this.#work(job).finally(() => {
          this.#running--;
          if (!this.#stopped.signal.aborted) this.#options.background.detach(this.#takeMore(), 'knowledge queue');
        });
        this.#options.background.detach(work, 'knowledge document');
      }
    } finally {
      this.#leasing = false;
    }
  }

  /** Updates the planner's statistics: after many documents in a row, searches would still be planned for an empty base. */
  async #afterTheLast(): Promise<void> {
    if (this.#read < MANY_DOCUMENTS || this.#running > 0) return;
    this.#read = 0;
    await tendTables(this.#options.db);
  }

  async #work(job: Job): Promise<void> {
    const { db, log } = this.#options;
    const lost = new AbortController();
    const signal = AbortSignal.any([lost.signal, this.#stopped.signal]);
    const heartbeat = setInterval(() => {
      renewLease(db, job, this.#holder, this.#leaseMs).then(
        (ours) => ours || lost.abort(new JobLost()),
        (error: unknown) => log.warn({ err: error, documentId: job.documentId }, 'could not renew a lease'),
      );
    }, this.#leaseMs / 3).unref();
    try {
      if (job.attempts > MAX_ATTEMPTS) await this.#fail(job, undefined);
      else await ingestDocument(job, this.#holder, this.#options, signal);
    } catch (error) {
      await this.#afterFailure(job, error, signal);
    } finally {
      clearInterval(heartbeat);
    }
  }

  async #afterFailure(job: Job, error: unknown, signal: AbortSignal): Promise<void> {
    const { db, log } = this.#options;
    if (error instanceof JobLost) return;
    if (signal.aborted) {
      // This is a stop and not a failure: the attempt must not count against the document, and the next process may
      // begin at once.
      if (this.#stopped.signal.aborted) await postponeJob(db, job, this.#holder, 0).catch(() => undefined);
      return;
    }
    const lasting = lastingReason(error);
    log.info(
      { err: error, documentId: job.documentId, attempts: job.attempts, lasting: lasting !== undefined },
      'a document was not ingested',
    );
    if (lasting !== undefined || job.attempts >= MAX_ATTEMPTS) await this.#fail(job, error);
    else await postponeJob(db, job, this.#holder, FIRST_RETRY_MS * 2 ** job.attempts);
  }

  async #fail(job: Job, error: unknown): Promise<void> {
    await this.#options.db.transaction(async (tx) => {
      if (await finishJob(tx, job, this.#holder))
        await failDocument(tx, job, lastingReason(error) ?? givenUpReason(error));
    });
  }
}
