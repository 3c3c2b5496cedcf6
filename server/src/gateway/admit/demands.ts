/** Which windows and budgets a request of this key must pass, in the documented order of rules. */
import { type BudgetDemand, type Demand, NO_LIMIT, type WindowDemand } from '../../admission/index.ts';
import { type Money, money } from '../../core/money.ts';
import { CAP_PERIODS, type CapPeriod, capBudget, type KeySnapshot, periodOf, walletBudget } from '../../keys/index.ts';

export interface CapDemand extends BudgetDemand {
  name: 'cap';
  scope: 'key' | 'account';
  period: CapPeriod;
  resetsAt: number | null;
}

export interface Demands {
  keyRequests: WindowDemand;
  accountRequests: WindowDemand;
  keyTokens: WindowDemand;
  caps: CapDemand[];
  wallet: BudgetDemand;
  /** Caps and wallet. */
  budgets: BudgetDemand[];
  /** Every spend counter of this caller, whether a cap is set on it or not: a cap set later must know what was spent. */
  counters: string[];
  /** Rules 10 to 13, in the order of LIMIT_RULES. */
  inOrder: readonly (WindowDemand | CapDemand | BudgetDemand)[];
}

/** Every limit with the name of its verdict in the rule tester and in dry runs, in its order (ADR 0002). */
export const LIMIT_RULES = {
  'key-requests': 'requests_of_key',
  'account-requests': 'requests_of_account',
  cap: 'cap',
  wallet: 'wallet',
  'key-tokens': 'tokens_of_key',
} as const satisfies Partial<Record<Demand['name'], string>>;

/** What does not change from request to request of a key, until one of its periods ends. */
interface Standing {
  demands: Demands;
  walletMinimum: Money;
  from: number;
  until: number;
}

/** Snapshots of keys are replaced whole when a rule changes, so what is derived from one lives exactly as long. */
const standings = new WeakMap<KeySnapshot, Standing>();

/** The demands without tokens; `withTokens` adds those. */
export function demandsOf(key: KeySnapshot, walletMinimum: Money, nowMs: number): Demands {
  return standingOf(key, walletMinimum, nowMs).demands;
}

export function withTokens({ inOrder, keyTokens }: Demands, tokens: number): Demand[] {
  const { kind, name, id, limit } = keyTokens;
  return inOrder.with(-1, { kind, name, id, limit, amount: tokens });
}

/** Kept per key: building a dozen counter names for every request would cost more than the counting (docs/performance.md). */
function standingOf(key: KeySnapshot, walletMinimum: Money, nowMs: number): Standing {
  const known = standings.get(key);
  if (known && known.from <= nowMs && nowMs < known.until && known.walletMinimum === walletMinimum) return known;
  const made = makeStanding(key, walletMinimum, nowMs);
  standings.set(key, made);
  return made;
}

function makeStanding(key: KeySnapshot, walletMinimum: Money, nowMs: number): Standing {
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
  const keyRequests = windowDemand('key-requests', `rpm:key:${key.id}`, key.rules.rpm, 1);
  const accountRequests = windowDemand('account-requests', `rpm:account:${account.id}`, account.rules.rpm, 1);
  const wallet = budgetOfWallet(account.id, walletMinimum);
  const keyTokens = windowDemand('key-tokens', `tpm:key:${key.id}`, key.rules.tpm, 0);
  return {
    demands: {
      keyRequests,
      accountRequests,
      caps,
      wallet,
      budgets: [...caps, wallet],
      keyTokens,
      counters,
      inOrder: [keyRequests, accountRequests, ...caps, wallet, keyTokens],
    },
    walletMinimum,
    // A clock that is set back makes an earlier period run again.
    from: nowMs,
    until,
  };
}

function windowDemand(name: WindowDemand['name'], id: string, limit: number | null, amount: number): WindowDemand {
  return { kind: 'window', name, id, limit: limit ?? NO_LIMIT, amount };
}

function budgetOfWallet(accountId: string, minimum: Money): BudgetDemand {
  return { kind: 'budget', name: 'wallet', id: walletBudget(accountId), limit: money(-minimum) };
}
