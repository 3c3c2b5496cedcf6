/**
 * The journal's files in their order: the newest is written, the oldest is deleted once all its closed records are in the
 * database. Start records still running in it are carried over into the newest, so that one long request cannot keep the files of
 * an hour.
 */
import type { Log } from '../platform/log.ts';
import { seal, unsealed } from './journal-lines.ts';
import { type createSegment, deleteSegment, type Segment, type SegmentWriter } from './journal-segment.ts';
import type { OpenedRecord, RunningStartRecords } from './running-start-records.ts';
import type { WaitingBatch } from './waiting-batches.ts';

export interface ChainOptions {
  folder: string;
  log: Log;
  segmentBytes: number;
  /** With 0 nothing is acknowledged before it is on disk. */
  syncIntervalMs: number;
  createSegment: typeof createSegment;
}

export class SegmentChain {
  readonly #options: ChainOptions;
  readonly #running: RunningStartRecords;
  readonly #segments: Segment[];
  #current: SegmentWriter;
  #dirty = false;
  #syncTimer: NodeJS.Timeout | undefined;
  #syncing = false;
  #syncFailed = false;
  #ended = false;
  /** Full segments that are not on disk yet, and the sync of each that runs. They stay open until one succeeds. */
  readonly #full = new Map<SegmentWriter, Promise<void> | undefined>();
  #runningSync: Promise<unknown> = Promise.resolve();
  #nextSync: Promise<void> | undefined;

  constructor(options: ChainOptions, recovered: readonly Segment[], running: RunningStartRecords) {
    this.#options = options;
    this.#running = running;
    this.#current = options.createSegment(options.folder, (recovered.at(-1)?.number ?? 0) + 1);
    this.#segments = [...recovered, this.#current];
    this.retire();
  }

  get length(): number {
    return this.#segments.length;
  }

  /** Writes the lines and returns their segment. When the disk refuses, it throws and has written nothing. */
  append(lines: Buffer): Segment {
    this.#current.append(lines);
    this.#dirty = true;
    this.#syncSoon();
    return this.#current;
  }

  /** Notes that these start records are in the segment that was appended to last. */
  noteOpened(opened: readonly OpenedRecord[]): void {
    for (const each of opened) {
      each.segment = this.#current;
      this.#current.running++;
    }
  }

  /**
   * Counts a batch as posted and returns the line that says so. After a crash that line only saves work, because posting is
   * idempotent.
   */
  markPosted({ segment, count }: WaitingBatch): string | undefined {
    if (!segment) return undefined;
    segment.unposted -= count;
    segment.posted += count;
    this.retire();
    return this.#segments.includes(segment) ? unsealed('P', `${segment.number} ${segment.posted}`) : undefined;
  }

  rotateWhenFull(): void {
    const full = this.#current;
    if (full.size() < this.#options.segmentBytes) return;
    try {
      this.#current = this.#options.createSegment(this.#options.folder, full.number + 1);
    } catch (error) {
      this.#options.log.error({ err: error }, 'the journal cannot begin a new segment');
      return;
    }
    this.#segments.push(this.#current);
    this.#full.set(full, undefined);
    this.#syncFull(full).catch((error: unknown) => {
      this.#noteFailed(error);
      this.#syncSoon();
    });
    this.retire();
  }

  /** Deletes segments from the oldest on, because a closing must never be deleted before its start record. */
  retire(): void {
    for (let oldest = this.#segments[0]; oldest && oldest !== this.#current; oldest = this.#segments[0]) {
      if (oldest.unposted > 0) return;
      const carried = this.#running.inSegment(oldest);
      try {
        if (carried.length > 0) this.append(seal(carried.map((opened) => unsealed('O', opened.text))));
        this.noteOpened(carried);
        deleteSegment(this.#options.folder, oldest.number);
      } catch (error) {
        this.#options.log.error({ err: error }, 'the journal cannot delete a posted segment');
        return;
      }
      this.#segments.shift();
    }
  }

  /** Syncs and closes; with nothing left to post, it also deletes. */
  async end(nothingLeft: boolean): Promise<void> {
    clearTimeout(this.#syncTimer);
    this.#ended = true;
    await this.#syncAll();
    this.#current.close();
    if (nothingLeft) for (const { number } of this.#segments) deleteSegment(this.#options.folder, number);
  }

  /** Resolves when everything appended so far is on disk. A sync that has not begun yet serves all who ask until it does. */
  synced(): Promise<void> {
    this.#nextSync ??= this.#runningSync
      .catch(() => undefined)
      .then(async () => {
        this.#nextSync = undefined;
        const running = this.#syncAll();
        this.#runningSync = running;
        await running;
      });
    return this.#nextSync;
  }

  async #syncAll(): Promise<void> {
    await Promise.all([...[...this.#full.keys()].map((full) => this.#syncFull(full)), this.#current.sync()]);
  }

  /** One sync at a time, because the first that succeeds closes the file. A file that was posted and deleted needs none. */
  async #syncFull(full: SegmentWriter): Promise<void> {
    const running = this.#full.get(full);
    if (running) return running;
    if (this.#segments.includes(full)) {
      const sync = full.sync();
      this.#full.set(full, sync);
      try {
        await sync;
      } catch (error) {
        this.#full.set(full, undefined);
        throw error;
      }
    }
    this.#full.delete(full);
    full.close();
  }

  #noteFailed(error: unknown): void {
    this.#dirty = true;
    if (!this.#syncFailed) this.#options.log.error({ err: error }, 'the journal cannot sync');
    this.#syncFailed = true;
  }

  /** The timer runs only while something is not on disk yet, so that an idle process sleeps. */
  #syncSoon(): void {
    const { syncIntervalMs } = this.#options;
    if (syncIntervalMs === 0 || this.#ended || this.#syncing) return;
    this.#syncTimer ??= setTimeout(() => this.#sync(), syncIntervalMs).unref();
  }

  #sync(): void {
    this.#syncTimer = undefined;
    this.#dirty = false;
    this.#syncing = true;
    this.#syncAll()
      .then(
        () => {
          this.#syncFailed = false;
        },
        (error: unknown) => this.#noteFailed(error),
      )
      .finally(() => {
        this.#syncing = false;
        if (this.#dirty) this.#syncSoon();
      });
  }
}
