/** The statements that list accounts for staff, with their figures. */
import { adder, type Conditions } from '../platform/db/conditions.ts';
import { column, columnsOf, type RowOf, readAs, statementFor } from '../platform/db/index.ts';
import { addWords } from '../platform/db/search-words.ts';
import { accountRow } from './account-rows.ts';

export interface AccountListFilter {
  words?: string | undefined;
  /** Numbers and addresses of its people, and whom its invoices are made out to, are searched too. */
  privateWords: boolean;
  state?: 'active' | 'paused' | 'blocked' | 'closed' | 'negative' | undefined;
  balanceFrom?: bigint | undefined;
  balanceTo?: bigint | undefined;
  spentOver?: bigint | undefined;
  usedFrom?: number | undefined;
  usedTo?: number | undefined;
  createdFrom?: number | undefined;
  createdTo?: number | undefined;
  hasTickets?: boolean | undefined;
  ownMargin?: boolean | undefined;
}

export type AccountSort = 'created' | 'name' | 'balance' | 'spent' | 'last_use';

interface Order {
  column: string;
  direction: 'asc' | 'desc';
  /** The value as text, and the text as a value. */
  text: string;
  cast: string;
  form: RegExp;
}

const TIME = (column: string): Order => ({
  column,
  direction: 'desc',
  text: `(extract(epoch from ${column}) * 1000000)::numeric(38, 0)::text`,
  cast: `(timestamptz '1970-01-01 00:00:00+00' + §::bigint * interval '1 microsecond')`,
  form: /^\d{1,17}$/,
});
const AMOUNT = (column: string): Order => ({
  column,
  direction: 'desc',
  text: `${column}::text`,
  cast: '§::numeric',
  form: /^-?\d{1,38}$/,
});
const ORDERS: Record<AccountSort, Order> = {
  created: TIME('figures.created_at'),
  name: { column: 'figures.name', direction: 'asc', text: 'figures.name', cast: '§::text', form: /^[^\0]{0,200}$/s },
  balance: AMOUNT('figures.balance'),
  spent: AMOUNT('figures.spent_30_days'),
  last_use: TIME('figures.last_at'),
};

const figuresRow = {
  state: readAs('figures.state', column.text),
  balance: readAs('coalesce(wallet.posted, 0)::text', column.text),
  spent_today: readAs('figures.spent_today::text', column.text),
  spent_30_days: readAs('figures.spent_30_days::text', column.text),
  last_at: readAs('figures.last_at', column.timestamp),
  keys: readAs('figures.keys', column.int),
  members: readAs('figures.members', column.int),
  open_tickets: readAs('figures.open_tickets', column.int),
};
const listedRow = {
  ...accountRow,
  ...figuresRow,
  /** The account's place in the order of the list. */
  place: column.text,
};
export type ListedAccountRow = RowOf<typeof listedRow>;

/** `where` from `joined`; $n as it numbers them. */
export const LISTED_ACCOUNTS = statementFor(
  listedRow,
  (sort: AccountSort, where: string, limit: number) => {
    const order = ORDERS[sort];
    const by = `${order.column} ${order.direction}, figures.account_id ${order.direction}`;
    return `select ${columnsOf(accountRow, 'account')}, ${columnsOf(figuresRow)}, ${order.text} as place
       from (select * from account_figures figures ${where} order by ${by} limit ${Math.trunc(limit)}) as figures
       cross join lateral (select * from account where account.id = figures.account_id limit 1) as account
       left join ledger_account wallet on wallet.id = 'wallet:' || figures.account_id order by ${by}`;
  },
  ['created', '', 1],
  ['name', '', 1],
  ['balance', '', 1],
  ['spent', '', 1],
  ['last_use', '', 1],
);
export const COUNT_LISTED_ACCOUNTS = statementFor(
  { n: column.int },
  (where: string, max: number) => `select count(*)::integer as n from (
     select from account_figures figures ${where} limit ${Math.trunc(max)}) as counted`,
  ['', 1],
);

/** Whether the text can be a place in this order. */
export function isPlaceIn(sort: AccountSort, value: string): boolean {
  return ORDERS[sort].form.test(value);
}

/** Those behind a place, which `isPlaceIn` has accepted. */
export function behindPlace(sort: AccountSort, value: string, id: string): Conditions {
  const { column, direction, cast } = ORDERS[sort];
  const sign = direction === 'asc' ? '>' : '<';
  return { parts: [`(${column}, figures.account_id) ${sign} (${cast}, §)`], values: [value, id] };
}

const BY_NAME = `select account_id from account_word where word like § and source = 'name'`;
const BY_ANYTHING = `select account_id from account_word where word like §
  union all select membership.account_id from person_word join membership using (person_id) where word like §`;
/** Few are blocked, and an index has them; a block that has run out is none. */
const BLOCKED_NOW = `figures.account_id in (select id from account
  where blocked_at is not null and closed_at is null and (blocked_until is null or blocked_until > ?))`;

export function conditionsOfAccounts(filter: AccountListFilter, nowMs: number): Conditions {
  const found: Conditions = { parts: [], values: [] };
  const add = adder(found);
  const time = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms));
  addWords(found, filter.words, 'figures.account_id', filter.privateWords ? BY_ANYTHING : BY_NAME);
  if (filter.state === 'negative') found.parts.push('figures.balance < 0');
  else if (filter.state === 'blocked') add(BLOCKED_NOW, new Date(nowMs));
  else add('figures.state = ?', filter.state);
  add('figures.balance >= ?::numeric', filter.balanceFrom?.toString());
  add('figures.balance <= ?::numeric', filter.balanceTo?.toString());
  add('figures.spent_30_days > ?::numeric', filter.spentOver?.toString());
  add('figures.last_at >= ?', time(filter.usedFrom));
  add('figures.last_at < ?', time(filter.usedTo));
  add('figures.created_at >= ?', time(filter.createdFrom));
  add('figures.created_at < ?', time(filter.createdTo));
  if (filter.hasTickets) found.parts.push('figures.open_tickets > 0');
  if (filter.ownMargin)
    found.parts.push(
      'exists (select from account where account.id = figures.account_id and account.margin is not null)',
    );
  return found;
}
