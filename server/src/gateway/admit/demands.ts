/** Which windows and budgets a request of this key must pass: the limits of limits.ts with this key's numbers. */
import { type BudgetDemand, type Demand, NO_LIMIT, type RateName, type WindowDemand } from '../../admission/index.ts';
import { type Money, money } from '../../core/money.ts';
import { CAP_PERIODS, type CapPeriod, capBudget, type KeySnapshot, periodOf, walletBudget } from '../../keys/index.ts';
import type { Estimate } from './estimate.ts';
import { LIMITS, type Limit, type RateLimit } from './limits.ts';

export interface CapDemand extends BudgetDemand {
  name: 'cap';
  scope: 'key' | 'account';
  period: CapPeriod;
  resetsAt: number | null;
}

export interface Demands {
  /** The amounts of those in `measured` are 0 here. */
  rates: WindowDemand[];
  caps: CapDemand[];
  wallet: BudgetDemand;
  /** Caps and wallet. */
  budgets: BudgetDemand[];
  /** Every spend counter of this caller, whether a cap is set on it or not: a cap set later must know what was spent. */
  counters: string[];
  /** All of them, in the order of LIMITS. */
  inOrder: readonly (Demand | CapDemand)[];
  /** Rates of which each request takes by its own measure, with their places in `inOrder`. */
  measured: readonly Measured[];
}

interface Measured {
  at: number;
  demand: WindowDemand;
  amount(estimate: Estimate, most: number): number;
}

/** Does not change from request to request of a key, until one of its periods ends. */
interface CachedDemands {
  demands: Demands;
  walletMinimum: Money;
  from: number;
  until: number;
}

/** Snapshots of keys are replaced whole when a rule changes, so what is derived from one lives exactly as long. */
const cachedDemands = new WeakMap<KeySnapshot, CachedDemands>();

/**
 * What every request of this key demands. It is kept per key: building a dozen counter names for every request would cost more
 * than the counting (docs/performance.md).
 */
export function standingDemands(key: KeySnapshot, walletMinimum: Money, nowMs: number): Demands {
  const known = cachedDemands.get(key);
  if (known && known.from <= nowMs && nowMs < known.until && known.walletMinimum === walletMinimum)
    return known.demands;
  const made = makeDemands(key, walletMinimum, nowMs);
  cachedDemands.set(key, made);
  return made.demands;
}

/** What one request demands: the standing demands of its key with its own measures. */
export function demandsOfRequest({ inOrder, measured }: Demands, estimate: Estimate): (Demand | CapDemand)[] {
  const demands = inOrder.slice();
  for (const { at, demand, amount } of measured) {
    const { kind, name, id, limit } = demand;
    demands[at] = { kind, name, id, limit, amount: amount(estimate, limit) };
  }
  return demands;
}

function makeDemands(key: KeySnapshot, walletMinimum: Money, nowMs: number): CachedDemands {
  const { account } = key;
  const caps: CapDemand[] = [];
  const counters: string[] = [];
  let until = Number.POSITIVE_INFINITY;
  for (const scope of ['key', 'account'] as const) {
    const owner = scope === 'key' ? key : account;
    for (const period of CAP_PERIODS) {
      const { id: periodId, resetsAt } = periodOf(period, account.calendar, nowMs);
      if (resetsAt !== null) until = Math.min(until, resetsAt);
      const id = capBudget(scope, owner.id, period, periodId);
      counters.push(id);
      const limit = owner.rules.caps[period];
      if (limit !== null) caps.push({ kind: 'budget', name: 'cap', id, limit, scope, period, resetsAt });
    }
  }
  const wallet = budgetOfWallet(account.id, walletMinimum);
  return {
    demands: { caps, wallet, budgets: [...caps, wallet], counters, ...inTheirOrder(key, caps, wallet) },
    walletMinimum,
    // A clock that is set back makes an earlier period run again.
    from: nowMs,
    until,
  };
}

function inTheirOrder(
  key: KeySnapshot,
  caps: readonly CapDemand[],
  wallet: BudgetDemand,
): Pick<Demands, 'rates' | 'inOrder' | 'measured'> {
  const rates: WindowDemand[] = [];
  const inOrder: (Demand | CapDemand)[] = [];
  const measured: Measured[] = [];
  for (const [name, limit] of Object.entries<Limit>(LIMITS)) {
    if (limit.kind === 'budget') {
      inOrder.push(...(name === 'cap' ? caps : [wallet]));
      continue;
    }
    const { takes } = limit;
    const demand = windowDemand(name as RateName, limit, key);
    if (typeof takes === 'function') measured.push({ at: inOrder.length, demand, amount: takes });
    rates.push(demand);
    inOrder.push(demand);
  }
  return { rates, inOrder, measured };
}

function windowDemand(name: RateName, { counter, most, takes }: RateLimit, key: KeySnapshot): WindowDemand {
  const amount = typeof takes === 'number' ? takes : 0;
  return { kind: 'window', name, id: counter(key), limit: most(key) ?? NO_LIMIT, amount };
}

function budgetOfWallet(accountId: string, minimum: Money): BudgetDemand {
  return { kind: 'budget', name: 'wallet', id: walletBudget(accountId), limit: money(-minimum) };
}
