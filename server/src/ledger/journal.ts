/**
 * The journal connects the request path to the books without putting the database on the path. All records of one turn
 * of the event loop are written by one system call at the turn's end, and synced to disk on an interval. Closed records
 * also wait in memory for the poster, and are dropped from memory when it has posted them.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import { ZERO } from '../core/money.ts';
import { lockDataDirectory } from '../platform/db/data-lock.ts';
import type { Log } from '../platform/log.ts';
import { encodeRecord, type StartRecord, type WrittenRequest } from '../requestlog/index.ts';
import { type DeadLetter, DeadLetterFile } from './dead-letters.ts';
import { type Deferred, deferred } from './deferred.ts';
import { afterLines, bodyOf, seal, unsealed } from './journal-lines.ts';
import { createSegment, type Segment } from './journal-segment.ts';
import type { JournalHealth, JournalReader } from './journal-views.ts';
import type { Journal } from './ledger.ts';
import { type Recovery, recoverJournal } from './recover.ts';
import { type OpenedRecord, RunningStartRecords } from './running-start-records.ts';
import { SegmentChain } from './segment-chain.ts';
import { JournalUnavailable, StalledCloses } from './stalled-closes.ts';
import {
  type BatchPosition,
  type ClosedLine,
  heldBudgets,
  type WaitingBatch,
  WaitingBatches,
} from './waiting-batches.ts';

export interface JournalOptions {
  /** Its own folder; a lock file in it keeps other processes out. */
  folder: string;
  clock: Clock;
  log: Log;
  segmentBytes?: number;
  /** How many requests are posted at once. */
  batchSize?: number;
  syncIntervalMs?: number;
  /** Beyond either limit new requests are refused, because what waits must fit into memory. */
  maxUnposted?: number;
  maxUnpostedBytes?: number;
  /** How long a request waits for a disk that refuses its closing. */
  timeoutMs?: number;
  /** Makes the segments; a test passes one whose disk fills up. */
  createSegment?: typeof createSegment;
}

const DEFAULTS = {
  segmentBytes: 64 << 20,
  batchSize: 900,
  syncIntervalMs: 100,
  maxUnposted: 200_000,
  maxUnpostedBytes: 256 << 20,
  timeoutMs: 5_000,
  createSegment,
};
const SCRATCH_BYTES = 256 << 10;
/** How often a full disk is tried again. */
const RETRY_MS = 250;

/** What one turn of the event loop writes. */
interface Turn {
  /** Lines about start records and about what was posted. */
  lines: string[];
  opened: OpenedRecord[];
  closed: ClosedLine[];
  opening: Deferred;
  closing: Deferred;
}

export async function openJournal(options: JournalOptions): Promise<FileJournal> {
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  const unlock = await lockDataDirectory(join(options.folder, 'lock'));
  try {
    const deadLetters = new DeadLetterFile(options.folder);
    await deadLetters.recount();
    return new FileJournal(options, await recoverJournal(options.folder), deadLetters, unlock);
  } catch (error) {
    await unlock();
    throw error;
  }
}

export class FileJournal implements Journal, JournalReader {
  readonly recovery: Pick<Recovery, 'killed' | 'damaged' | 'torn'> & { records: number };
  readonly #options: Required<JournalOptions>;
  readonly #unlock: () => Promise<void>;
  readonly #waiting: WaitingBatches;
  readonly #running: RunningStartRecords;
  readonly #stalled: StalledCloses;
  readonly #chain: SegmentChain;
  /** Holds the bytes of one turn, which are written and copied before the turn ends. */
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  #turn: Turn | undefined;
  readonly #addDeadLetter: DeadLetterFile;
  #failing = false;
  #ended = false;
  #retryTimer: NodeJS.Timeout | undefined;

  constructor(options: JournalOptions, recovery: Recovery, addDeadLetter: DeadLetterFile, unlock: () => Promise<void>) {
    this.#addDeadLetter = addDeadLetter;
    this.#options = { ...DEFAULTS, ...options };
    this.#unlock = unlock;
    this.#waiting = new WaitingBatches(this.#options.batchSize);
    this.#running = new RunningStartRecords(options.clock);
    this.#stalled = new StalledCloses(this.#options.timeoutMs);
    const { records, killed, damaged, torn, segments } = recovery;
    this.recovery = { records: records.length, killed, damaged, torn };
    if (torn > 0)
      options.log.warn(
        { torn },
        'the journal ends in a line that was cut off while it was written: the charge of one request may be missing per such line',
      );
    if (damaged > 0) options.log.error({ damaged }, 'the journal has unreadable lines: the disk lost records');
    this.#waiting.takeOver(records);
    this.#chain = new SegmentChain(this.#options, segments, this.#running);
  }

