/** Batches as their owners see them: created, listed, cancelled, deleted. batch-runner.ts runs them. */
import type { Clock } from '../core/clock.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import type { Background } from '../platform/background.ts';
import { tellChange } from '../platform/changes.ts';
import { type Database, lockUntilCommit } from '../platform/db/index.ts';
import {
  type Batch,
  type BatchQuestion,
  beginCancelling,
  deleteBatch,
  findBatch,
  insertBatch,
  purgeBatches,
  selectBatches,
  unfinishedOf,
} from './batch-rows.ts';
import type { StoredFile } from './file-rows.ts';
import { INPUT_PURPOSE, isKept, OUTPUT_PURPOSE } from './file-rows.ts';
import type { StoredFiles } from './files.ts';
import type { BatchDialect } from './read-line.ts';
import { batchReasons } from './reasons.ts';
import { anthropicResults, ERROR_STATES, OUTPUT_STATES, openaiResults } from './results.ts';

export const BATCH_TOPIC = 'batch';
const WINDOW_MS = 24 * 3_600_000;
const PURGE_MS = 60_000;
/** OpenAI keeps the files of batches for the same time. */
export const KEPT_SECONDS = 30 * 24 * 3_600;

export interface BatchOrder {
  accountId: string;
  keyId: string;
  dialect: BatchDialect;
  endpoint: string;
  inputFileId: string;
  metadata: Record<string, string> | null;
  pricePercent: number;
  keepSeconds?: number | undefined;
}

export interface BatchesOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  background: Background;
  files: StoredFiles;
  bounds: { batchesPerAccount: number };
}

export class Batches {
  readonly #options: BatchesOptions;
  readonly files: StoredFiles;

  constructor(options: BatchesOptions) {
    this.#options = options;
    this.files = options.files;
    const { background, db, clock } = options;
    background.every(PURGE_MS, 'batches', () => purgeBatches(db, new Date(clock.now())));
  }

  async create(order: BatchOrder): Promise<Batch> {
    const { db, clock, randomBytes } = this.#options;
    const { accountId, dialect, keepSeconds = KEPT_SECONDS } = order;
    if (dialect === 'openai') await this.#checkInput(accountId, order.inputFileId);
    const now = clock.now();
    const id = makeId(dialect === 'openai' ? 'batch' : 'msgbatch', now, randomBytes);
    return db.transaction(async (tx) => {
      await lockUntilCommit(tx, `batches:${accountId}`);
      await this.#checkCount(accountId, tx);
      const times = { createdAt: new Date(now), expiresAt: new Date(now + WINDOW_MS) };
      const batch = await insertBatch(tx, { ...order, id, keepSeconds, ...times });
      await db.publish(tx, BATCH_TOPIC, id);
      await tellChange(db, tx, accountId, { what: 'batches', id });
      return batch;
    });
  }

  /** Also called before a large body is read. */
  async checkRoom(accountId: string): Promise<void> {
    await this.#checkCount(accountId, this.#options.db);
  }

  find(accountId: string, id: string, dialect?: BatchDialect): Promise<Batch | undefined> {
    return findBatch(this.#options.db, accountId, id, dialect);
  }

  async list(accountId: string, question: BatchQuestion): Promise<{ batches: Batch[]; more: boolean }> {
    const found = await selectBatches(this.#options.db, accountId, question);
    const batches = found.slice(0, question.limit);
    if (question.before !== undefined) batches.reverse();
    return { batches, more: found.length > question.limit };
  }

  /** Returns a batch that has already ended as it is; undefined when the account has no such batch. */
  async cancel(accountId: string, id: string, dialect?: BatchDialect): Promise<Batch | undefined> {
    const { db, clock } = this.#options;
    if (!(await this.find(accountId, id, dialect))) return undefined;
    const cancelling = await db.transaction(async (tx) => {
      const batch = await beginCancelling(tx, accountId, id, new Date(clock.now()));
      if (batch) await db.publish(tx, BATCH_TOPIC, id);
      if (batch) await tellChange(db, tx, accountId, { what: 'batches', id });
      return batch;
    });
    return cancelling ?? this.find(accountId, id, dialect);
  }

  /** Deletes a batch that has ended. */
  async remove(accountId: string, id: string, dialect: BatchDialect): Promise<boolean> {
    const batch = await this.find(accountId, id, dialect);
    if (!batch) return false;
    if (batch.endedAt === null) throw new GatewayError('conflict', { reason: batchReasons.notEnded });
    return this.#options.db.transaction((tx) => deleteBatch(tx, accountId, id));
  }

  results({ id, endedAt }: Batch): AsyncGenerator<Uint8Array> {
    if (endedAt === null) throw new GatewayError('conflict', { reason: batchReasons.notEnded });
    return anthropicResults(this.#options.db, id);
  }

  content({ id, batchId, purpose }: StoredFile): AsyncGenerator<Uint8Array> {
    if (batchId === null) return this.files.read(id);
    return openaiResults(this.#options.db, batchId, purpose === OUTPUT_PURPOSE ? OUTPUT_STATES : ERROR_STATES);
  }

  /** The results of any kind of batch; undefined when it has no such file, or no longer has it. */
  async download(batch: Batch, file: string): Promise<AsyncGenerator<Uint8Array> | undefined> {
    const { id, accountId, inputFileId, outputFileId, errorFileId, dialect } = batch;
    const fileId = { input: inputFileId, output: outputFileId, errors: errorFileId }[file];
    if (!fileId || !(await isKept(this.#options.db, accountId, fileId))) return undefined;
    if (file === 'input') return this.files.read(fileId);
    if (dialect === 'anthropic') return this.results(batch);
    return openaiResults(this.#options.db, id, file === 'output' ? OUTPUT_STATES : ERROR_STATES);
  }

  async #checkInput(accountId: string, id: string): Promise<void> {
    const file = await this.files.find(accountId, id);
    if (file?.purpose !== INPUT_PURPOSE) throw invalidRequest('input_file_id', batchReasons.noSuchFile);
  }

  async #checkCount(accountId: string, db: Parameters<typeof unfinishedOf>[0]): Promise<void> {
    const { batchesPerAccount: limit } = this.#options.bounds;
    if ((await unfinishedOf(db, accountId)) < limit) return;
    throw new GatewayError('rate_limited', {
      reason: batchReasons.tooManyBatches(limit),
      retryAfterMs: 60_000,
      shouldRetry: false,
      detail: { limit: 'batches', limit_value: limit },
    });
  }
}
