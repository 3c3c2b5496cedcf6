/**
 * While this replica is cut off from Redis it grants only what it had leased before (leases.ts), from its own memory.
 *
 * Redis counts every lease as gone until the replica is back, so that all replicas together stay within wallet, cap and window
 * in any partition. Two things can still be counted too low, both bounded by what this replica holds at that moment:
 *   requests that ran when it was cut off and run on when its heartbeat has ended, since Redis drops their holds then; as far
 *     as the lease reaches they are paid out of it (`#usable`);
 *   leases of a replica that is cut off while Redis itself loses its memory.
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
/**
 * After this part of the heartbeat's time the replica counts its earlier holds against its leases, because Redis is about to drop
 * them.
 */
const HEARTBEAT_PART = 0.8;
/** A refused caller is told to wait no longer than this: the replica looks for Redis at least this often. */
const SOON_MS = 2_000;

export interface CutOff {
  own: OwnCounts;
  clock: Clock;
  /** Monotonic time at which the last heartbeat that Redis answered was sent; undefined when Redis never answered. */
  lastBeatMs: number | undefined;
  heartbeatMs: number;
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
    const budget: BudgetDemand = { ...demand, limit: money(this.#usable(demand.id, nowMs)) };
    return budget;
  }

  #windowShare(demand: WindowDemand): WindowDemand {
    if (!isLeased(demand)) {
      return isGuard(demand) ? { ...demand, limit: Math.ceil(demand.limit / this.#cutOff.replicas) } : demand;
    }
    const lease = this.#cutOff.own.knownWindow(demand.id)?.lease ?? 0;
    return { ...demand, limit: this.#sinceBeatMs() < WINDOWS_LEASED_MS ? lease : 0 };
  }

  /**
   * How much of a budget's lease may be spent: once Redis no longer counts the requests that ran before the cut, the lease pays
   * for them too.
   */
  #usable(id: string, nowMs: number): bigint {
    const opened = this.#counters.open(id, 0n, 0n, nowMs);
    const own = this.#cutOff.own.knownBudget(id);
    if (own === undefined) return 0n;
    if (this.#sinceBeatMs() < this.#cutOff.heartbeatMs * HEARTBEAT_PART) return own.lease;
    const ranBefore = own.outstanding.held - opened.outstanding.held;
    return own.lease - (ranBefore > 0n ? ranBefore : 0n);
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
