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
  BudgetCheck,
  Hold,
  LimitCheck,
  ReserveRequest,
  ReserveResult,
  WindowCheck,
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
  lastHeartbeatMs: number | undefined;
  /** How many replicas there are: a window that only guards is divided among them. */
  replicas: number;
}

export class LeasedShare {
  readonly #cutOff: CutOff;
  readonly #counters = new LocalCounters();

  constructor(cutOff: CutOff) {
    this.#cutOff = cutOff;
  }

  /**
   * Throws AdmissionUnavailable (503, not "insufficient balance") when a budget still has money but its lease is spent.
   */
  reserve(request: ReserveRequest, nowMs: number): ReserveResult {
    const checks = request.checks.map((check) => this.#shareOf(check, nowMs));
    const result = this.#counters.reserve({ ...request, checks }, nowMs);
    // `#shareOf` opened every budget, so none can be missing.
    if (Array.isArray(result)) throw new Error(`budgets vanished: ${result.join(', ')}`);
    const windows = this.#withFullLimits(request.checks, result.windows);
    if (result.ok) return { ...result, windows };
    const failed = request.checks[checks.indexOf(result.failed)] as LimitCheck;
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

  windowState(check: WindowCheck, nowMs: number): WindowState {
    return { ...this.#counters.windowState(this.#windowShare(check), nowMs), limit: check.limit };
  }

  #shareOf(check: LimitCheck, nowMs: number): LimitCheck {
    if (check.kind === 'window') return this.#windowShare(check);
    const budget: BudgetCheck = { ...check, limit: money(this.#leaseOf(check.id, nowMs)) };
    return budget;
  }

  #windowShare(check: WindowCheck): WindowCheck {
    if (!isLeased(check)) {
      return isGuard(check) ? { ...check, limit: Math.ceil(check.limit / this.#cutOff.replicas) } : check;
    }
    const lease = this.#cutOff.own.knownWindow(check.id)?.lease ?? 0;
    return { ...check, limit: this.#sinceHeartbeatMs() < WINDOWS_LEASED_MS ? lease : 0 };
  }

  /** How much of a budget may be spent. */
  #leaseOf(id: string, nowMs: number): bigint {
    this.#counters.open(id, 0n, 0n, nowMs);
    return this.#cutOff.own.knownBudget(id)?.lease ?? 0n;
  }

  #sinceHeartbeatMs(): number {
    const { clock, lastHeartbeatMs } = this.#cutOff;
    return lastHeartbeatMs === undefined ? Number.POSITIVE_INFINITY : clock.monotonicMs() - lastHeartbeatMs;
  }

  #withFullLimits(checks: LimitCheck[], states: WindowStates): Map<string, WindowState> {
    const full = new Map<string, WindowState>();
    for (const check of checks) {
      const state = states.get(check.id);
      if (state !== undefined && check.kind === 'window') full.set(check.id, { ...state, limit: check.limit });
    }
    return full;
  }
}
