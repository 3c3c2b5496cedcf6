/**
 * Closed requests on their way to the database, oldest first, as the bytes of their journal lines. They wait about 100 ms; as
 * separate texts and objects they would survive two collections and fill the old generation (docs/performance.md).
 */
import { type Money, ZERO } from '../core/money.ts';
import { idOf, type WrittenRequest } from '../requestlog/index.ts';
import { afterLines, bodyOf, findClosed, seal, unsealed } from './journal-lines.ts';
import type { Segment } from './journal-segment.ts';
import type { RecoveredRecord } from './recover.ts';

/** A request that was closed in this turn of the event loop. */
export interface ClosedLine {
  readonly id: string;
  /** The line without a checksum. */
  readonly line: string;
  /** What admission of this process holds for it; zero for recovered requests, which a former process held. */
  readonly cost: Money;
  readonly budgets: readonly string[];
}

export interface BatchPosition {
  /** The lines stand in this segment on disk; undefined while the disk refuses them. */
  segment: Segment | undefined;
  /** The database may have a row of one of them: it was announced as running, or a former process closed it. */
  known: boolean;
}

const NO_BUDGETS: readonly string[] = [];

export function heldBudgets({ cost = ZERO, budgets, accountId, counters = [] }: WrittenRequest): readonly string[] {
  if (cost === ZERO) return NO_BUDGETS;
  return budgets ?? [`wallet:${accountId}`, ...counters];
}

/** Closed requests that are posted by one statement. */
export class WaitingBatch implements BatchPosition {
  segment: Segment | undefined;
  known = false;
  posted = false;
  count = 0;
  /** By how much the holds on each budget shrink once the batch is posted. */
  readonly releases = new Map<string, bigint>();
  #page: Buffer;
  #length = 0;

  constructor(page: Buffer, segment: Segment | undefined) {
    this.#page = page;
    this.segment = segment;
  }

  get lines(): Buffer {
    return this.#page.subarray(0, this.#length);
  }

  get bytes(): number {
    return this.#length;
  }

  hasRoom(bytes: number): boolean {
    return this.#length + bytes <= this.#page.length;
  }

  add(lines: Buffer, closed: readonly ClosedLine[]): void {
    this.#length += lines.copy(this.#page, this.#length);
    this.count += closed.length;
    for (const { cost, budgets } of closed) {
      for (const budget of budgets) this.releases.set(budget, (this.releases.get(budget) ?? 0n) + cost);
    }
  }

  /** Returns the page, so that another batch can use it. */
  end(): Buffer {
    const page = this.#page;
    this.posted = true;
    this.#page = NOTHING;
    this.#length = 0;
    return page;
  }
}

const NOTHING = Buffer.alloc(0);
/** Room for a usual batch; a turn with more gets a page of its own size. */
const PAGE_BYTES = 512 << 10;
/** One page is filled while another is posted. */
const MAX_SPARE = 2;

export class WaitingBatches {
  readonly #batchSize: number;
  readonly #batches: WaitingBatch[] = [];
  readonly #spare: Buffer[] = [];
  /** The newest batch, as long as more may be added to it. */
  #growing: WaitingBatch | undefined;
  #count = 0;
  #bytes = 0;

  constructor(batchSize: number) {
    this.#batchSize = batchSize;
  }

  /** How many requests wait. */
  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** True when a full batch waits behind which another has begun. */
  get behind(): boolean {
    return this.#batches.length > 1;
  }

  /** Adds one line per request; returns the batches they are in. */
  add(lines: Buffer, closed: readonly ClosedLine[], position: BatchPosition): WaitingBatch[] {
    const size = this.#batchSize;
    if (closed.length <= size) return closed.length === 0 ? [] : [this.#addPart(lines, closed, position)];
    const batches: WaitingBatch[] = [];
    for (let from = 0, start = 0; from < closed.length; from += size) {
      const end = afterLines(lines, start, size);
      batches.push(this.#addPart(lines.subarray(start, end), closed.slice(from, from + size), position));
      start = end;
    }
    return batches;
  }

  /** Charges that a former process left. Their segments count them already, and this process has no holds to release for them. */
  takeOver(records: readonly RecoveredRecord[]): void {
    for (let from = 0, end = 0; from < records.length; from = end) {
      const segment = records[from]?.segment;
      while (end < records.length && records[end]?.segment === segment) end++;
      const closed = records.slice(from, end).map(({ text }) => ({
        id: idOf(text),
        line: unsealed('C', text),
        cost: ZERO,
        budgets: NO_BUDGETS,
      }));
      this.add(seal(closed.map(({ line }) => line)), closed, { segment, known: true });
    }
  }

  /** From now on nothing is added to it. */
  oldest(): WaitingBatch | undefined {
    const [oldest] = this.#batches;
    if (oldest === this.#growing) this.#growing = undefined;
    return oldest;
  }

  dropOldest(): void {
    const oldest = this.oldest();
    if (!oldest) return;
    this.#batches.shift();
    this.#count -= oldest.count;
    this.#bytes -= oldest.bytes;
    const page = oldest.end();
    if (page.length === PAGE_BYTES && this.#spare.length < MAX_SPARE) this.#spare.push(page);
  }

  /**
   * The text of a request, searched from the newest. Searching is rare, while a table by id would be written for every request.
   */
  find(id: string): string | undefined {
    for (let at = this.#batches.length - 1; at >= 0; at--) {
      const line = findClosed((this.#batches[at] as WaitingBatch).lines, id);
      if (line) return bodyOf(line);
    }
    return undefined;
  }

  #addPart(lines: Buffer, closed: readonly ClosedLine[], { segment, known }: BatchPosition): WaitingBatch {
    const batch = this.#roomFor(lines.length, closed.length, segment);
    batch.add(lines, closed);
    if (known) batch.known = true;
    this.#count += closed.length;
    this.#bytes += lines.length;
    return batch;
  }

  #roomFor(bytes: number, count: number, segment: Segment | undefined): WaitingBatch {
    const growing = this.#growing;
    const takesMore = growing && growing.count + count <= this.#batchSize && growing.hasRoom(bytes);
    if (takesMore && growing.segment === segment) return growing;
    const batch = new WaitingBatch(this.#pageFor(bytes, segment), segment);
    this.#batches.push(batch);
    // Lines that the disk refused are kept apart: later they are written, or posted, as one piece.
    this.#growing = segment && batch;
    return batch;
  }

  #pageFor(bytes: number, segment: Segment | undefined): Buffer {
    if (!segment || bytes > PAGE_BYTES) return Buffer.allocUnsafeSlow(bytes);
    return this.#spare.pop() ?? Buffer.allocUnsafeSlow(PAGE_BYTES);
  }
}
