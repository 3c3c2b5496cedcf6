/**
 * Walks a list by a filter without an index, in steps, until the page is full or the time is used up. The answer says
 * how far it looked and where to continue, so that a walk through ten million rows delays nobody else.
 */
import type { Clock } from '../core/clock.ts';

export interface WalkStep<Row> {
  /** The rows of the step that pass the filter, at most `room`. */
  rows: Row[];
  /**
   * Where the next step begins: after the last row of a full page, otherwise after the last row checked. Null when
   * nothing is left.
   */
  place: string | null;
  /** The time of the last row checked, in milliseconds. */
  reachedMs: number | null;
}

export interface ListWalk<Row> {
  clock: Clock;
  wanted: number;
  place: string | null;
  /** Checks `size` rows of the list from `place` on. */
  step(place: string | null, size: number, room: number): Promise<WalkStep<Row>>;
  sizes: StepSizes;
  budgetMs?: number;
}

export interface StepSizes {
  first: number;
  max: number;
}

export interface Walked<Row> {
  rows: Row[];
  next: string | null;
  /** Set when the time was used up before the page was full. */
  searchedBackTo: number | null;
}

const BUDGET_MS = 1_500;
/** A step that took less time is followed by one twice as long. */
const SHORT_STEP_MS = 200;

/** An embedded database has one connection, which requests and their charges share, so its steps are small. */
export function stepSizes(kind: 'embedded' | 'postgres'): StepSizes {
  return kind === 'embedded' ? { first: 500, max: 4_000 } : { first: 4_000, max: 20_000 };
}

export async function walk<Row>(options: ListWalk<Row>): Promise<Walked<Row>> {
  const { clock, wanted, step, sizes, budgetMs = BUDGET_MS } = options;
  const deadline = clock.monotonicMs() + budgetMs;
  const rows: Row[] = [];
  let { place } = options;
  let size = sizes.first;
  for (;;) {
    const began = clock.monotonicMs();
    const found = await step(place, size, wanted - rows.length);
    rows.push(...found.rows);
    ({ place } = found);
    const now = clock.monotonicMs();
    if (place === null || rows.length >= wanted) return { rows, next: place, searchedBackTo: null };
    if (now >= deadline) return { rows, next: place, searchedBackTo: found.reachedMs };
    if (now - began < SHORT_STEP_MS) size = Math.min(sizes.max, size * 2);
  }
}
