/** Which windows and budgets a request of this key must pass: the limits of limits.ts with this key's numbers. */
import { type BudgetCheck, type LimitCheck, NO_LIMIT, type RateName, type WindowCheck } from '../../admission/index.ts';
import { type Money, money } from '../../core/money.ts';
import {
  type AccountRules,
  accountCap,
  CAP_PERIODS,
  type CapPeriod,
  type CapScope,
  type CapSetter,
  capBudget,
  type KeySnapshot,
  periodOf,
  walletBudget,
} from '../../keys/index.ts';
import type { Estimate } from './estimate.ts';
import { LIMITS, type Limit, type RateLimit } from './limits.ts';

export interface CapCheck extends BudgetCheck {
  name: 'cap';
  scope: CapScope;
  /** The name of a budget over several keys. */
  budgetName?: string;
  /** Who can raise a cap of the account. */
  setBy: CapSetter;
  period: CapPeriod;
  resetsAt: number | null;
}

export interface LimitChecks {
  /** The amounts of the checks in `measured` are 0 here. */
  rates: WindowCheck[];
  caps: CapCheck[];
  wallet: BudgetCheck;
  /** Caps and wallet. */
  budgets: BudgetCheck[];
  /** Every spend counter of this caller, also those without a cap: a cap that is set later must know what was spent. */
  counters: string[];
  /** All checks, in the order of LIMITS. */
  inOrder: readonly (LimitCheck | CapCheck)[];
  /** Rates of which each request takes a different amount, with their indices in `inOrder`. */
  measured: readonly Measured[];
}

interface Measured {
  at: number;
  check: WindowCheck;
  amount(estimate: Estimate, max: number): number;
}

/** The same for all requests of a key until one of its periods ends. */
interface CachedLimitChecks {
  checks: LimitChecks;
  walletMinimum: Money;
  from: number;
  until: number;
}

/** Snapshots of keys are replaced whole when a rule changes, so what is derived from one lives exactly as long. */
const cachedLimitChecks = new WeakMap<KeySnapshot, CachedLimitChecks>();

/**
 * The limit checks of every request of this key, cached per key: building a dozen counter names for every request would
 * cost more than the counting (docs/performance.md).
 */
export function standingLimitChecks(key: KeySnapshot, walletMinimum: Money, nowMs: number): LimitChecks {
  const known = cachedLimitChecks.get(key);
  if (known && known.from <= nowMs && nowMs < known.until && known.walletMinimum === walletMinimum) return known.checks;
  const made = makeLimitChecks(key, walletMinimum, nowMs);
  cachedLimitChecks.set(key, made);
  return made.checks;
}

/** The limit checks of one request: the standing checks of its key with its own measures. */
export function limitChecksOfRequest(
  { inOrder, measured }: LimitChecks,
  estimate: Estimate,
): (LimitCheck | CapCheck)[] {
  const checks = inOrder.slice();
  for (const { at, check, amount } of measured) {
    const { kind, name, id, home, limit } = check;
    checks[at] = { kind, name, id, home, limit, amount: amount(estimate, limit) };
  }
  return checks;
}

function makeLimitChecks(key: KeySnapshot, walletMinimum: Money, nowMs: number): CachedLimitChecks {
  const { account } = key;
  const { id: home } = account;
  const caps: CapCheck[] = [];
  const counters: string[] = [];
  let until = Number.POSITIVE_INFINITY;
  for (const { scope, id: ownerId, capOf, ...told } of capOwners(key)) {
    for (const period of CAP_PERIODS) {
      const { id: periodId, resetsAt } = periodOf(period, account.calendar, nowMs);
      if (resetsAt !== null) until = Math.min(until, resetsAt);
      const id = capBudget(scope, ownerId, period, periodId);
      counters.push(id);
      const cap = capOf(period);
      if (cap !== undefined)
        caps.push({ kind: 'budget', name: 'cap', id, home, ...cap, scope, period, resetsAt, ...told });
    }
  }
  const wallet = budgetOfWallet(account.id, walletMinimum);
  return {
    checks: { caps, wallet, budgets: [...caps, wallet], counters, ...inTheirOrder(key, caps, wallet) },
    walletMinimum,
    // After a clock is set back, an earlier period applies again.
    from: nowMs,
    until,
  };
}

interface CapOwner {
  scope: CapScope;
  id: string;
  budgetName?: string;
  capOf(period: CapPeriod): { limit: Money; setBy: CapSetter } | undefined;
}

/** Whose caps a request of the key spends from, in the order of checking. */
function capOwners(key: KeySnapshot): CapOwner[] {
  const { account, budgets = [] } = key;
  return [
    { scope: 'key', id: key.id, capOf: (period) => ownCap(key.rules.caps, period) },
    ...budgets.map(({ id, name, caps }) => ({
      scope: 'budget' as const,
      id,
      budgetName: name,
      capOf: (period: CapPeriod) => ownCap(caps, period),
    })),
    { scope: 'account', id: account.id, capOf: (period) => accountCap(account, period) },
  ];
}

function ownCap(caps: AccountRules['caps'], period: CapPeriod): { limit: Money; setBy: CapSetter } | undefined {
  const limit = caps[period];
  return limit === null ? undefined : { limit, setBy: 'account' };
}

function inTheirOrder(
  key: KeySnapshot,
  caps: readonly CapCheck[],
  wallet: BudgetCheck,
): Pick<LimitChecks, 'rates' | 'inOrder' | 'measured'> {
  const rates: WindowCheck[] = [];
  const inOrder: (LimitCheck | CapCheck)[] = [];
  const measured: Measured[] = [];
  for (const [name, limit] of Object.entries<Limit>(LIMITS)) {
    if (limit.kind === 'budget') {
      inOrder.push(...(name === 'cap' ? caps : [wallet]));
      continue;
    }
    const { reserves } = limit;
    const check = windowCheckOf(name as RateName, limit, key);
    if (typeof reserves === 'function') measured.push({ at: inOrder.length, check, amount: reserves });
    rates.push(check);
    inOrder.push(check);
  }
  return { rates, inOrder, measured };
}

function windowCheckOf(name: RateName, { counter, max, reserves }: RateLimit, key: KeySnapshot): WindowCheck {
  const amount = typeof reserves === 'number' ? reserves : 0;
  return { kind: 'window', name, id: counter(key), home: key.account.id, limit: max(key) ?? NO_LIMIT, amount };
}

function budgetOfWallet(accountId: string, minimum: Money): BudgetCheck {
  return { kind: 'budget', name: 'wallet', id: walletBudget(accountId), home: accountId, limit: money(-minimum) };
}
