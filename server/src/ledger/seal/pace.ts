/** Limits how much of the books is read at a time: slices of a bounded duration, with a pause after each. */
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../platform/db/database.ts';

export interface PaceOptions {
  kind: Database['kind'];
  clock: Clock;
  pause(ms: number): Promise<void>;
  /** True while charges wait for the database, because they come first. */
  busy(): boolean;
  mostRows?: number;
}

/**
 * The length of the pause after a slice, as a multiple of the slice's duration. A server has connections of its own for
 * proofs.
 */
const REST: Record<Database['kind'], number> = { embedded: 1, postgres: 0.25 };
/** The embedded database has one connection, so charges wait behind a slice. */
const TARGET_MS: Record<Database['kind'], number> = { embedded: 100, postgres: 2_000 };
const FIRST_ROWS = 5_000;
const MIN_ROWS = 200;
const MAX_ROWS = 200_000;
const MAX_GROWTH = 2;
const BUSY_PAUSE_MS = 1_000;
/** The lease of a run is longer than these pauses together, so that waiting does not lose it. */
const MAX_BUSY_PAUSES = 60;

export class Pace {
  readonly #options: PaceOptions;
  readonly #mostRows: number;
  #rows: number;

  constructor(options: PaceOptions) {
    this.#options = options;
    this.#mostRows = options.mostRows ?? MAX_ROWS;
    this.#rows = Math.min(FIRST_ROWS, this.#mostRows);
  }

  /** `work` reads at most so many rows. */
  async slice<T>(work: (rows: number) => Promise<T>): Promise<T> {
    const { clock, pause, busy, kind } = this.#options;
    for (let waited = 0; busy() && waited < MAX_BUSY_PAUSES; waited++) await pause(BUSY_PAUSE_MS);
    const began = clock.monotonicMs();
    const result = await work(this.#rows);
    const tookMs = clock.monotonicMs() - began;
    const wanted = this.#rows * Math.min(MAX_GROWTH, TARGET_MS[kind] / Math.max(tookMs, 1));
    this.#rows = Math.round(Math.min(this.#mostRows, Math.max(MIN_ROWS, wanted)));
    await pause(tookMs * REST[kind]);
    return result;
  }
}
