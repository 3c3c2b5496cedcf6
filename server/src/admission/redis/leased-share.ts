/**
 * While Redis is away every replica grants only its share, from its own memory.
 *
 * Windows: limit ÷ replicas; the remainder goes to the first replicas by name, so that the shares add up to the limit.
 * A window begins with what this replica took in the last 60 s, or with its part of what all had taken when Redis last
 * answered, whichever is more.
 * Budgets: (limit − what was committed when Redis last answered) ÷ replicas, once for the whole outage. It is not
 * divided anew as charges get posted: another replica's charges would be seen here late, and granted twice.
 *
 * Bound of over-admission: none if every replica had asked Redis about a counter just before the outage; otherwise at
 * most what the others took from it since this replica last asked, which is less than one limit per window and, for
 * budgets, what the others had outstanding or posted since. After 60 s windows are exact again, budgets once rejoined.
 */
import { money } from '../../core/money.ts';
import type {
  BudgetDemand,
  Demand,
  Hold,
  TakeRequest,
  TakeResult,
  WindowDemand,
  WindowState,
  WindowStates,
} from '../admission.ts';
import { WINDOW_MS } from '../arithmetic.ts';
import { LocalCounters } from '../local-counters.ts';
import { AdmissionUnavailable } from '../unavailable.ts';
import { type Committed, committedWhen, type OwnCounts, usedBy } from './own-counts.ts';

const MOST_BUDGETS = 200_000;

export class LocalShare {
  readonly #own: OwnCounts;
  readonly #replicas: number;
  readonly #rank: number;
  readonly #counters = new LocalCounters();
  /** Per budget: what counted as gone when this outage first touched it. */
  readonly #committed = new Map<string, Committed>();

  constructor(own: OwnCounts, replicas: number, rank: number) {
    this.#own = own;
    this.#replicas = Math.max(1, replicas);
    this.#rank = rank;
  }

  /** Budgets that Redis never told us about: they must be read from the ledger first. */
  unknown(demands: Demand[]): string[] {
    const ids: string[] = [];
    for (const demand of demands) {
      if (demand.kind === 'budget' && this.#committedOf(demand.id) === undefined) ids.push(demand.id);
    }
    return ids;
  }

  /**
   * The ledger's word on a budget. During an outage only a budget not known yet and a credit (a top-up, a refund) count:
   * charges that were posted meanwhile are either ours, and counted here, or another's, and part of its share.
   */
  learn(id: string, posted: bigint): void {
    const known = this.#committedOf(id);
    if (known === undefined) {
      const total = posted + (this.#own.knownBudget(id)?.outstanding.total ?? 0n);
      this.#committed.set(id, { posted, total });
    } else if (posted < known.posted) {
      this.#committed.set(id, { posted, total: known.total - (known.posted - posted) });
    }
  }

  take(request: TakeRequest, nowMs: number): TakeResult {
    const demands = request.demands.map((demand) => this.#shareOf(demand, nowMs));
    const result = this.#counters.take({ ...request, demands }, nowMs);
    // Every budget was opened by #shareOf, so nothing can be missing.
    if (Array.isArray(result)) throw new Error(`budgets vanished: ${result.join(', ')}`);
    const windows = this.#withFullLimits(request.demands, result.windows);
    if (result.ok) return { ...result, windows };
    return { ...result, failed: request.demands[demands.indexOf(result.failed)] as Demand, windows };
  }

  settle(hold: Hold, spent: bigint, tokens: number | undefined): void {
    this.#counters.settle(hold, money(spent), tokens);
  }

  windowState(demand: WindowDemand, nowMs: number): WindowState {
    return { ...this.#counters.windowState(this.#windowShare(demand, nowMs), nowMs), limit: demand.limit };
  }

  #shareOf(demand: Demand, nowMs: number): Demand {
    return demand.kind === 'window' ? this.#windowShare(demand, nowMs) : this.#budgetShare(demand, nowMs);
  }

  #windowShare(demand: WindowDemand, nowMs: number): WindowDemand {
    if (!this.#counters.hasWindow(demand)) this.#seed(demand, nowMs);
    const remainder = this.#rank < demand.limit % this.#replicas ? 1 : 0;
    return { ...demand, limit: Math.floor(demand.limit / this.#replicas) + remainder };
  }

  #budgetShare(demand: BudgetDemand, nowMs: number): BudgetDemand {
    const committed = this.#committedOf(demand.id) ?? { posted: demand.limit, total: demand.limit };
    if (this.#committed.size >= MOST_BUDGETS && !this.#committed.has(demand.id)) {
      throw new AdmissionUnavailable('too-many-counters', 'too many budgets are in use without Redis');
    }
    this.#committed.set(demand.id, committed);
    this.#counters.open(demand.id, 0n, 0n, nowMs);
    return { ...demand, limit: money((demand.limit - committed.total) / BigInt(this.#replicas)) };
  }

  #committedOf(id: string): Committed | undefined {
    const committed = this.#committed.get(id);
    if (committed !== undefined) return committed;
    const seen = this.#own.knownBudget(id)?.seen;
    return seen && committedWhen(seen);
  }

  #seed(demand: WindowDemand, nowMs: number): void {
    const known = this.#own.knownWindow(demand.id);
    if (known === undefined) return;
    const seeds = [...known.shared.entries(nowMs), ...known.local.entries(nowMs)];
    const ofAll = known.seenAt + WINDOW_MS > nowMs ? Math.ceil(known.seenUsed / this.#replicas) : 0;
    const unseen = ofAll - usedBy(known, nowMs);
    if (unseen > 0) seeds.push({ bucket: 0, amount: unseen, lastAt: known.seenAt });
    if (seeds.length === 0) return;
    const window = this.#counters.window(demand, nowMs);
    for (const seed of seeds.sort((a, b) => a.lastAt - b.lastAt)) window.add(seed.amount, seed.lastAt);
  }

  #withFullLimits(demands: Demand[], states: WindowStates): Map<string, WindowState> {
    const full = new Map<string, WindowState>();
    for (const demand of demands) {
      const state = states.get(demand.id);
      if (state !== undefined && demand.kind === 'window') full.set(demand.id, { ...state, limit: demand.limit });
    }
    return full;
  }
}
