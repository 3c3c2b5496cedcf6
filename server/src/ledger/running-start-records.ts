/** Requests that were opened and not closed, in the order in which they were opened. */
import type { Clock } from '../core/clock.ts';
import type { Segment } from './journal-segment.ts';

export interface OpenedRecord {
  readonly id: string;
  readonly text: string;
  readonly openedMs: number;
  segment: Segment | undefined;
  /** Neighbours in the list of start records that no other replica has been told of. */
  older: OpenedRecord | undefined;
  newer: OpenedRecord | undefined;
  /** True once other replicas were told, so the database has a row of it. */
  announced: boolean;
}

/** A slot is searched from end to end, so there are enough of them for thousands of running requests. */
const SLOTS = 1024;

/**
 * The slots are a hash table of our own. Two of its entries change with every request, and a Map under such load rebuilds
 * itself and keeps dead tables alive; an object used as a table would add every id to the engine's list of names
 * (docs/performance.md). Ids end in random letters, so the last ones choose the slot.
 */
function slotOf(id: string): number {
  // An id of fewer than two letters gives NaN, which is no slot.
  return (id.charCodeAt(id.length - 1) * 31 + id.charCodeAt(id.length - 2)) % SLOTS || 0;
}

export class RunningStartRecords {
  readonly #slots: OpenedRecord[][] = Array.from({ length: SLOTS }, () => []);
  #size = 0;
  /**
   * The ends of the list of start records that no other replica has been told of. Most requests end before they must be
   * announced, in any order. A plain list would keep all of them while one long request stands before them.
   */
  #oldest: OpenedRecord | undefined;
  #newest: OpenedRecord | undefined;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#size;
  }

  add(id: string, text: string): OpenedRecord {
    const openedMs = this.#clock.monotonicMs();
    const older = this.#newest;
    const opened: OpenedRecord = { id, text, openedMs, segment: undefined, older, newer: undefined, announced: false };
    this.#slot(id).push(opened);
    this.#size++;
    if (older) older.newer = opened;
    else this.#oldest = opened;
    this.#newest = opened;
    return opened;
  }

  remove(id: string): OpenedRecord | undefined {
    const slot = this.#slot(id);
    const at = slot.findIndex((opened) => opened.id === id);
    const opened = slot[at];
    if (!opened) return undefined;
    // The last entry moves to the free position, because the order in a slot does not matter.
    slot[at] = slot[slot.length - 1] as OpenedRecord;
    slot.pop();
    this.#size--;
    if (opened.segment) opened.segment.running--;
    if (!opened.announced) this.#unchain(opened);
    return opened;
  }

  find(id: string): OpenedRecord | undefined {
    return this.#slot(id).find((opened) => opened.id === id);
  }

  inSegment(segment: Segment): OpenedRecord[] {
    if (segment.running === 0) return [];
    return this.#slots.flat().filter((opened) => opened.segment === segment);
  }

  /** Returns each of them once. */
  takeLong(olderThanMs: number, limit: number): OpenedRecord[] {
    const long: OpenedRecord[] = [];
    const before = this.#clock.monotonicMs() - olderThanMs;
    for (let next = this.#oldest; next && next.openedMs <= before && long.length < limit; next = this.#oldest) {
      next.announced = true;
      this.#unchain(next);
      long.push(next);
    }
    return long;
  }

  #slot(id: string): OpenedRecord[] {
    return this.#slots[slotOf(id)] as OpenedRecord[];
  }

  #unchain(opened: OpenedRecord): void {
    const { older, newer } = opened;
    if (older) older.newer = newer;
    else this.#oldest = newer;
    if (newer) newer.older = older;
    else this.#newest = older;
    // Unlinked completely: a start record that reached the old generation would keep its neighbours there, and they theirs.
    opened.older = undefined;
    opened.newer = undefined;
  }
}
