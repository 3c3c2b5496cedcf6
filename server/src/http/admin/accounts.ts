/** `/api/admin/accounts`: who pays, under which rules. */

import {
  changeAccount,
  createAccount,
  getAccount,
  getAccountWallet,
  listAccounts,
} from '@dargah/api/admin/accounts.ts';
import { page } from '@dargah/api/building-blocks.ts';
import type { ResultOf } from '@dargah/api/describe-route.ts';
import type { Account, AccountService } from '../../accounts/index.ts';
import type { Json } from '../../core/json.ts';
import { renderAccountRules, renderCalendar } from '../../keys/index.ts';
import type { Register } from '../routes/register.ts';
import type { Spending } from '../spending.ts';

export function accounts(register: Register, service: AccountService, spending: Spending): void {
  register(createAccount, async ({ body, actor }) => accountView(await service.create(body as NewAccountInput, actor)));
  register(listAccounts, async ({ query }) => {
    const { q, ...rest } = query;
    const { items, next } = await service.list(rest, q);
    return page(items.map(accountView), next);
  });
  register(getAccount, async ({ params }) => accountView(await service.get(params.id)));
  register(changeAccount, async ({ params, body, actor }) =>
    accountView(await service.update(params.id, body as Partial<NewAccountInput>, actor)),
  );
  register(getAccountWallet, async ({ params }) => {
    const { id, rules, calendar } = await service.get(params.id);
    const spend = await spending.periods('account', id, rules.caps, calendar);
    return { object: 'wallet', account_id: id, wallet: await spending.wallet(id), spend };
  });
}

/** The schema has checked the form; the service checks the meaning. */
interface NewAccountInput {
  id?: string;
  name: string;
  rules?: Json;
  calendar?: Json;
}

export function accountView(account: Account): ResultOf<typeof getAccount> {
  const { id, name, rules, calendar, margin, managedBy, createdAt, updatedAt } = account;
  return {
    object: 'account',
    id,
    name,
    rules: renderAccountRules(rules),
    calendar: renderCalendar(calendar),
    margin,
    managed_by: managedBy,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}
