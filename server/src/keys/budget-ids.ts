/**
 * Names of budgets. Admission counts under them and the ledger finds the row behind them, so they are written and read
 * in this one place.
 *     wallet:<account>
 *     cap:<key|budget|account>:<id>:<daily|monthly|total>:<period>
 */
import { CAP_PERIODS, type CapPeriod } from './rules.ts';

export type CapScope = 'key' | 'budget' | 'account';

export type BudgetId =
  | { kind: 'wallet'; accountId: string }
  | { kind: 'cap'; scope: CapScope; id: string; period: CapPeriod; periodId: string };

export function walletBudget(accountId: string): string {
  return `wallet:${accountId}`;
}

export function capBudget(scope: CapScope, id: string, period: CapPeriod, periodId: string): string {
  return `cap:${scope}:${id}:${period}:${periodId}`;
}

// Greedy in the middle: an id chosen by an operator may itself contain colons; period names never do.
const CAP = /^cap:(key|budget|account):(.+):([a-z]+):([^:]+)$/s;

/** Undefined when the text is not a budget id. */
export function parseBudgetId(text: string): BudgetId | undefined {
  if (text.startsWith('wallet:') && text.length > 7) return { kind: 'wallet', accountId: text.slice(7) };
  const match = CAP.exec(text);
  if (!match) return undefined;
  const [, scope, id, period, periodId] = match as unknown as [string, CapScope, string, string, string];
  const known = CAP_PERIODS.find((name) => name === period);
  return known === undefined ? undefined : { kind: 'cap', scope, id, period: known, periodId };
}
