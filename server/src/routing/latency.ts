/**
 * Time to first event of a target: quantiles over its recent answers. A window instead of an estimator, because it is exact,
 * forgets a bad hour completely, and costs one array store per answer; the sort is done once in eight answers.
 */
const WINDOW = 64;
const RECOMPUTE_EVERY = 8;
/** Answers older than this say nothing about now. */
const MAX_AGE_MS = 15 * 60_000;

/** Shared, because only one instance sorts at a time. */
const scratch = new Float64Array(WINDOW);

export class Latency {
  readonly #samples = new Float64Array(WINDOW);
  readonly #at = new Float64Array(WINDOW);
  #count = 0;
  #sinceSort = RECOMPUTE_EVERY;
  #p50: number | undefined;
  #p95: number | undefined;

  record(firstEventMs: number, nowMs: number): void {
    const slot = this.#count % WINDOW;
    this.#samples[slot] = firstEventMs;
    this.#at[slot] = nowMs;
    this.#count++;
    this.#sinceSort++;
    if (this.#sinceSort >= RECOMPUTE_EVERY || this.#count < RECOMPUTE_EVERY) this.#recompute(nowMs);
  }

  get p50Ms(): number | undefined {
    return this.#p50;
  }

  /** undefined until there are enough answers to speak of the slowest twentieth. */
  get p95Ms(): number | undefined {
    return this.#p95;
  }

  #recompute(nowMs: number): void {
    const filled = Math.min(this.#count, WINDOW);
    let count = 0;
    for (let i = 0; i < filled; i++) {
      if (nowMs - (this.#at[i] as number) <= MAX_AGE_MS) scratch[count++] = this.#samples[i] as number;
    }
    const recent = scratch.subarray(0, count).sort();
    this.#sinceSort = 0;
    this.#p50 = recent[Math.floor((recent.length - 1) * 0.5)];
    this.#p95 = recent.length >= 20 ? recent[Math.ceil((recent.length - 1) * 0.95)] : undefined;
  }
}
