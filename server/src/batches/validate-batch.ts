/**
 * Before a batch runs, its file is read once from the first line to the last: either all of its lines can be sent, or
 * none is.
 */
import { createHash } from 'node:crypto';
import type { Database } from '../platform/db/index.ts';
import type { Batch, BatchError } from './batch-rows.ts';
import type { StoredFiles } from './files.ts';
import { deleteLines, insertBatchLines, type UnaskedLine } from './line-rows.ts';
import { LineRefused, type LineRequest, readBatchLine } from './read-line.ts';
import { batchReasons } from './reasons.ts';
import { splitLines } from './split-lines.ts';

/** A longer list of errors would help nobody. */
const MAX_ERRORS = 50;
const LINES_PER_STATEMENT = 500;

export interface ValidationTools {
  db: Database;
  files: StoredFiles;
  maxLines: number;
  maxLineBytes: number;
  /** Waits until so many bytes of memory are free and reserves them; the returned function releases them. */
  room(accountId: string, bytes: number): Promise<() => void>;
  /** Throws when the work must end early. */
  checkRunning(): void;
}

export interface Validated {
  errors: BatchError[];
  total: number;
  /** The model, when all lines name the same one. */
  model: string | null;
}

export async function validateBatch(batch: Batch, tools: ValidationTools): Promise<Validated> {
  const { db, files, maxLines, maxLineBytes } = tools;
  // Lines that a dead process had written are deleted and written again.
  await deleteLines(db, batch.id);
  const reading = new Reading(maxLines);
  let waiting: UnaskedLine[] = [];
  const flush = async () => {
    tools.checkRunning();
    if (waiting.length > 0 && reading.errors.length === 0) await insertBatchLines(db, batch.id, waiting);
    waiting = [];
  };
  for await (const { number, position, bytes } of splitLines(files.read(batch.inputFileId), maxLineBytes)) {
    if (bytes === undefined) {
      reading.refuse(number, new LineRefused('line_too_long', batchReasons.lineTooLong(maxLineBytes)));
      break;
    }
    const release = await tools.room(batch.accountId, bytes.length);
    try {
      const request = reading.read(number, () => readBatchLine(bytes, batch.dialect, batch.endpoint));
      if (request) waiting.push({ line: number, customId: request.customId, position, length: bytes.length });
    } finally {
      release();
    }
    if (waiting.length >= LINES_PER_STATEMENT) await flush();
    if (reading.isOver) break;
  }
  await flush();
  if (reading.total === 0 && reading.errors.length === 0)
    reading.refuse(null, new LineRefused('empty_file', batchReasons.noRequests));
  if (reading.errors.length > 0) await deleteLines(db, batch.id);
  return { errors: reading.errors, total: reading.total, model: reading.model };
}

class Reading {
  readonly errors: BatchError[] = [];
  total = 0;
  readonly #maxLines: number;
  /** Short digests, because a million long names would take too much memory. */
  readonly #customIds = new Set<string>();
  readonly #models = new Set<string>();

  constructor(maxLines: number) {
    this.#maxLines = maxLines;
  }

  get isOver(): boolean {
    return this.errors.length >= MAX_ERRORS || this.total > this.#maxLines;
  }

  get model(): string | null {
    const [only] = this.#models;
    return this.#models.size === 1 && only !== undefined ? only : null;
  }

  read(line: number, parse: () => LineRequest): LineRequest | undefined {
    try {
      const request = parse();
      this.#note(request);
      return request;
    } catch (error) {
      if (!(error instanceof LineRefused)) throw error;
      this.refuse(line, error);
      return undefined;
    }
  }

  refuse(line: number | null, { fault }: LineRefused): void {
    this.errors.push({ code: fault.code, line, message: fault.message, param: fault.param });
  }

  #note({ customId, body }: LineRequest): void {
    const id = createHash('sha256').update(customId).digest('base64url').slice(0, 22);
    if (this.#customIds.has(id)) throw new LineRefused('duplicate_custom_id', batchReasons.customIdTwice, 'custom_id');
    this.#customIds.add(id);
    if (this.#models.size < 2 && typeof body['model'] === 'string') this.#models.add(body['model'].slice(0, 128));
    if (++this.total > this.#maxLines)
      throw new LineRefused('too_many_tasks', batchReasons.tooManyLines(this.#maxLines));
  }
}
