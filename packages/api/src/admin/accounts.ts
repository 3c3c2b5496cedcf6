/** `/api/admin/accounts`, described: who pays, under which rules. */
import Type from 'typebox';
import { STAFF_READ, scoped, staff } from '../access.ts';
import {
  inputObject,
  listOf,
  ManagedBySchema,
  nullable,
  PAGE_QUERY,
  responseObject,
  Time,
  Toman,
} from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import {
  AccountRulesInput,
  AccountRulesResponse,
  CalendarInput,
  CalendarResponse,
  SpendPeriod,
  Wallet,
} from '../schemas/rule-schemas.ts';

export const AccountSchema = responseObject(
  {
    object: Type.Literal('account'),
    id: Type.String(),
    name: Type.String(),
    rules: AccountRulesResponse,
    calendar: CalendarResponse,
    margin: nullable(
      Type.String({ description: 'Its own margin on list prices; null: those of the model, the vendor and all.' }),
    ),
    managed_by: ManagedBySchema,
    created_at: Time,
    updated_at: Time,
  },
  'Account',
);
const ListedAccount = responseObject(
  {
    ...AccountSchema.properties,
    state: Type.Enum(['active', 'paused', 'blocked', 'closed'], {
      description: '`blocked`: staff closed its access, whether or not it is paused as well.',
    }),
    balance: Toman,
    spent_today: Toman,
    spent_30_days: Toman,
    last_used_at: nullable(Time),
    keys: Type.Integer(),
    members: Type.Integer(),
    open_tickets: Type.Integer(),
  },
  'ListedAccount',
);
const Balances = responseObject(
  { object: Type.Literal('wallet'), account_id: Type.String(), wallet: Wallet, spend: Type.Array(SpendPeriod) },
  'AccountWallet',
);
const changeable = {
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  rules: Type.Optional(AccountRulesInput),
  calendar: Type.Optional(CalendarInput),
};
const NewAccount = inputObject(
  {
    ...changeable,
    id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    name: Type.String({ minLength: 1, maxLength: 200 }),
  },
  'NewAccount',
);
const AccountChange = inputObject(
  {
    ...changeable,
    reason: Type.Optional(
      Type.String({
        minLength: 3,
        maxLength: 500,
        description: 'Why; it stays in the audit log, which the customer reads.',
      }),
    ),
  },
  'AccountChange',
);
const tag = 'Accounts';
const path = '/api/admin/accounts';
const WRITE = scoped('accounts', staff('owner', 'support'));

export const createAccount = describeRoute({
  method: 'POST',
  path,
  operationId: 'createAccount',
  tag,
  summary: { fa: 'ساختن حساب', en: 'Create an account' },
  body: NewAccount,
  result: AccountSchema,
  status: 201,
  errors: ['conflict'],
  example: { id: 'acme', name: 'Acme', rules: { rpm: 600, caps: { monthly: 5_000_000 } } },
  access: WRITE,
});

export const listAccounts = describeRoute({
  method: 'GET',
  path,
  operationId: 'listAccounts',
  tag,
  summary: { fa: 'فهرست حساب‌ها', en: 'List accounts, newest first' },
  query: inputObject({
    q: Type.Optional(
      Type.String({
        maxLength: 254,
        description:
          'Beginnings of words of its name or id; for those who see contacts also of the numbers and addresses of its people and of whom its invoices are made out to.',
      }),
    ),
    state: Type.Optional(Type.Enum(['active', 'paused', 'blocked', 'closed', 'negative'])),
    balance_from: Type.Optional(Type.String({ maxLength: 40, description: 'Toman; may be negative.' })),
    balance_to: Type.Optional(Type.String({ maxLength: 40 })),
    spent_over: Type.Optional(Type.String({ maxLength: 40, description: 'Toman in the last 30 days.' })),
    used_from: Type.Optional(Type.String({ maxLength: 40, description: 'Last use; RFC 3339 or a day.' })),
    used_to: Type.Optional(Type.String({ maxLength: 40 })),
    from: Type.Optional(Type.String({ maxLength: 40, description: 'Created; included.' })),
    to: Type.Optional(Type.String({ maxLength: 40, description: 'Created; not included.' })),
    has_tickets: Type.Optional(Type.Boolean({ description: 'With a ticket that waits for staff.' })),
    own_margin: Type.Optional(Type.Boolean()),
    sort: Type.Optional(
      Type.Enum(['created', 'name', 'balance', 'spent', 'last_use'], {
        description: 'Figures other than the name may be a minute old in the order; `balance` itself is exact.',
      }),
    ),
    ...PAGE_QUERY,
  }),
  result: listOf(ListedAccount),
  access: STAFF_READ,
});

export const getAccount = describeRoute({
  method: 'GET',
  path: `${path}/:id`,
  operationId: 'getAccount',
  tag,
  summary: { fa: 'یک حساب', en: 'One account' },
  result: AccountSchema,
  errors: ['not_found'],
  access: STAFF_READ,
});

export const changeAccount = describeRoute({
  method: 'PATCH',
  path: `${path}/:id`,
  operationId: 'changeAccount',
  tag,
  summary: { fa: 'تغییر نام، قواعد یا تقویم حساب', en: 'Change name, rules or calendar' },
  description: 'Only the fields given change. `null` lifts a limit.',
  body: AccountChange,
  result: AccountSchema,
  errors: ['not_found', 'conflict'],
  example: { rules: { rpm: 1200 } },
  access: WRITE,
});

export const getAccountWallet = describeRoute({
  method: 'GET',
  path: `${path}/:id/wallet`,
  operationId: 'getAccountWallet',
  tag,
  summary: { fa: 'کیف پول و مصرف دوره‌ها', en: 'Wallet, what is held, and spend per period' },
  result: Balances,
  errors: ['not_found'],
  access: STAFF_READ,
});
