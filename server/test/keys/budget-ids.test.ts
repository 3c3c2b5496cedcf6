import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { capBudget, parseBudgetId, walletBudget } from '../../src/keys/budget-ids.ts';

describe('budget ids', () => {
  it('reads back what it writes, whatever the id contains', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }),
        fc.constantFrom('key', 'account'),
        fc.constantFrom('daily', 'monthly', 'total'),
        fc.constantFrom('2026-11-15', '1405-08', 'total'),
        (id, scope, period, periodId) => {
          expect(parseBudgetId(walletBudget(id))).toEqual({ kind: 'wallet', accountId: id });
          expect(parseBudgetId(capBudget(scope, id, period, periodId))).toEqual({
            kind: 'cap',
            scope,
            id,
            period,
            periodId,
          });
        },
      ),
    );
  });

  it('refuses what is not a budget id', () => {
    for (const text of ['', 'wallet:', 'cap:', 'cap:user:a:daily:x', 'cap:key:a:weekly:x', 'rpm:key:a']) {
      expect(parseBudgetId(text)).toBeUndefined();
    }
  });
});
