/** Admission inside one process: exact as long as no second process serves the same accounts. */
import type { Clock } from '../core/clock.ts';
import type { MaybePromise } from '../core/maybe-promise.ts';
import { type Money, money } from '../core/money.ts';
import type {
  Admission,
  AdmissionHealth,
  BudgetCheck,
  BudgetState,
  Hold,
  LimitCheck,
  LoadPosted,
  MissingReplica,
  PostedUpdate,
  ReplicaState,
  ReserveRequest,
  ReserveResult,
  WindowCheck,
  WindowStates,
} from './admission.ts';
import { LedgerRefresh } from './ledger-refresh.ts';
import { LocalCounters } from './local-counters.ts';
import { PostedLoader } from './posted-loader.ts';
import { AdmissionUnavailable } from './unavailable.ts';

/**
 * A budget may be dropped between its loading and the next try; if that happens more often than this, something else is wrong.
 */
const MAX_LOADS = 3;

interface MemoryAdmissionOptions {
  clock: Clock;
  loadPosted: LoadPosted;
  /** Windows and budgets kept at once, each. */
  maxCounters?: number;
}

export function createMemoryAdmission(options: MemoryAdmissionOptions): Admission {
  return new MemoryAdmission(options);
}

class MemoryAdmission implements Admission {
  readonly #clock: Clock;
  readonly #counters: LocalCounters;
  readonly #loader: PostedLoader;
  readonly #refresh: LedgerRefresh;

  constructor({ clock, loadPosted, maxCounters }: MemoryAdmissionOptions) {
    this.#clock = clock;
    this.#counters = new LocalCounters(maxCounters);
    this.#loader = new PostedLoader(loadPosted, (rows) => {
      for (const [id, row] of rows) this.#counters.open(id, row.posted, row.version, clock.now());
    });
    this.#refresh = new LedgerRefresh((ids) => this.#loader.load(ids));
  }

  reserve(request: ReserveRequest): MaybePromise<ReserveResult> {
    try {
      const result = this.#counters.reserve(request, this.#clock.now());
      if (Array.isArray(result)) return this.#loadAndReserve(request, result);
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

  windows(checks: WindowCheck[]): Promise<WindowStates> {
    return Promise.resolve(this.#counters.windowStates(checks, this.#clock.now()));
  }

  async budgets(checks: BudgetCheck[]): Promise<Map<string, BudgetState>> {
    const unknown = checks.filter((check) => this.#counters.budget(check.id) === undefined);
    if (unknown.length > 0) await this.#loader.load(unknown.map((check) => check.id));
    const states = new Map<string, BudgetState>();
    for (const { id, limit } of checks) {
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
  #askAgain(failed: LimitCheck): void {
    const budget = failed.kind === 'budget' ? this.#counters.budget(failed.id) : undefined;
    if (budget !== undefined) this.#refresh.soon(budget, this.#clock.now());
  }

  async #loadAndReserve(request: ReserveRequest, missing: string[]): Promise<ReserveResult> {
    for (let load = 0; load < MAX_LOADS; load++) {
      await this.#loader.load(missing);
      const result = this.#counters.reserve(request, this.#clock.now());
      if (!Array.isArray(result)) return result;
      missing = result;
    }
    throw new AdmissionUnavailable('posted-unknown', 'budgets were forgotten as fast as they were loaded');
  }
}
