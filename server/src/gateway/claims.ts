/** Which windows and budgets a request of this key must pass, in the documented order of rules. */
import { type BudgetClaim, type Claim, NO_LIMIT, type WindowClaim } from '../admission/index.ts';
import { type Money, money } from '../core/money.ts';
import { CAP_PERIODS, type CapPeriod, capBudget, type KeySnapshot, periodOf, walletBudget } from '../keys/index.ts';

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

/** What does not change from request to request of a key, until one of its periods ends. */
interface Standing {
  claims: Omit<Claims, 'keyTokens'>;
  tokens: { id: string; limit: number };
  walletMinimum: Money;
  from: number;
  until: number;
}

/** Snapshots of keys are replaced whole when a rule changes, so what is derived from one lives exactly as long. */
const standings = new WeakMap<KeySnapshot, Standing>();

export function claimsOf(key: KeySnapshot, walletMinimum: Money, nowMs: number, tokens: number): Claims {
  const { claims, tokens: window } = standingOf(key, walletMinimum, nowMs);
  return {
    keyRequests: claims.keyRequests,
    accountRequests: claims.accountRequests,
    keyTokens: { kind: 'window', name: 'key-tokens', id: window.id, limit: window.limit, amount: tokens },
    caps: claims.caps,
    wallet: claims.wallet,
    counters: claims.counters,
  };
}

/** Rules 10 to 13: RPM of key, RPM of account, caps, wallet, TPM. */
export function inOrder({ keyRequests, accountRequests, caps, wallet, keyTokens }: Claims): Claim[] {
  return [keyRequests, accountRequests, ...caps, wallet, keyTokens];
}

/** Making a dozen names and hashing them anew would cost more than all the counting under them. */
function standingOf(key: KeySnapshot, walletMinimum: Money, nowMs: number): Standing {
  const known = standings.get(key);
  if (known && known.from <= nowMs && nowMs < known.until && known.walletMinimum === walletMinimum) return known;
  const made = makeStanding(key, walletMinimum, nowMs);
  standings.set(key, made);
  return made;
}

function makeStanding(key: KeySnapshot, walletMinimum: Money, nowMs: number): Standing {
  const { account } = key;
  const caps: CapClaim[] = [];
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
  return {
    claims: {
      keyRequests: requestsClaim('key-requests', `rpm:key:${key.id}`, key.rules.rpm),
      accountRequests: requestsClaim('account-requests', `rpm:account:${account.id}`, account.rules.rpm),
      caps,
      wallet: { kind: 'budget', name: 'wallet', id: walletBudget(account.id), limit: money(-walletMinimum) },
      counters,
    },
    tokens: { id: `tpm:key:${key.id}`, limit: key.rules.tpm ?? NO_LIMIT },
    walletMinimum,
    // A clock that is set back makes an earlier period run again.
    from: nowMs,
    until,
  };
}

function requestsClaim(name: 'key-requests' | 'account-requests', id: string, limit: number | null): WindowClaim {
  return { kind: 'window', name, id, limit: limit ?? NO_LIMIT, amount: 1 };
}
