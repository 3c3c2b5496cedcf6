/** Admission inside one process: exact as long as no second process serves the same accounts. */
import type { Clock } from '../core/clock.ts';
import { type Money, money } from '../core/money.ts';
import type { Soon } from '../core/soon.ts';
import type {
  Admission,
  AdmissionHealth,
  BudgetDemand,
  BudgetState,
  Demand,
  Hold,
  LoadPosted,
  MissingReplica,
  PostedUpdate,
  ReplicaState,
  TakeRequest,
  TakeResult,
  WindowDemand,
  WindowStates,
} from './admission.ts';
import { LedgerRefresh } from './ledger-refresh.ts';
import { LocalCounters } from './local-counters.ts';
import { PostedLoader } from './posted-loader.ts';
import { AdmissionUnavailable } from './unavailable.ts';

/**
 * A budget may be dropped between its loading and the next try; if that happens more often than this, something else is wrong.
 */
const MOST_LOADS = 3;

interface MemoryAdmissionOptions {
  clock: Clock;
  loadPosted: LoadPosted;
  /** Windows and budgets kept at once, each. */
  mostCounters?: number;
}

export function createMemoryAdmission(options: MemoryAdmissionOptions): Admission {
  return new MemoryAdmission(options);
}

class MemoryAdmission implements Admission {
  readonly #clock: Clock;
  readonly #counters: LocalCounters;
  readonly #loader: PostedLoader;
  readonly #refresh: LedgerRefresh;

  constructor({ clock, loadPosted, mostCounters }: MemoryAdmissionOptions) {
    this.#clock = clock;
    this.#counters = new LocalCounters(mostCounters);
    this.#loader = new PostedLoader(loadPosted, (rows) => {
      for (const [id, row] of rows) this.#counters.open(id, row.posted, row.version, clock.now());
    });
    this.#refresh = new LedgerRefresh((ids) => this.#loader.load(ids));
  }

  take(request: TakeRequest): Soon<TakeResult> {
    try {
      const result = this.#counters.take(request, this.#clock.now());
      if (Array.isArray(result)) return this.#loadAndTake(request, result);
      if (!result.ok) this.#askAgain(result.failed);
      return result;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  settle(hold: Hold, actual: { spent: Money; tokens: number | undefined }): void {
    this.#counters.settle(hold, actual.spent, actual.tokens);
  }

  posted(updates: PostedUpdate[]): void {
    for (const update of updates) {
      const budget = this.#counters.budget(update.budget);
      if (budget === undefined) {
        this.#loader.report(update.budget, update.posted, update.version);
        continue;
      }
      budget.outstanding.release(update.release);
      budget.learn(update.posted, update.version);
    }
  }

  windows(demands: WindowDemand[]): Promise<WindowStates> {
    return Promise.resolve(this.#counters.windowStates(demands, this.#clock.now()));
  }

  async budgets(demands: BudgetDemand[]): Promise<Map<string, BudgetState>> {
    const unknown = demands.filter((demand) => this.#counters.budget(demand.id) === undefined);
    if (unknown.length > 0) await this.#loader.load(unknown.map((demand) => demand.id));
    const states = new Map<string, BudgetState>();
    for (const { id, limit } of demands) {
      const budget = this.#counters.budget(id);
      if (budget === undefined) continue;
      states.set(id, { limit, posted: money(budget.posted), held: money(budget.outstanding.total) });
    }
    return states;
  }

  health(): AdmissionHealth {
    return { mode: 'memory', replicas: 1 };
  }

  recovered(): Promise<void> {
    return Promise.resolve();
  }

  /** No other process counts with this one. */
  replicas(): Promise<ReplicaState[]> {
    return Promise.resolve([]);
  }

  missingReplicas(): MissingReplica[] {
    return [];
  }

  forgetReplica(): Promise<boolean> {
    return Promise.resolve(false);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** A refusal for want of money may rest on an old balance, because the message about a top-up can get lost. */
  #askAgain(failed: Demand): void {
    const budget = failed.kind === 'budget' ? this.#counters.budget(failed.id) : undefined;
    if (budget !== undefined) this.#refresh.soon(budget, this.#clock.now());
  }

  async #loadAndTake(request: TakeRequest, missing: string[]): Promise<TakeResult> {
    for (let load = 0; load < MOST_LOADS; load++) {
      await this.#loader.load(missing);
      const result = this.#counters.take(request, this.#clock.now());
      if (!Array.isArray(result)) return result;
      missing = result;
    }
    throw new AdmissionUnavailable('posted-unknown', 'budgets were forgotten as fast as they were loaded');
  }
}
