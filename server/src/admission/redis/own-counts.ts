/**
 * What this replica itself has taken and leased. Redis holds the sum over all replicas; this is our part of it, from which a
 * lost Redis is rebuilt. Times are Redis' times.
 */
import type { WindowCheck } from '../admission.ts';
import { RollingWindow, WINDOW_MS, type WindowEntry } from '../arithmetic.ts';
import { BoundedTable } from '../bounded-table.ts';
import { Outstanding } from '../outstanding.ts';
import { AdmissionUnavailable } from '../unavailable.ts';

const MAX_COUNTERS = 200_000;
const BUDGET_IDLE_MS = 600_000;

export interface OwnBudget {
  readonly id: string;
  readonly outstanding: Outstanding;
  /** What it had left after the last reservation through Redis, for all replicas; undefined until then. */
  left: number | undefined;
  /** What this replica may spend of it when it is cut off. */
  lease: bigint;
  /** Limit and amount of the last request that took from it; `amount` is the least it could have run with. */
  limit: bigint;
  amount: bigint;
  /** True while its lease is renewed with every heartbeat. */
  leasing: boolean;
  /** When the ledger was last read for it. */
  refreshedAt: number;
  usedAt: number;
}

export interface OwnWindow {
  readonly id: string;
  /** Admissions that Redis has counted. */
  readonly shared: RollingWindow;
  /** Admissions while Redis was unreachable, which are not registered there yet. */
  local: RollingWindow;
  seenAt: number;
  /** What this replica may take of it in a minute when it is cut off. */
  lease: number;
  /** Limit and amount of the last request that took from it. */
  limit: number;
  amount: number;
  /** True while its lease is renewed with every heartbeat. */
  leasing: boolean;
}

export class OwnCounts {
  readonly #budgets = new BoundedTable<OwnBudget>({
    max: MAX_COUNTERS,
    idle: (budget, nowMs) => budget.outstanding.idle && budget.usedAt + BUDGET_IDLE_MS < nowMs,
    whenFull: 'refuse',
  });
  readonly #windows = new BoundedTable<OwnWindow>({
    max: MAX_COUNTERS,
    idle: (window, nowMs) => window.seenAt + WINDOW_MS <= nowMs && usedBy(window, nowMs) === 0,
    whenFull: 'forget-oldest',
  });

  budget(id: string, nowMs: number): OwnBudget {
    let budget = this.#budgets.get(id);
    if (budget === undefined) {
      budget = {
        id,
        outstanding: new Outstanding(),
        left: undefined,
        lease: 0n,
        limit: 0n,
        amount: 0n,
        leasing: false,
        refreshedAt: 0,
        usedAt: nowMs,
      };
      if (!this.#budgets.insert(id, budget, nowMs)) {
        throw new AdmissionUnavailable('too-many-counters', 'too many budgets are in use at once');
      }
    }
    budget.usedAt = nowMs;
    return budget;
  }

  knownBudget(id: string): OwnBudget | undefined {
    return this.#budgets.get(id);
  }

  window(check: Pick<WindowCheck, 'id'>, nowMs: number): OwnWindow {
    let window = this.#windows.get(check.id);
    if (window === undefined) {
      window = {
        id: check.id,
        shared: new RollingWindow(),
        local: new RollingWindow(),
        seenAt: nowMs,
        lease: 0,
        limit: 0,
        amount: 0,
        leasing: false,
      };
      this.#windows.insert(check.id, window, nowMs);
    }
    return window;
  }

  knownWindow(id: string): OwnWindow | undefined {
    return this.#windows.get(id);
  }

  /** Every budget in which this replica has something outstanding. */
  *outstanding(): Generator<{ id: string; total: bigint; spent: bigint }> {
    for (const [id, { outstanding }] of this.#budgets.entries()) {
      const { spent, total } = outstanding;
      if (total > 0n) yield { id, total, spent };
    }
  }

  *leases(): Generator<{ kind: 'window' | 'budget'; id: string; lease: number }> {
    for (const [id, { lease }] of this.#budgets.entries())
      if (lease > 0n) yield { kind: 'budget', id, lease: Number(lease) };
    for (const [id, { lease }] of this.#windows.entries()) if (lease > 0) yield { kind: 'window', id, lease };
  }

  /** True when something is settled and not posted yet. */
  get unposted(): boolean {
    for (const { spent } of this.outstanding()) if (spent > 0n) return true;
    return false;
  }

  /** The admissions that Redis must be told of: those taken without it, and all of them when it lost its memory. */
  *admissions(all: boolean, nowMs: number): Generator<{ id: string; entry: WindowEntry }> {
    for (const [id, window] of this.#windows.entries()) {
      for (const entry of window.local.entries(nowMs)) yield { id, entry };
      if (all) for (const entry of window.shared.entries(nowMs)) yield { id, entry };
    }
  }

  /** Called when Redis has been told. */
  markRegistered(nowMs: number): void {
    for (const [, window] of this.#windows.entries()) {
      const entries = window.local.entries(nowMs);
      if (entries.length === 0) continue;
      for (const entry of entries) window.shared.add(entry.amount, entry.lastAt);
      window.local = new RollingWindow();
    }
  }
}

function usedBy(window: OwnWindow, nowMs: number): number {
  return window.shared.used(nowMs) + window.local.used(nowMs);
}
