/** Closed requests on their way to the database, oldest first. */
import { type Money, ZERO } from '../core/money.ts';
import type { RequestRecord } from '../requestlog/index.ts';
import type { Segment } from './journal-segment.ts';

export interface ClosedEntry {
  readonly id: string;
  readonly text: string;
  /** What admission of this process holds for it; recovered entries were held by a process that is gone. */
  readonly cost: Money;
  readonly budgets: readonly string[];
  /** The database may have a row of it: it was announced as running, or a former process closed it. */
  known: boolean;
  /** Where it stands on disk; undefined while the disk refuses it. */
  segment: Segment | undefined;
  posted: boolean;
}

export function entryOf(record: RequestRecord, text: string): ClosedEntry {
  const budgets = record.cost === ZERO ? [] : (record.budgets ?? [`wallet:${record.accountId}`, ...record.counters]);
  return { id: record.id, text, cost: record.cost, budgets, known: false, segment: undefined, posted: false };
}

export class RecordQueue {
  #entries: ClosedEntry[] = [];
  #head = 0;
  #bytes = 0;

  push(entry: ClosedEntry): void {
    this.#entries.push(entry);
    this.#bytes += entry.text.length;
  }

  get length(): number {
    return this.#entries.length - this.#head;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Newest first. A search is rare and short; a table by id would be written with every request. */
  find(id: string): ClosedEntry | undefined {
    for (let at = this.#entries.length - 1; at >= this.#head; at--) {
      const entry = this.#entries[at] as ClosedEntry;
      if (entry.id === id) return entry;
    }
    return undefined;
  }

  peek(limit: number): ClosedEntry[] {
    return this.#entries.slice(this.#head, this.#head + limit);
  }

  /** Forgets the oldest entries. */
  drop(count: number): ClosedEntry[] {
    const dropped = this.peek(count);
    for (const entry of dropped) this.#bytes -= entry.text.length;
    this.#head += dropped.length;
    // Moving the rest down costs its length, so it waits until at least as many were taken.
    if (this.#head * 2 >= this.#entries.length) {
      this.#entries = this.#entries.slice(this.#head);
      this.#head = 0;
    }
    return dropped;
  }
}
