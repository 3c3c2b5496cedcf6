/** `/api/admin/accounts`: who pays, under which rules. */
import Type from 'typebox';
import type { Account, AccountService } from '../../accounts/index.ts';
import type { Json } from '../../core/json.ts';
import { renderAccountRules, renderCalendar } from '../../keys/index.ts';
import { closed, ManagedBy, PAGE_QUERY, page, pageOf, shown, Time } from '../openapi/building-blocks.ts';
import type { RegisterOperatorRoute } from './operator-routes.ts';
import {
  GivenAccountRules,
  GivenCalendar,
  ShownAccountRules,
  ShownCalendar,
  SpendPeriod,
  Wallet,
} from './rule-shapes.ts';
import type { Spending } from './spending.ts';

const AccountShape = shown(
  {
    object: Type.Literal('account'),
    id: Type.String(),
    name: Type.String(),
    rules: ShownAccountRules,
    calendar: ShownCalendar,
    managed_by: ManagedBy,
    created_at: Time,
    updated_at: Time,
  },
  'Account',
);

const Balances = shown(
  { object: Type.Literal('wallet'), account_id: Type.String(), wallet: Wallet, spend: Type.Array(SpendPeriod) },
  'AccountWallet',
);

const changeable = {
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  rules: Type.Optional(GivenAccountRules),
  calendar: Type.Optional(GivenCalendar),
};
const NewAccount = closed(
  {
    ...changeable,
    id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    name: Type.String({ minLength: 1, maxLength: 200 }),
  },
  'NewAccount',
);
const AccountChange = closed(changeable, 'AccountChange');

const tag = 'Accounts';
const path = '/api/admin/accounts';

export function accounts(register: RegisterOperatorRoute, service: AccountService, spending: Spending): void {
  register({
    method: 'POST',
    path,
    operationId: 'createAccount',
    tag,
    summary: { fa: 'ساختن حساب', en: 'Create an account' },
    body: NewAccount,
    result: AccountShape,
    status: 201,
    errors: ['conflict'],
    example: { id: 'acme', name: 'Acme', rules: { rpm: 600, caps: { monthly: 5_000_000 } } },
    run: async ({ body, actor }) => accountView(await service.create(body as NewAccountInput, actor)),
  });
  register({
    method: 'GET',
    path,
    operationId: 'listAccounts',
    tag,
    summary: { fa: 'فهرست حساب‌ها', en: 'List accounts, newest first' },
    query: closed(PAGE_QUERY),
    result: pageOf(AccountShape),
    run: async ({ query }) => {
      const { items, next } = await service.list(query);
      return page(items.map(accountView), next);
    },
  });
  register({
    method: 'GET',
    path: `${path}/:id`,
    operationId: 'getAccount',
    tag,
    summary: { fa: 'یک حساب', en: 'One account' },
    result: AccountShape,
    errors: ['not_found'],
    run: async ({ params }) => accountView(await service.get(params['id'] ?? '')),
  });
  register({
    method: 'PATCH',
    path: `${path}/:id`,
    operationId: 'changeAccount',
    tag,
    summary: { fa: 'تغییر نام، قواعد یا تقویم حساب', en: 'Change name, rules or calendar' },
    description: 'Only the fields given change. `null` lifts a limit.',
    body: AccountChange,
    result: AccountShape,
    errors: ['not_found', 'conflict'],
    example: { rules: { rpm: 1200 } },
    run: async ({ params, body, actor }) =>
      accountView(await service.update(params['id'] ?? '', body as Partial<NewAccountInput>, actor)),
  });
  register({
    method: 'GET',
    path: `${path}/:id/wallet`,
    operationId: 'getAccountWallet',
    tag,
    summary: { fa: 'کیف پول و مصرف دوره‌ها', en: 'Wallet, what is held, and spend per period' },
    result: Balances,
    errors: ['not_found'],
    run: async ({ params }) => {
      const { id, rules, calendar } = await service.get(params['id'] ?? '');
      const spend = await spending.periods('account', id, rules.caps, calendar);
      return { object: 'wallet', account_id: id, wallet: await spending.wallet(id), spend };
    },
  });
}

/** The schema has checked the form; the service checks the meaning. */
interface NewAccountInput {
  id?: string;
  name: string;
  rules?: Json;
  calendar?: Json;
}

function accountView(account: Account) {
  const { id, name, rules, calendar, managedBy, createdAt, updatedAt } = account;
  return {
    object: 'account',
    id,
    name,
    rules: renderAccountRules(rules),
    calendar: renderCalendar(calendar),
    managed_by: managedBy,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}
