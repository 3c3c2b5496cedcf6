/**
 * Looks at what was posted and tells people about it. It reads rows that posting has written anyway, so requests pay
 * nothing for it. One replica looks at a time, and a notice exists once per occasion whichever replica raises it.
 */

import { DAY_MS } from '@dargah/core/time-spans.ts';
import { capsInForce, parseCalendar, readStoredAccountRules, readStoredOwnCaps } from '../../keys/index.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { watchBalance, watchReminder } from './balance.ts';
import { watchCaps } from './caps.ts';
import { tellCatalogNews, tellExpiringKeys, tellStuckPayments } from './dated-news.ts';
import { watchErrors } from './errors.ts';
import { watchSpend } from './unusual-spend.ts';
import { ACTIVE_ACCOUNTS, BUDGETS_OF_ACCOUNT, KEYS_OF_ACCOUNT } from './watch-rows.ts';
import type { WatchedAccount, WatchedKey, WatchTools } from './watch-tools.ts';

export class Watch {
  readonly #tools: WatchTools;

  constructor(tools: WatchTools) {
    this.#tools = tools;
  }

  /** Runs every watch for accounts that spent something since yesterday. */
  async look(): Promise<void> {
    const { db, clock, log } = this.#tools;
    const since = new Date(clock.now() - DAY_MS);
    const active = await ACTIVE_ACCOUNTS.rows(db, [since]);
    for (const { id, calendar, rules, own_caps: own } of active) {
      const caps = capsInForce({ rules: readStoredAccountRules(rules), ownCaps: readStoredOwnCaps(own) });
      const owner = { accountId: id, calendar: parseCalendar(calendar), caps };
      await this.lookAt(owner).catch((error: unknown) =>
        log.warn({ account: id, err: error }, 'an account was not watched'),
      );
    }
    await tellExpiringKeys(this.#tools);
    await tellStuckPayments(this.#tools);
    await tellCatalogNews(this.#tools);
  }

  async lookAt(account: WatchedAccount): Promise<void> {
    const tools = this.#tools;
    const { accountId, caps } = account;
    const keys = await keysOf(tools.db, accountId);
    await watchBalance(tools, account);
    await watchReminder(tools, account);
    await watchCaps(tools, account, 'account', { id: accountId, name: '', caps });
    for (const key of keys) await watchCaps(tools, account, 'key', key);
    for (const budget of await budgetsOf(tools.db, accountId)) await watchCaps(tools, account, 'budget', budget);
    await watchSpend(tools, account, keys);
    await watchErrors(tools, account);
  }
}

async function budgetsOf(db: Queryable, accountId: string): Promise<WatchedKey[]> {
  const rows = await BUDGETS_OF_ACCOUNT.rows(db, [accountId]);
  return rows.map(({ id, name, caps }) => ({ id, name, caps: readStoredAccountRules({ caps }).caps }));
}

async function keysOf(db: Queryable, accountId: string): Promise<WatchedKey[]> {
  const rows = await KEYS_OF_ACCOUNT.rows(db, [accountId]);
  return rows.map(({ id, name, rules }) => {
    const { caps } = readStoredAccountRules({ ...(rules['caps'] === undefined ? {} : { caps: rules['caps'] }) });
    return { id, name, caps };
  });
}
