/** Leases batches that nobody works on and gives them turns; other replicas do the same. */
import { makeId } from '../core/ids.ts';
import type { Background } from '../platform/background.ts';
import type { QueueWatch } from '../platform/db/index.ts';
import { BATCHES_WAITING, leaseBatch, releaseAllBatches, releaseBatch, renewBatch } from './batch-lease-rows.ts';
import type { Batch } from './batch-rows.ts';
import { BatchLost, BatchTurn } from './batch-turn.ts';
import { BATCH_TOPIC } from './batches.ts';
import type { TurnTools } from './turn-tools.ts';

export interface BatchRunnerOptions extends TurnTools {
  background: Background;
  queues: QueueWatch;
  leaseMs?: number;
}

/** So many batches may run on this replica at once. Few are enough, because the lines are what costs. */
const MAX_TURNS = 4;
/** After a fault of our own, the batch waits so long for its next turn. */
const FAULT_MS = 5_000;

export class BatchRunner {
  readonly #options: BatchRunnerOptions;
  readonly #holder: string;
  readonly #leaseMs: number;
  readonly #stopped = new AbortController();
  readonly #turns = new Map<string, { beat(): Promise<void>; done: Promise<void> }>();
  #leasing = false;
  #unsubscribe: () => void = () => undefined;

  constructor(options: BatchRunnerOptions) {
    this.#options = options;
    this.#holder = makeId('run', options.clock.now(), options.randomBytes);
    this.#leaseMs = options.leaseMs ?? 15_000;
  }

  async start(): Promise<void> {
    const { db, background, queues } = this.#options;
    if (db.kind === 'embedded') await releaseAllBatches(db);
    const wake = (id = '') => {
      const turn = this.#turns.get(id);
      // The batch may have been cancelled, so a running turn reads its state at once.
      background.detach(turn ? turn.beat() : this.#takeMore(), 'batch queue');
    };
    this.#unsubscribe = db.subscribe(BATCH_TOPIC, wake, wake);
    // The queue is also looked into, because a replica that died announces nothing.
    queues.add({ name: 'batch queue', waiting: BATCHES_WAITING, work: () => this.#takeMore() });
    wake();
  }

  /** Sends no new line and waits for those that run; another process may then continue at once. */
  async stop(): Promise<void> {
    this.#unsubscribe();
    this.#stopped.abort();
    await Promise.all([...this.#turns.values()].map(({ done }) => done));
  }

  async #takeMore(): Promise<void> {
    if (this.#leasing) return;
    this.#leasing = true;
    try {
      while (this.#turns.size < MAX_TURNS && !this.#stopped.signal.aborted) {
        const batch = await leaseBatch(this.#options.db, this.#holder, this.#leaseMs);
        if (!batch) return;
        this.#begin(batch);
      }
    } finally {
      this.#leasing = false;
    }
  }

  #begin(batch: Batch): void {
    const { db, background, log } = this.#options;
    const lost = new AbortController();
    const turn = new BatchTurn(
      batch,
      this.#holder,
      this.#options,
      AbortSignal.any([lost.signal, this.#stopped.signal]),
    );
    const beat = async () => {
      const now = await renewBatch(db, batch.id, this.#holder, this.#leaseMs);
      if (now) turn.batch = now;
      else lost.abort();
    };
    const timer = setInterval(() => {
      beat().catch((error: unknown) => log.warn({ err: error, batchId: batch.id }, 'could not renew a lease'));
    }, this.#leaseMs / 3).unref();
    const done = this.#work(turn, batch.id).finally(() => {
      clearInterval(timer);
      this.#turns.delete(batch.id);
      if (!this.#stopped.signal.aborted) background.detach(this.#takeMore(), 'batch queue');
    });
    this.#turns.set(batch.id, { beat, done });
    background.detach(done, 'batch');
  }

  async #work(turn: BatchTurn, id: string): Promise<void> {
    const { db, log } = this.#options;
    try {
      const waitMs = await turn.run();
      if (waitMs !== undefined) await releaseBatch(db, id, this.#holder, waitMs);
    } catch (error) {
      if (!(error instanceof BatchLost)) log.error({ err: error, batchId: id }, 'a batch could not go on; it waits');
      const waitMs = error instanceof BatchLost ? 0 : FAULT_MS;
      await releaseBatch(db, id, this.#holder, waitMs).catch(() => undefined);
    }
  }
}
