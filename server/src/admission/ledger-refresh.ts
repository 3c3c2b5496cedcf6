/**
 * Reads `posted` again now and then, in the background. Two things leave an old value in Redis: a replica that dies before it
 * reports a posted balance, and a lost message about a top-up. The next request that uses the budget then makes this read it
 * again.
 */
export interface Refreshed {
  readonly id: string;
  /** When the ledger was last asked about it. */
  refreshedAt: number;
}

const OLD_AFTER_MS = 60_000;
/** A budget that refuses is worth asking about more often: it may have been topped up. */
const REFUSED_AFTER_MS = 1_000;
const MAX_PER_QUERY = 500;

export class LedgerRefresh {
  readonly #load: (ids: string[]) => Promise<void>;
  readonly #waiting = new Set<string>();
  #running = false;

  constructor(load: (ids: string[]) => Promise<void>) {
    this.#load = load;
  }

  whenOld(budget: Refreshed, nowMs: number): void {
    this.#after(OLD_AFTER_MS, budget, nowMs);
  }

  soon(budget: Refreshed, nowMs: number): void {
    this.#after(REFUSED_AFTER_MS, budget, nowMs);
  }

  #after(ageMs: number, budget: Refreshed, nowMs: number): void {
    if (budget.refreshedAt + ageMs > nowMs) return;
    // Also limits how often a failing ledger is asked.
    budget.refreshedAt = nowMs;
    this.#waiting.add(budget.id);
    if (this.#running) return;
    this.#running = true;
    setImmediate(() => {
      this.#run()
        .catch(() => this.#waiting.clear())
        .finally(() => {
          this.#running = false;
        });
    });
  }

  async #run(): Promise<void> {
    while (this.#waiting.size > 0) {
      const ids = [...this.#waiting].slice(0, MAX_PER_QUERY);
      for (const id of ids) this.#waiting.delete(id);
      await this.#load(ids);
    }
  }
}
