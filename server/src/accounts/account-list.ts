/** Accounts for staff: found by words, sorted by what they hold and spend, with their figures in the same answer. */
import type { Clock } from '../core/clock.ts';
import { parseTrustedJson } from '../core/json.ts';
import { type Money, money } from '../core/money.ts';
import { isBlocked, refuseCursor } from '../keys/index.ts';
import { cutPage, reportOn, type Walked } from '../lists/index.ts';
import { type Conditions, joined } from '../platform/db/conditions.ts';
import type { Database } from '../platform/db/index.ts';
import type { AccountListFilter, AccountSort, ListedAccountRow } from './account-list-rows.ts';
import * as rows from './account-list-rows.ts';
import { type Account, toAccount } from './account-rows.ts';

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
  /** The account's place in the order of the list. */
  place: string;
}

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
    const { text, values } = joined([rows.conditionsOfAccounts(filter, this.#clock.now()), behind(sort, after)]);
    const found = await reportOn(this.#db, use, (tx) => rows.LISTED_ACCOUNTS(sort, text, limit + 1).rows(tx, values));
    const listed = found.map((row) => toListed(row, this.#clock.now()));
    return cutPage(listed, limit, ({ place, account }) =>
      Buffer.from(JSON.stringify([place, account.id])).toString('base64url'),
    );
  }

  async count(filter: AccountListFilter, max: number): Promise<number> {
    const { text, values } = joined([rows.conditionsOfAccounts(filter, this.#clock.now())]);
    const { n } = await reportOn(this.#db, 'list', (tx) => rows.COUNT_LISTED_ACCOUNTS(text, max + 1).only(tx, values));
    return n;
  }
}

function toListed(row: ListedAccountRow, nowMs: number): ListedAccount {
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

function behind(sort: AccountSort, after: string | null): Conditions {
  if (after === null) return { parts: [], values: [] };
  const [value, id] = placeIn(after);
  if (!rows.isPlaceIn(sort, value)) refuseCursor();
  return rows.behindPlace(sort, value, id);
}

function placeIn(after: string): [string, string] {
  const place = parseTrustedJson(Buffer.from(after, 'base64url').toString());
  const [value, id] = Array.isArray(place) ? place : [];
  return typeof value === 'string' && typeof id === 'string' && !id.includes('\0') ? [value, id] : refuseCursor();
}
