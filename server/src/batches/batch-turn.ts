/**
 * One turn of one batch on one replica. Its lines are sent, a few at a time, until all are answered, the batch's time
 * is over, somebody cancels it, it must wait, or other batches wait for their turn. The id of a line's request is
 * stored before the request runs. When a process dies between an answer and its storing, the line is sent again under
 * the same id, and the books accept a charge once per id (ADR 0072).
 */
import { makeId } from '../core/ids.ts';
import { isJsonObject } from '../core/json.ts';
import { tellChange } from '../platform/changes.ts';
import { isUnreachable } from '../platform/db/index.ts';
import { othersWait } from './batch-lease-rows.ts';
import { type Batch, type BatchState, beginRunning, endBatch } from './batch-rows.ts';
import { HIDDEN_RESULTS, insertFile, OUTPUT_PURPOSE } from './file-rows.ts';
import type { LastChunk } from './files.ts';
import { endLine, endWaiting, type LineEnd, noteRequest, type WaitingLine, waitingLines } from './line-rows.ts';
import { type BatchDialect, readBatchLine } from './read-line.ts';
import { anthropicResults, bytesOf, ERROR_STATES, OUTPUT_STATES, openaiResults, usageOfBody } from './results.ts';
import type { LineAnswer, TurnTools } from './turn-tools.ts';
import { validateBatch } from './validate-batch.ts';

/** Thrown when the batch belongs to another replica by now, or no longer exists. */
export class BatchLost extends Error {}

const LINES_AT_A_TIME = 32;
const MAX_TRIES = 3;
const SLICE_MS = 30_000;
const STORE_TRIES = 5;

interface TriedLine extends WaitingLine {
  tries: number;
}

export class BatchTurn {
  /** The batch as the last heartbeat read it. */
  batch: Batch;
  readonly #holder: string;
  readonly #tools: TurnTools;
  readonly #signal: AbortSignal;
  readonly #running = new Set<Promise<void>>();
  #queue: TriedLine[] = [];
  #retries: TriedLine[] = [];
  #cursor = -1;
  /** Kept between lines, because one chunk holds hundreds of them. */
  readonly #lastChunk: LastChunk = {};
  #areAllRead = false;
  /** True once money was short: from then on one line runs at a time. */
  #oneAtATime = false;
  #waitMs = 0;
  #failure: unknown;

  constructor(batch: Batch, holder: string, tools: TurnTools, signal: AbortSignal) {
    this.batch = batch;
    this.#holder = holder;
    this.#tools = tools;
    this.#signal = signal;
  }

