/** Notices of spend caps of keys and of the account that are used up to a share worth telling. */
import { type Money, money, toTomanText } from '../../core/money.ts';
import { CAP_PERIODS, type CapScope, capBudget, periodOf } from '../../keys/index.ts';
import type { Terms } from '../event-kind.ts';
import { SPENT_OF_BUDGETS } from './watch-rows.ts';
import type { WatchedAccount, WatchedKey, WatchTools } from './watch-tools.ts';

const LINKS: Record<CapScope, (id: string) => string> = {
  key: (id) => `/console/keys/${id}`,
  budget: () => '/console/keys',
  account: () => '/console/limits',
};

export async function watchCaps(
  { db, clock, notices }: WatchTools,
  { accountId, calendar }: WatchedAccount,
  scope: CapScope,
  what: WatchedKey,
): Promise<void> {
  const periods = CAP_PERIODS.flatMap((period) => {
    const limit = what.caps[period];
    return limit === null || limit === 0n
      ? []
      : [{ period, limit, budget: capBudget(scope, what.id, period, periodOf(period, calendar, clock.now()).id) }];
  });
  if (periods.length === 0) return;
  const { terms } = await notices.rule(accountId, 'cap.reached');
  const rows = await SPENT_OF_BUDGETS.rows(db, [periods.map(({ budget }) => budget)]);
  const spentOf = new Map(rows.map(({ id, spent }) => [id, BigInt(spent)]));
  for (const { period, limit, budget } of periods) {
    const spent = spentOf.get(budget) ?? 0n;
    const percent = highest(terms, spent, limit);
    if (percent === undefined) continue;
    const data = {
      scope,
      id: what.id,
      name: what.name || accountId,
      period,
      percent,
      spent: toTomanText(money(spent)),
      limit: toTomanText(limit),
    };
    await notices.raise({
      accountId,
      event: 'cap.reached',
      occasion: `${budget}:${percent}`,
      data,
      link: LINKS[scope](what.id),
    });
  }
}

function highest({ percents = [] }: Terms, spent: bigint, limit: Money): number | undefined {
  return percents.filter((percent) => spent * 100n >= limit * BigInt(percent)).sort((a, b) => b - a)[0];
}
