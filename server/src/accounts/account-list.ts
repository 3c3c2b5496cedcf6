/** Accounts for staff: found by words, sorted by what they hold and spend, with their figures in the same answer. */
import type { Clock } from '../core/clock.ts';
import { parseTrustedJson } from '../core/json.ts';
import { type Money, money } from '../core/money.ts';
import { isBlocked, refuseCursor } from '../keys/index.ts';
import { cutPage, reportOn, type Walked } from '../lists/index.ts';
import { adder, type Conditions, joined } from '../platform/db/conditions.ts';
import type { Database } from '../platform/db/index.ts';
import { addWords } from '../platform/db/search-words.ts';
import { ACCOUNT_COLUMNS, type Account, type AccountRow, toAccount } from './account-rows.ts';

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

export interface ListedAccount {
  account: Account;
  state: string;
  balance: Money;
  spentToday: Money;
  spent30Days: Money;
  lastAt: Date | null;
  keys: number;
  members: number;
  openTickets: number;
  /** Where it stands in the order of the list. */
  place: string;
}

interface ListedRow extends AccountRow {
  state: string;
  balance: string;
  spent_today: string;
  spent_30_days: string;
  last_at: Date;
  keys: number;
  members: number;
  open_tickets: number;
  place: string;
}

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

const BY_NAME = `select account_id from account_word where word like § and source = 'name'`;
const BY_ANYTHING = `select account_id from account_word where word like §
  union all select membership.account_id from person_word join membership using (person_id) where word like §`;

export class AccountList {
  readonly #db: Database;
  readonly #clock: Clock;

  constructor({ db, clock }: { db: Database; clock: Clock }) {
    this.#db = db;
    this.#clock = clock;
  }

  async page(
    filter: AccountListFilter,
    { after, limit, sort, use }: { after: string | null; limit: number; sort: AccountSort; use: 'list' | 'job' },
  ): Promise<Walked<ListedAccount>> {
    const order = ORDERS[sort];
    const { text, values } = joined([conditionsOf(filter, this.#clock.now()), behind(order, after)]);
    const by = `${order.column} ${order.direction}, figures.account_id ${order.direction}`;
    const columns = ACCOUNT_COLUMNS.split(', ').map((name) => `account.${name}`);
    const rows = await reportOn(this.#db, use, (tx) =>
      tx.query<ListedRow>(
        `select ${columns.join(', ')}, figures.state, coalesce(wallet.posted, 0)::text as balance,
           figures.spent_today::text as spent_today, figures.spent_30_days::text as spent_30_days, figures.last_at,
           figures.keys, figures.members, figures.open_tickets, ${order.text} as place
         from (select * from account_figures figures ${text} order by ${by} limit ${Math.trunc(limit) + 1}) as figures
         cross join lateral (select * from account where account.id = figures.account_id limit 1) as account
         left join ledger_account wallet on wallet.id = 'wallet:' || figures.account_id order by ${by}`,
        values,
      ),
    );
    const listed = rows.map((row) => toListed(row, this.#clock.now()));
    return cutPage(listed, limit, ({ place, account }) =>
      Buffer.from(JSON.stringify([place, account.id])).toString('base64url'),
    );
  }

  async count(filter: AccountListFilter, max: number): Promise<number> {
    const { text, values } = joined([conditionsOf(filter, this.#clock.now())]);
    return reportOn(this.#db, 'list', async (tx) => {
      const [row] = await tx.query<{ n: number }>(
        `select count(*)::integer as n from (
           select from account_figures figures ${text} limit ${max + 1}) as counted`,
        values,
      );
      return row?.n ?? 0;
    });
  }
}

function toListed(row: ListedRow, nowMs: number): ListedAccount {
  const account = toAccount(row);
  const isOut = account.blocked !== null && isBlocked(account.blocked, nowMs) && row.state !== 'closed';
  return {
    account,
    state: isOut ? 'blocked' : row.state,
    balance: money(BigInt(row.balance)),
    spentToday: money(BigInt(row.spent_today)),
    spent30Days: money(BigInt(row.spent_30_days)),
    lastAt: row.last_at.getTime() === 0 ? null : row.last_at,
    keys: row.keys,
    members: row.members,
    openTickets: row.open_tickets,
    place: row.place,
  };
}

function behind({ column, direction, cast, form }: Order, after: string | null): Conditions {
  if (after === null) return { parts: [], values: [] };
  const [value, id] = placeIn(after);
  if (!form.test(value)) refuseCursor();
  const sign = direction === 'asc' ? '>' : '<';
  return { parts: [`(${column}, figures.account_id) ${sign} (${cast}, §)`], values: [value, id] };
}

function placeIn(after: string): [string, string] {
  const place = parseTrustedJson(Buffer.from(after, 'base64url').toString());
  const [value, id] = Array.isArray(place) ? place : [];
  return typeof value === 'string' && typeof id === 'string' && !id.includes('\0') ? [value, id] : refuseCursor();
}

/** Few are blocked, and an index has them; a block that has run out is none. */
const BLOCKED = `figures.account_id in (select id from account
  where blocked_at is not null and closed_at is null and (blocked_until is null or blocked_until > ?))`;

function conditionsOf(filter: AccountListFilter, nowMs: number): Conditions {
  const found: Conditions = { parts: [], values: [] };
  const add = adder(found);
  const time = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms));
  addWords(found, filter.words, 'figures.account_id', filter.privateWords ? BY_ANYTHING : BY_NAME);
  if (filter.state === 'negative') found.parts.push('figures.balance < 0');
  else if (filter.state === 'blocked') add(BLOCKED, new Date(nowMs));
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