  open(startRecord: StartRecord): Promise<void> {
    if (this.#failing || this.#ended) return Promise.reject(new JournalUnavailable('the journal cannot write'));
    const text = encodeRecord(startRecord);
    const turn = this.#thisTurn();
    turn.lines.push(unsealed('O', text));
    turn.opened.push(this.#running.add(startRecord.id, text));
    return turn.opening.promise;
  }

  close(record: WrittenRequest): Promise<void> {
    if (this.#ended) return Promise.reject(new JournalUnavailable('the journal is closed'));
    const text = encodeRecord(record);
    const turn = this.#thisTurn();
    const budgets = heldBudgets(record);
    turn.closed.push({ id: record.id, line: unsealed('C', text), cost: record.cost ?? ZERO, budgets });
    return turn.closing.promise;
  }

  depth(): number {
    return this.#waiting.count + (this.#turn?.closed.length ?? 0);
  }

  accepting(): boolean {
    const { maxUnposted, maxUnpostedBytes } = this.#options;
    return !this.#failing && !this.#ended && this.depth() < maxUnposted && this.#waiting.bytes < maxUnpostedBytes;
  }

  health(): JournalHealth {
    return {
      writing: !this.#failing && !this.#ended,
      depth: this.depth(),
      bytes: this.#waiting.bytes,
      running: this.#running.size,
      segments: this.#chain.length,
      deadLetters: this.#addDeadLetter.count,
    };
  }

  lookup(id: string): string | undefined {
    const closing = this.#turn?.closed.find((each) => each.id === id);
    if (closing) return bodyOf(Buffer.from(closing.line));
    return this.#waiting.find(id) ?? this.#running.find(id)?.text;
  }

  oldest(): WaitingBatch | undefined {
    return this.#waiting.oldest();
  }

  behind(): boolean {
    return this.#waiting.behind;
  }

  longRunning(olderThanMs: number, limit: number): OpenedRecord[] {
    return this.#running.takeLong(olderThanMs, limit);
  }

  addDeadLetter(line: Buffer, reason: string): void {
    this.#addDeadLetter.add(line, reason, new Date(this.#options.clock.now()));
  }

  deadLetters(): Promise<DeadLetter[]> {
    return this.#addDeadLetter.all();
  }

  posted(batch: WaitingBatch): void {
    if (batch !== this.#waiting.oldest()) throw new Error('only the oldest batch can have been posted');
    const line = this.#chain.markPosted(batch);
    this.#waiting.dropOldest();
    this.#stalled.releasePosted();
    if (line !== undefined && !this.#ended) this.#thisTurn().lines.push(line);
  }

  /** Writes and syncs everything; an emptied journal leaves no file. */
  async shutdown(): Promise<void> {
    if (this.#ended) return;
    this.#flush();
    this.#ended = true;
    clearTimeout(this.#retryTimer);
    await this.#chain.end(this.#waiting.count === 0 && this.#running.size === 0);
    await this.#unlock();
  }

  #thisTurn(): Turn {
    if (this.#turn) return this.#turn;
    this.#turn = { lines: [], opened: [], closed: [], opening: deferred(), closing: deferred() };
    setImmediate(() => this.#flush());
    return this.#turn;
  }

  #flush(): void {
    const turn = this.#turn;
    if (!turn) return;
    this.#turn = undefined;
    const { opened, closed, opening, closing } = turn;
    const lines = seal(turn.lines.concat(closed.map((each) => each.line)), this.#scratch);
    const closedLines = lines.subarray(afterLines(lines, 0, turn.lines.length));
    const position: BatchPosition = { segment: undefined, known: false };
    try {
      if (this.#failing) throw new JournalUnavailable('waiting for the disk');
      position.segment = this.#chain.append(lines);
    } catch (error) {
      for (const { id } of opened) this.#running.remove(id);
      position.known = this.#endRunning(closed);
      opening.reject(new JournalUnavailable('the journal cannot write', { cause: error }));
      this.#stalled.add(this.#waiting.add(closedLines, closed, position), closing, error);
      this.#refused(error);
      return;
    }
    this.#chain.noteOpened(opened);
    position.known = this.#endRunning(closed);
    this.#waiting.add(closedLines, closed, position);
    position.segment.unposted += closed.length;
    if (this.#options.syncIntervalMs === 0) this.#resolveWhenOnDisk(turn);
    else {
      opening.resolve();
      closing.resolve();
    }
    this.#chain.rotateWhenFull();
  }

  /**
   * Acknowledges the lines once the disk has them. If the sync fails they are not acknowledged, but they stay and are posted all
   * the same.
   */
  #resolveWhenOnDisk({ opening, closing }: Turn): void {
    this.#chain.synced().then(
      () => {
        opening.resolve();
        closing.resolve();
      },
      (cause: unknown) => {
        const failure = new JournalUnavailable('the journal cannot sync', { cause });
        opening.reject(failure);
        closing.reject(failure);
        this.#options.log.error({ err: cause }, 'the journal cannot sync: what it wrote may be lost in a power cut');
      },
    );
  }

  /** True when the database may already have a row of one of them. */
  #endRunning(closed: readonly ClosedLine[]): boolean {
    let known = false;
    for (const { id } of closed) if (this.#running.remove(id)?.announced) known = true;
    return known;
  }

  #refused(error: unknown): void {
    if (this.#failing) return;
    this.#failing = true;
    this.#options.log.error({ err: error }, 'the journal cannot write: new requests are refused');
    this.#retryLater();
  }

  #retryLater(): void {
    this.#retryTimer = setTimeout(() => {
      const batches = this.#stalled.batches();
      let segment: Segment;
      try {
        segment = this.#chain.append(Buffer.concat(batches.map((batch) => batch.lines)));
      } catch {
        this.#retryLater();
        return;
      }
      let written = 0;
      for (const batch of batches) {
        batch.segment = segment;
        segment.unposted += batch.count;
        written += batch.count;
      }
      this.#stalled.release();
      this.#failing = false;
      this.#options.log.info({ written }, 'the journal writes again');
    }, RETRY_MS);
    this.#retryTimer.unref();
  }
}
