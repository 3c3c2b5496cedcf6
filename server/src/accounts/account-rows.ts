/** Every statement on `account`. */
import {
  type AccountBlock,
  type AccountRules,
  type Calendar,
  type OwnCaps,
  type PromptLogging,
  parseCalendar,
  readStoredAccountRules,
  readStoredOwnCaps,
  renderAccountRules,
  renderCalendar,
  renderOwnCaps,
} from '../keys/index.ts';
import { column, columnsOf, command, orNull, type Queryable, type RowOf, statement } from '../platform/db/index.ts';

export interface Account {
  id: string;
  name: string;
  rules: AccountRules;
  calendar: Calendar;
  /** Caps that its own people set. */
  ownCaps: OwnCaps | null;
  managedBy: 'config' | 'operator';
  /** How long texts are kept; null keeps none. */
  logPrompts: PromptLogging | null;
  /** On top of list prices, decimal text; null: the margins of model, vendor and all decide. */
  margin: string | null;
  closedAt: Date | null;
  /** Staff closed its access; also a block that has run out. */
  blocked: BlockOfAccount | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface BlockOfAccount extends AccountBlock {
  /** The actor, as the audit log names it. */
  by: string;
}

export const accountRow = {
  id: column.text,
  name: column.text,
  rules: column.json,
  calendar: column.json,
  own_caps: orNull(column.json),
  managed_by: column.textOf<Account['managedBy']>(),
  log_prompts: orNull(column.jsonOf<PromptLogging>()),
  margin: orNull(column.text),
  closed_at: orNull(column.timestamp),
  blocked_at: orNull(column.timestamp),
  blocked_until: orNull(column.timestamp),
  blocked_reason: orNull(column.text),
  blocked_by: orNull(column.text),
  created_at: column.timestamp,
  updated_at: column.timestamp,
};
type AccountRow = RowOf<typeof accountRow>;
const COLUMNS = columnsOf(accountRow);

export function toAccount(row: AccountRow): Account {
  return {
    id: row.id,
    name: row.name,
    rules: readStoredAccountRules(row.rules),
    calendar: parseCalendar(row.calendar),
    ownCaps: readStoredOwnCaps(row.own_caps),
    managedBy: row.managed_by,
    logPrompts: row.log_prompts,
    margin: row.margin,
    closedAt: row.closed_at,
    blocked: blockOf(row),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function blockOf(row: AccountRow): BlockOfAccount | null {
  if (row.blocked_at === null) return null;
  return { at: row.blocked_at, until: row.blocked_until, reason: row.blocked_reason ?? '', by: row.blocked_by ?? '' };
}

const ACCOUNT = statement(accountRow, `select ${COLUMNS} from account where id = $1`);
const LOCKED_ACCOUNT = statement(accountRow, `${ACCOUNT.text} for update`);

export async function selectAccount(db: Queryable, id: string, lock = false): Promise<Account | undefined> {
  const row = await (lock ? LOCKED_ACCOUNT : ACCOUNT).first(db, [id]);
  return row && toAccount(row);
}

function values(account: Account): unknown[] {
  const { id, name, rules, calendar, managedBy, updatedAt, logPrompts, closedAt } = account;
  return [id, name, renderAccountRules(rules), renderCalendar(calendar), managedBy, updatedAt, logPrompts, closedAt];
}

const UPDATE_MARGIN = command('update account set margin = $2, updated_at = $3 where id = $1');

export async function updateMargin(tx: Queryable, id: string, margin: string | null, now: Date): Promise<void> {
  await UPDATE_MARGIN.run(tx, [id, margin, now]);
}

const UPDATE_OWN_CAPS = command('update account set own_caps = $2, updated_at = $3 where id = $1');

export async function updateOwnCaps(tx: Queryable, id: string, caps: OwnCaps | null, now: Date): Promise<void> {
  const stored = caps === null ? null : renderOwnCaps(caps);
  await UPDATE_OWN_CAPS.run(tx, [id, stored, now]);
}

const UPDATE_BLOCK = command(
  `update account set blocked_at = $2, blocked_until = $3, blocked_reason = $4, blocked_by = $5, updated_at = $6 where id = $1`,
);

export async function updateBlock(tx: Queryable, id: string, block: BlockOfAccount | null, now: Date): Promise<void> {
  const { at = null, until = null, reason = null, by = null } = block ?? {};
  await UPDATE_BLOCK.run(tx, [id, at, until, reason, by, now]);
}

const BLOCKED = statement(
  { id: column.text },
  'select id from account where blocked_at is not null and (blocked_until is null or blocked_until > $1)',
);

export async function selectBlocked(db: Queryable, now: Date): Promise<string[]> {
  const rows = await BLOCKED.rows(db, [now]);
  return rows.map(({ id }) => id);
}

const INSERT_ACCOUNT = command(
  `insert into account (id, name, rules, calendar, managed_by, updated_at, log_prompts, closed_at, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);

export async function insertAccount(tx: Queryable, account: Account): Promise<void> {
  await INSERT_ACCOUNT.run(tx, [...values(account), account.createdAt]);
}

const UPDATE_ACCOUNT = command(
  `update account set name = $2, rules = $3, calendar = $4, managed_by = $5, updated_at = $6, log_prompts = $7, closed_at = $8
   where id = $1`,
);

export async function updateAccount(tx: Queryable, account: Account): Promise<void> {
  await UPDATE_ACCOUNT.run(tx, values(account));
}

const KEYS_AND_MEMBERS = statement(
  { keys: column.int, members: column.int },
  `select (select count(*)::int from api_key where account_id = $1 and revoked_at is null and purpose = 'api') as keys,
          (select count(*)::int from membership where account_id = $1) as members`,
);

/** How many living keys and how many members the account has. */
export function countKeysAndMembers(db: Queryable, accountId: string): Promise<{ keys: number; members: number }> {
  return KEYS_AND_MEMBERS.only(db, [accountId]);
}

const NAMES = statement(
  { id: column.text, name: column.text },
  `select id, name from account where id = any($1::text[]) union all select id, name from api_key where id = any($2::text[])`,
);

/** What these accounts and keys are called, in one question. */
export async function selectNames(
  db: Queryable,
  accounts: readonly string[],
  keys: readonly string[],
): Promise<Record<string, string>> {
  const rows = await NAMES.rows(db, [accounts, keys]);
  return Object.fromEntries(rows.map(({ id, name }) => [id, name]));
}
