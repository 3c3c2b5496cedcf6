/** Which windows and budgets a request of this key must pass, in the documented order of rules. */
import type { BudgetClaim, Claim, WindowClaim } from '../admission/index.ts';
import { type Money, money } from '../core/money.ts';
import { CAP_PERIODS, type CapPeriod, capBudget, type KeySnapshot, periodOf, walletBudget } from '../keys/index.ts';

/** Shown where neither key nor account has a limit, and enforced: it is far above what one process can serve. */
export const SERVICE_CEILING = 1_000_000;

export interface CapClaim extends BudgetClaim {
  name: 'cap';
  scope: 'key' | 'account';
  period: CapPeriod;
  resetsAt: number | null;
}

export interface Claims {
  keyRequests: WindowClaim;
  accountRequests: WindowClaim;
  keyTokens: WindowClaim;
  caps: CapClaim[];
  wallet: BudgetClaim;
  /** Every spend counter of this caller, whether a cap is set on it or not: a cap set later must know what was spent. */
  counters: string[];
}

export function claimsOf(key: KeySnapshot, walletMinimum: Money, nowMs: number, tokens: number): Claims {
  const { account } = key;
  const caps: CapClaim[] = [];
  const counters: string[] = [];
  for (const scope of ['key', 'account'] as const) {
    const owner = scope === 'key' ? key : account;
    for (const period of CAP_PERIODS) {
      const { id: periodId, resetsAt } = periodOf(period, account.calendar, nowMs);
      const id = capBudget(scope, owner.id, period, periodId);
      counters.push(id);
      const limit = owner.rules.caps[period];
      if (limit !== null) caps.push({ kind: 'budget', name: 'cap', id, limit, scope, period, resetsAt });
    }
  }
  return {
    keyRequests: {
      kind: 'window',
      name: 'key-requests',
      id: `rpm:key:${key.id}`,
      limit: key.rules.rpm ?? SERVICE_CEILING,
      amount: 1,
    },
    accountRequests: {
      kind: 'window',
      name: 'account-requests',
      id: `rpm:account:${account.id}`,
      limit: account.rules.rpm ?? SERVICE_CEILING,
      amount: 1,
    },
    keyTokens: {
      kind: 'window',
      name: 'key-tokens',
      id: `tpm:key:${key.id}`,
      limit: key.rules.tpm ?? SERVICE_CEILING,
      amount: tokens,
    },
    caps,
    wallet: { kind: 'budget', name: 'wallet', id: walletBudget(account.id), limit: money(-walletMinimum) },
    counters,
  };
}

/** Rules 10 to 13: RPM of key, RPM of account, caps, wallet, TPM. */
export function inOrder(claims: Claims): Claim[] {
  return [claims.keyRequests, claims.accountRequests, ...claims.caps, claims.wallet, claims.keyTokens];
}