  /** Returns how long the batch should wait for its next turn, or undefined when it has ended. */
  async run(): Promise<number | undefined> {
    if (this.batch.state === 'validating' && !(await this.#validate())) return undefined;
    const startedMs = this.#tools.clock.monotonicMs();
    let checkedMs = startedMs;
    try {
      while (this.#mayContinue() && (await this.#startNext())) {
        const nowMs = this.#tools.clock.monotonicMs();
        if (nowMs - startedMs < SLICE_MS || nowMs - checkedMs < SLICE_MS) continue;
        checkedMs = nowMs;
        if (await othersWait(this.#tools.db, this.batch.id)) break;
      }
    } finally {
      await Promise.all(this.#running);
    }
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#signal.aborted) throw new BatchLost();
    return this.#afterTheTurn();
  }

  async #afterTheTurn(): Promise<number | undefined> {
    const { state } = this.batch;
    const left = this.#queue.length > 0 || this.#retries.length > 0 || !this.#areAllRead;
    if (state === 'cancelling') await this.#end('cancelled');
    else if (!left) await this.#end('completed');
    else if (this.#isOver()) await this.#end('expired');
    else return this.#waitMs;
    return undefined;
  }

  #isOver(): boolean {
    return this.#tools.clock.now() >= this.batch.expiresAt.getTime();
  }

  #mayContinue(): boolean {
    return (
      !this.#signal.aborted &&
      this.#failure === undefined &&
      this.#waitMs === 0 &&
      this.batch.state !== 'cancelling' &&
      !this.#isOver()
    );
  }

  /** False when every line is answered. */
  async #startNext(): Promise<boolean> {
    if (this.#oneAtATime && this.#running.size > 0) {
      await Promise.race(this.#running);
      return true;
    }
    const line = await this.#next();
    if (!line) {
      if (this.#running.size === 0) return false;
      await Promise.race(this.#running);
      return true;
    }
    const leave = await this.#tools.permits.enter(this.#signal);
    if (!leave || !this.#mayContinue()) {
      leave?.();
      this.#retries.unshift(line);
      return true;
    }
    const running = this.#ask(line)
      .catch((error: unknown) => {
        this.#failure ??= error;
      })
      .finally(() => {
        leave();
        this.#running.delete(running);
      });
    this.#running.add(running);
    return true;
  }

  async #next(): Promise<TriedLine | undefined> {
    if (this.#queue.length === 0 && !this.#areAllRead) {
      const lines = await waitingLines(this.#tools.db, this.batch.id, this.#cursor, LINES_AT_A_TIME);
      this.#queue = lines.map((line) => ({ ...line, tries: 0 }));
      this.#cursor = lines.at(-1)?.line ?? this.#cursor;
      this.#areAllRead = lines.length < LINES_AT_A_TIME;
    }
    return this.#queue.shift() ?? this.#retries.shift();
  }

  async #ask(line: TriedLine): Promise<void> {
    const { db, ask, room } = this.#tools;
    const { id: batchId, accountId, dialect, endpoint, keyId, pricePercent } = this.batch;
    const release = await room(accountId, line.length);
    try {
      const body = await this.#bodyOf(line, dialect, endpoint);
      const requestId = await this.#requestIdOf(line);
      if (!(await noteRequest(db, batchId, this.#holder, line.line, requestId))) throw new BatchLost();
      line.requestId = requestId;
      const answer = await ask({ batchId, keyId, endpoint, pricePercent, requestId, body });
      await this.#handleAnswer(line, requestId, answer);
    } finally {
      release();
    }
  }

  async #handleAnswer(line: TriedLine, requestId: string, answer: LineAnswer): Promise<void> {
    if (answer.kind === 'later') {
      this.#waitMs = Math.max(this.#waitMs, answer.afterMs, 1);
      this.#retries.push(line);
      return;
    }
    if (answer.kind === 'no-money' && this.#running.size > 1) {
      // The running lines may hold more than they will cost, so this line is tried again when they have ended.
      this.#oneAtATime = true;
      this.#retries.push(line);
      return;
    }
    const { status, body } = answer;
    if (status >= 500 && ++line.tries < MAX_TRIES) {
      line.requestId = null;
      this.#retries.push(line);
      return;
    }
    if (answer.kind === 'no-money') answer.record();
    const cost = answer.kind === 'answered' ? answer.cost : 0n;
    await this.#store({
      line: line.line,
      state: status < 400 ? 'succeeded' : 'failed',
      requestId,
      status,
      body: Buffer.from(body),
      ...usageOfBody(body),
      cost: String(cost),
    });
  }

  /** Storing is tried again, so that a short failure of the database does not cost a second request. */
  async #store(end: LineEnd): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await endLine(this.#tools.db, this.batch.id, end);
        return;
      } catch (error) {
        if (!isUnreachable(error) || tries >= STORE_TRIES || this.#signal.aborted) throw error;
        await new Promise((resolve) => setTimeout(resolve, 200 * 2 ** tries).unref());
      }
    }
  }

  async #bodyOf(line: WaitingLine, dialect: BatchDialect, endpoint: string): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    const { files } = this.#tools;
    for await (const piece of files.read(this.batch.inputFileId, line.position, line.length, this.#lastChunk))
      pieces.push(piece);
    const { body } = readBatchLine(Buffer.concat(pieces), dialect, endpoint);
    return Buffer.from(JSON.stringify(isJsonObject(body) ? body : {}));
  }

  /**
   * Uses the id of a request that was begun again, so that the books charge it only once. A new id is made only where
   * the old request is known to have ended without a charge, because an answer under the old id would be free.
   */
  async #requestIdOf(line: TriedLine): Promise<string> {
    const { clock, randomBytes, begun } = this.#tools;
    if (line.requestId !== null && (await begun(line.requestId)) !== 'free') return line.requestId;
    return makeId('req', clock.now(), randomBytes);
  }

  /** False when the file was refused or the batch was cancelled meanwhile. */
  async #validate(): Promise<boolean> {
    const { db, files, clock, room } = this.#tools;
    const checkRunning = () => {
      if (this.#signal.aborted) throw new BatchLost();
    };
    const tools = { db, files, room, checkRunning, ...this.#tools.bounds() };
    const { errors, total, model } = await validateBatch(this.batch, tools);
    if (errors.length > 0) {
      await endBatch(db, this.batch.id, this.#holder, { state: 'failed', errors, now: new Date(clock.now()) });
      await this.#notifyPages();
      return false;
    }
    const begun = await beginRunning(db, this.batch.id, this.#holder, total, model, new Date(clock.now()));
    await this.#notifyPages();
    this.batch = { ...this.batch, total, model, state: begun ? 'in_progress' : 'cancelling' };
    return true;
  }

  async #end(state: BatchState): Promise<void> {
    const { db, clock } = this.#tools;
    const { id, dialect } = this.batch;
    const now = new Date(clock.now());
    if (state === 'cancelled' || state === 'expired') await endWaiting(db, id, state);
    const output =
      dialect === 'openai'
        ? await bytesOf(openaiResults(db, id, OUTPUT_STATES))
        : await bytesOf(anthropicResults(db, id));
    const errors = dialect === 'openai' ? await bytesOf(openaiResults(db, id, ERROR_STATES)) : 0;
    await db.transaction(async (tx) => {
      const purpose = dialect === 'openai' ? OUTPUT_PURPOSE : HIDDEN_RESULTS;
      const outputFileId = output > 0 ? this.#fileId(now) : null;
      const errorFileId = errors > 0 ? this.#fileId(now) : null;
      if (!(await endBatch(tx, id, this.#holder, { state, outputFileId, errorFileId, now }))) throw new BatchLost();
      if (outputFileId) await insertFile(tx, this.#resultFile(outputFileId, purpose, 'output', output, now), 'kept');
      if (errorFileId) await insertFile(tx, this.#resultFile(errorFileId, 'batch_error', 'error', errors, now), 'kept');
    });
    await this.#notifyPages();
  }

  /** Tells open pages of the console that the batch has changed. */
  #notifyPages(): Promise<void> {
    const { db } = this.#tools;
    const { id, accountId } = this.batch;
    return tellChange(db, db, accountId, { what: 'batches', id });
  }

  #fileId(now: Date): string {
    return makeId('file', now.getTime(), this.#tools.randomBytes);
  }

  #resultFile(id: string, purpose: string, suffix: string, bytes: number, now: Date) {
    const { id: batchId, accountId, keepSeconds } = this.batch;
    const expiresAt = new Date(now.getTime() + keepSeconds * 1_000);
    return { id, accountId, purpose, name: `${batchId}_${suffix}.jsonl`, bytes, batchId, createdAt: now, expiresAt };
  }
}
