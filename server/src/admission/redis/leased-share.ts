/**
 * While this replica is cut off from Redis it grants only what it had leased before (leases.ts), from its own memory.
 *
 * Redis counts every lease as gone until the replica is back, so that all replicas together stay within wallet, cap and window
 * in any partition. One thing can still be counted too low: what a replica holds and has leased that is cut off while Redis
 * itself loses its memory.
 */
import type { Clock } from '../../core/clock.ts';
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
import { LocalCounters } from '../local-counters.ts';
import { AdmissionUnavailable } from '../unavailable.ts';
import { isGuard, isLeased } from './leases.ts';
import type { OwnCounts } from './own-counts.ts';

/** Redis keeps leases of windows a minute longer than they are used (LEASE_KEPT in lua/counters.lua). */
const WINDOWS_LEASED_MS = 600_000;
/** A refused caller is told to wait no longer than this: the replica looks for Redis at least this often. */
const SOON_MS = 2_000;

export interface CutOff {
  own: OwnCounts;
  clock: Clock;
  /** Monotonic time at which the last heartbeat that Redis answered was sent; undefined when Redis never answered. */
  lastBeatMs: number | undefined;
  /** How many replicas there are: of a window that only guards, each admits its part. */
  replicas: number;
}

export class LeasedShare {
  readonly #cutOff: CutOff;
  readonly #counters = new LocalCounters();

  constructor(cutOff: CutOff) {
    this.#cutOff = cutOff;
  }

  /** Throws AdmissionUnavailable when the lease of a budget is spent that has money: 503, not "insufficient balance". */
  take(request: TakeRequest, nowMs: number): TakeResult {
    const demands = request.demands.map((demand) => this.#shareOf(demand, nowMs));
    const result = this.#counters.take({ ...request, demands }, nowMs);
    // Every budget was opened by #shareOf, so nothing can be missing.
    if (Array.isArray(result)) throw new Error(`budgets vanished: ${result.join(', ')}`);
    const windows = this.#withFullLimits(request.demands, result.windows);
    if (result.ok) return { ...result, windows };
    const failed = request.demands[demands.indexOf(result.failed)] as Demand;
    if (failed.kind === 'window') {
      return { ...result, failed, windows, retryAfterMs: Math.min(result.retryAfterMs ?? SOON_MS, SOON_MS) };
    }
    const left = BigInt(this.#cutOff.own.knownBudget(failed.id)?.left ?? Number.MAX_SAFE_INTEGER);
    if (left < request.money.least) return { ...result, failed, windows, available: money(left) };
    throw new AdmissionUnavailable('lease-spent', `${failed.name}: Redis is away and what was leased is spent`);
  }

  settle(hold: Hold, spent: bigint, tokens: number | undefined): void {
    this.#counters.settle(hold, money(spent), tokens);
  }

  windowState(demand: WindowDemand, nowMs: number): WindowState {
    return { ...this.#counters.windowState(this.#windowShare(demand), nowMs), limit: demand.limit };
  }

  #shareOf(demand: Demand, nowMs: number): Demand {
    if (demand.kind === 'window') return this.#windowShare(demand);
    const budget: BudgetDemand = { ...demand, limit: money(this.#leaseOf(demand.id, nowMs)) };
    return budget;
  }

  #windowShare(demand: WindowDemand): WindowDemand {
    if (!isLeased(demand)) {
      return isGuard(demand) ? { ...demand, limit: Math.ceil(demand.limit / this.#cutOff.replicas) } : demand;
    }
    const lease = this.#cutOff.own.knownWindow(demand.id)?.lease ?? 0;
    return { ...demand, limit: this.#sinceBeatMs() < WINDOWS_LEASED_MS ? lease : 0 };
  }

  /** How much of a budget may be spent. */
  #leaseOf(id: string, nowMs: number): bigint {
    this.#counters.open(id, 0n, 0n, nowMs);
    return this.#cutOff.own.knownBudget(id)?.lease ?? 0n;
  }

  #sinceBeatMs(): number {
    const { clock, lastBeatMs } = this.#cutOff;
    return lastBeatMs === undefined ? Number.POSITIVE_INFINITY : clock.monotonicMs() - lastBeatMs;
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
