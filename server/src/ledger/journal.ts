/**
 * The journal: what joins the request path to the books without putting the database on the path.
 *
 * All records of one turn of the event loop are written by one system call, at the turn's end, and synced to disk on an
 * interval. Closed records also wait in memory for the poster, and are forgotten when it has posted them.
 */
import { appendFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import { ZERO } from '../core/money.ts';
import { lockDataDirectory } from '../platform/db/data-lock.ts';
import type { Log } from '../platform/log.ts';
import { encodeOpening, encodeRecord, idOf, type RequestOpening, type RequestRecord } from '../requestlog/index.ts';
import { type Deferred, deferred } from './deferred.ts';
import { unsealed, writeLine } from './journal-lines.ts';
import { createSegment } from './journal-segment.ts';
import type { Journal } from './ledger.ts';
import { type ClosedEntry, entryOf, RecordQueue } from './record-queue.ts';
import { type Recovery, recoverJournal } from './recover.ts';
import { type Opened, RunningOpenings } from './running-openings.ts';
import { SegmentChain } from './segment-chain.ts';
import { JournalUnavailable, StalledCloses } from './stalled-closes.ts';

export interface JournalOptions {
  /** Its own folder; a lock file in it keeps other processes out. */
  folder: string;
  clock: Clock;
  log: Log;
  segmentBytes?: number;
  syncIntervalMs?: number;
  /** Beyond either bound new requests are refused: what waits must fit into memory. */
  maxUnposted?: number;
  maxUnpostedBytes?: number;
  /** How long a request waits for a disk that refuses its closing. */
  patienceMs?: number;
  /** Where segments come from; a test hands in a disk that fills up. */
  createSegment?: typeof createSegment;
}

/** What the poster and the request log see of the journal. */
export interface JournalReader {
  /** The oldest closed records that are not posted. */
  peek(limit: number): ClosedEntry[];
  /** The oldest `count` records are in the database. */
  posted(count: number): void;
  /** Running longer than this and not yet announced to other replicas. */
  longRunning(olderThanMs: number, limit: number): Opened[];
  /** The text of a request that is running or waits for the database. */
  lookup(id: string): string | undefined;
  /** Keeps a record that the database can never take where an operator finds it. */
  setAside(entry: ClosedEntry): void;
  depth(): number;
}

export interface JournalHealth {
  writing: boolean;
  depth: number;
  bytes: number;
  running: number;
  segments: number;
}

const DEFAULTS = {
  segmentBytes: 64 << 20,
  syncIntervalMs: 100,
  maxUnposted: 200_000,
  maxUnpostedBytes: 256 << 20,
  patienceMs: 5_000,
  createSegment,
};
/** A full disk is asked again this often. */
const RETRY_MS = 250;

/** What one turn of the event loop has to write. */
interface Turn {
  lines: string[];
  opened: Opened[];
  closed: ClosedEntry[];
  opening: Deferred;
  closing: Deferred;
}

export async function openJournal(options: JournalOptions): Promise<FileJournal> {
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  const unlock = await lockDataDirectory(join(options.folder, 'lock'));
  try {
    return new FileJournal(options, await recoverJournal(options.folder), unlock);
  } catch (error) {
    await unlock();
    throw error;
  }
}

export class FileJournal implements Journal, JournalReader {
  readonly recovery: Pick<Recovery, 'killed' | 'damaged' | 'torn'> & { records: number };
  readonly #options: Required<JournalOptions>;
  readonly #unlock: () => Promise<void>;
  readonly #queue = new RecordQueue();
  readonly #running: RunningOpenings;
  readonly #stalled: StalledCloses;
  readonly #chain: SegmentChain;
  #turn: Turn | undefined;
  #failing = false;
  #ended = false;
  #retryTimer: NodeJS.Timeout | undefined;

  constructor(options: JournalOptions, recovery: Recovery, unlock: () => Promise<void>) {
    this.#options = { ...DEFAULTS, ...options };
    this.#unlock = unlock;
    this.#running = new RunningOpenings(options.clock);
    this.#stalled = new StalledCloses(this.#options.patienceMs);
    const { records, killed, damaged, torn, segments } = recovery;
    this.recovery = { records: records.length, killed, damaged, torn };
    if (damaged > 0) options.log.error({ damaged }, 'the journal has unreadable lines: the disk lost records');
    for (const { text, segment } of records) {
      this.#queue.push({ id: idOf(text), text, cost: ZERO, budgets: [], known: true, segment, posted: false });
    }
    this.#chain = new SegmentChain(this.#options, segments, this.#running);
  }

  open(opening: RequestOpening): Promise<void> {
    if (this.#failing || this.#ended) return Promise.reject(new JournalUnavailable('the journal cannot write'));
    const text = encodeOpening(opening);
    const turn = this.#thisTurn();
    turn.lines.push(unsealed('O', text));
    turn.opened.push(this.#running.add(opening.id, text));
    return turn.opening.promise;
  }

  close(record: RequestRecord): Promise<void> {
    if (this.#ended) return Promise.reject(new JournalUnavailable('the journal is closed'));
    const text = encodeRecord(record);
    const turn = this.#thisTurn();
    turn.lines.push(unsealed('C', text));
    turn.closed.push(entryOf(record, text));
    return turn.closing.promise;
  }

  depth(): number {
    return this.#queue.length + (this.#turn?.closed.length ?? 0);
  }

  accepting(): boolean {
    const { maxUnposted, maxUnpostedBytes } = this.#options;
    return !this.#failing && !this.#ended && this.depth() < maxUnposted && this.#queue.bytes < maxUnpostedBytes;
  }

  health(): JournalHealth {
    return {
      writing: !this.#failing && !this.#ended,
      depth: this.depth(),
      bytes: this.#queue.bytes,
      running: this.#running.size,
      segments: this.#chain.length,
    };
  }

  lookup(id: string): string | undefined {
    const waiting = this.#queue.find(id) ?? this.#turn?.closed.find((entry) => entry.id === id);
    return waiting?.text ?? this.#running.find(id)?.text;
  }

  peek(limit: number): ClosedEntry[] {
    return this.#queue.peek(limit);
  }

  longRunning(olderThanMs: number, limit: number): Opened[] {
    return this.#running.takeLong(olderThanMs, limit);
  }

  setAside(entry: ClosedEntry): void {
    appendFileSync(join(this.#options.folder, 'rejected.lines'), writeLine('C', entry.text), { mode: 0o600 });
  }

  posted(count: number): void {
    const entries = this.#queue.drop(count);
    for (const entry of entries) entry.posted = true;
    this.#stalled.releasePosted();
    const lines = this.#chain.markPosted(entries);
    if (lines.length > 0 && !this.#ended) this.#thisTurn().lines.push(...lines);
  }

  /** Writes and syncs what there is; an emptied journal leaves no file behind. */
  async shutdown(): Promise<void> {
    if (this.#ended) return;
    this.#flush();
    this.#ended = true;
    clearTimeout(this.#retryTimer);
    await this.#chain.end(this.#queue.length === 0 && this.#running.size === 0);
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
    for (const entry of turn.closed) this.#queue.push(entry);
    try {
      if (this.#failing) throw new JournalUnavailable('waiting for the disk');
      this.#chain.append(turn.lines);
    } catch (error) {
      this.#refused(turn, error);
      return;
    }
    this.#chain.placeOpened(turn.opened);
    this.#endRunning(turn.closed);
    this.#chain.placeClosed(turn.closed);
    turn.opening.resolve();
    turn.closing.resolve();
    this.#chain.rotateWhenFull();
  }

  #endRunning(closed: readonly ClosedEntry[]): void {
    for (const entry of closed) if (this.#running.remove(entry.id)?.announced) entry.known = true;
  }

  #refused(turn: Turn, error: unknown): void {
    for (const { id } of turn.opened) this.#running.remove(id);
    this.#endRunning(turn.closed);
    turn.opening.reject(new JournalUnavailable('the journal cannot write', { cause: error }));
    this.#stalled.add(turn.closed, turn.closing, error);
    if (this.#failing) return;
    this.#failing = true;
    this.#options.log.error({ err: error }, 'the journal cannot write: new requests are refused');
    this.#retryLater();
  }

  #retryLater(): void {
    this.#retryTimer = setTimeout(() => {
      const waiting = this.#stalled.entries();
      try {
        this.#chain.append(waiting.map((entry) => unsealed('C', entry.text)));
      } catch {
        this.#retryLater();
        return;
      }
      this.#chain.placeClosed(waiting);
      this.#stalled.release();
      this.#failing = false;
      this.#options.log.info({ written: waiting.length }, 'the journal writes again');
    }, RETRY_MS);
    this.#retryTimer.unref();
  }
}
