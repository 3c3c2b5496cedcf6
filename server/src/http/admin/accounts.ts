/** `/api/admin/accounts`: who pays, under which rules. */

import {
  changeAccount,
  createAccount,
  getAccount,
  getAccountWallet,
  listAccounts,
} from '@dargah/api/admin/accounts.ts';
import type { QueryOf, ResultOf } from '@dargah/api/describe-route.ts';
import type { StaffRole } from '@dargah/core/roles.ts';
import type { Account, AccountList, AccountListFilter, AccountService, ListedAccount } from '../../accounts/index.ts';
import type { Json } from '../../core/json.ts';
import { toTomanText } from '../../core/money.ts';
import { capsInForce, renderAccountRules, renderCalendar } from '../../keys/index.ts';
import type { Register } from '../routes/register.ts';
import type { Spending } from '../spending.ts';
import { timeInput } from '../time-input.ts';
import { type ListOfStaff, listPage, tomanInput, totalOf } from './staff-list.ts';

export function accounts(
  register: Register,
  service: AccountService,
  spending: Spending,
  accountList: AccountList,
): ListOfStaff<typeof listAccounts> {
  const list = listOfAccounts(accountList);
  register(createAccount, async ({ body, actor }) => accountView(await service.create(body as NewAccountInput, actor)));
  register(listAccounts, ({ query, who }) => list.read(query, { ...who, use: 'list' }));
  register(getAccount, async ({ params }) => accountView(await service.get(params.id)));
  register(changeAccount, async ({ params, body, actor }) =>
    accountView(await service.update(params.id, body as Partial<NewAccountInput> & { reason?: string }, actor)),
  );
  register(getAccountWallet, async ({ params }) => {
    const account = await service.get(params.id);
    const { id, calendar } = account;
    const spend = await spending.periods(id, 'account', id, capsInForce(account), calendar);
    return { object: 'wallet', account_id: id, wallet: await spending.wallet(id), spend };
  });
  return list;
}

function listOfAccounts(list: AccountList): ListOfStaff<typeof listAccounts> {
  return {
    id: 'accounts',
    route: listAccounts,
    async read(query, { role, use }) {
      const filter = filterOf(query, role);
      const { after, limit = 50, sort = 'created' } = query;
      const found = await list.page(filter, { after: after ?? null, limit, sort, use });
      const total = use === 'job' ? null : await totalOf(after, (max) => list.count(filter, max));
      return listPage(found.rows.map(listedView), found, { total });
    },
    columns: {
      id: (row) => row.id,
      name: (row) => row.name,
      state: (row) => row.state,
      balance_toman: (row) => row.balance,
      spent_today_toman: (row) => row.spent_today,
      spent_30_days_toman: (row) => row.spent_30_days,
      last_used_at: (row) => row.last_used_at,
      keys: (row) => row.keys,
      members: (row) => row.members,
      open_tickets: (row) => row.open_tickets,
      margin: (row) => row.margin,
      created_at: (row) => row.created_at,
    },
  };
}

/** Staff who see masked contacts must not find an account by guessing them. */
function filterOf(query: QueryOf<typeof listAccounts>, role: StaffRole): AccountListFilter {
  return {
    words: query.q,
    privateWords: role !== 'viewer',
    state: query.state,
    balanceFrom: tomanInput(query.balance_from, 'balance_from'),
    balanceTo: tomanInput(query.balance_to, 'balance_to'),
    spentOver: tomanInput(query.spent_over, 'spent_over'),
    usedFrom: timeInput(query.used_from, 'used_from'),
    usedTo: timeInput(query.used_to, 'used_to'),
    createdFrom: timeInput(query.from, 'from'),
    createdTo: timeInput(query.to, 'to'),
    hasTickets: query.has_tickets,
    ownMargin: query.own_margin,
  };
}

function listedView(listed: ListedAccount): ResultOf<typeof listAccounts>['data'][number] {
  return {
    ...accountView(listed.account),
    state: listed.state as 'active',
    balance: toTomanText(listed.balance),
    spent_today: toTomanText(listed.spentToday),
    spent_30_days: toTomanText(listed.spent30Days),
    last_used_at: listed.lastAt?.toISOString() ?? null,
    keys: listed.keys,
    members: listed.members,
    open_tickets: listed.openTickets,
  };
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
