/** Wallets and spend counters with what running requests hold, as admission sees them now. */

import type { SpendPeriod, Wallet } from '@dargah/api/schemas/rule-schemas.ts';
import type { Static } from 'typebox';
import type { Admission, BudgetCheck } from '../admission/index.ts';
import type { Clock } from '../core/clock.ts';
import { max, money, toTomanText, ZERO } from '../core/money.ts';
import {
  type AccountRules,
  CAP_PERIODS,
  type Calendar,
  type CapScope,
  capBudget,
  periodOf,
  walletBudget,
} from '../keys/index.ts';

export interface Spending {
  wallet(accountId: string): Promise<Static<typeof Wallet>>;
  /** Returns all three periods, whether a cap is set or not. */
  periods(
    accountId: string,
    scope: CapScope,
    id: string,
    caps: AccountRules['caps'],
    calendar: Calendar,
  ): Promise<Static<typeof SpendPeriod>[]>;
}

export function createSpending(admission: Pick<Admission, 'budgets'>, clock: Clock): Spending {
  return {
    async wallet(accountId) {
      const id = walletBudget(accountId);
      const state = (
        await admission.budgets([{ kind: 'budget', name: 'wallet', id, home: accountId, limit: ZERO }])
      ).get(id);
      const balance = money(-(state?.posted ?? 0n));
      const held = state?.held ?? ZERO;
      return { balance: toTomanText(balance), held: toTomanText(held), available: toTomanText(money(balance - held)) };
    },
    async periods(accountId, scope, ownerId, caps, calendar) {
      const now = clock.now();
      const checks = CAP_PERIODS.map((period) => {
        const { id: periodId, resetsAt } = periodOf(period, calendar, now);
        const check: BudgetCheck = {
          kind: 'budget',
          name: 'cap',
          id: capBudget(scope, ownerId, period, periodId),
          home: accountId,
          limit: caps[period] ?? ZERO,
        };
        return { period, resetsAt, check, limit: caps[period] };
      });
      const states = await admission.budgets(checks.map(({ check }) => check));
      return checks.map(({ period, resetsAt, check, limit }) => {
        const spent = states.get(check.id)?.posted ?? ZERO;
        const held = states.get(check.id)?.held ?? ZERO;
        return {
          period,
          limit: limit === null ? null : toTomanText(limit),
          spent: toTomanText(spent),
          held: toTomanText(held),
          remaining: limit === null ? null : toTomanText(max(ZERO, money(limit - spent - held))),
          resets_at: resetsAt === null ? null : new Date(resetsAt).toISOString(),
        };
      });
    },
  };
}
