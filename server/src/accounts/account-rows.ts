/** Every statement on `account`. */
import type { Json } from '../core/json.ts';
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
import type { Queryable } from '../platform/db/index.ts';

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

export interface AccountRow {
  id: string;
  name: string;
  rules: Json;
  calendar: Json;
  own_caps: Json;
  managed_by: Account['managedBy'];
  log_prompts: PromptLogging | null;
  margin: string | null;
  closed_at: Date | null;
  blocked_at: Date | null;
  blocked_until: Date | null;
  blocked_reason: string | null;
  blocked_by: string | null;
  created_at: Date;
  updated_at: Date;
}

export const ACCOUNT_COLUMNS = `id, name, rules, calendar, own_caps, managed_by, log_prompts, margin, closed_at, blocked_at, blocked_until,
  blocked_reason, blocked_by, created_at, updated_at`;

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

export async function selectAccount(db: Queryable, id: string, lock = false): Promise<Account | undefined> {
  const text = `select ${ACCOUNT_COLUMNS} from account where id = $1${lock ? ' for update' : ''}`;
  const [row] = await db.query<AccountRow>(text, [id]);
  return row && toAccount(row);
}

function values(account: Account): unknown[] {
  const { id, name, rules, calendar, managedBy, updatedAt, logPrompts, closedAt } = account;
  return [id, name, renderAccountRules(rules), renderCalendar(calendar), managedBy, updatedAt, logPrompts, closedAt];
}

export async function updateMargin(tx: Queryable, id: string, margin: string | null, now: Date): Promise<void> {
  await tx.query('update account set margin = $2, updated_at = $3 where id = $1', [id, margin, now]);
}

export async function updateOwnCaps(tx: Queryable, id: string, caps: OwnCaps | null, now: Date): Promise<void> {
  const stored = caps === null ? null : renderOwnCaps(caps);
  await tx.query('update account set own_caps = $2, updated_at = $3 where id = $1', [id, stored, now]);
}

export async function updateBlock(tx: Queryable, id: string, block: BlockOfAccount | null, now: Date): Promise<void> {
  await tx.query(
    `update account set blocked_at = $2, blocked_until = $3, blocked_reason = $4, blocked_by = $5, updated_at = $6
      where id = $1`,
    [id, block?.at ?? null, block?.until ?? null, block?.reason ?? null, block?.by ?? null, now],
  );
}

export async function selectBlocked(db: Queryable, now: Date): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    'select id from account where blocked_at is not null and (blocked_until is null or blocked_until > $1)',
    [now],
  );
  return rows.map(({ id }) => id);
}

export async function insertAccount(tx: Queryable, account: Account): Promise<void> {
  await tx.query(
    `insert into account (id, name, rules, calendar, managed_by, updated_at, log_prompts, closed_at, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [...values(account), account.createdAt],
  );
}

export async function updateAccount(tx: Queryable, account: Account): Promise<void> {
  await tx.query(
    `update account set name = $2, rules = $3, calendar = $4, managed_by = $5, updated_at = $6, log_prompts = $7,
            closed_at = $8 where id = $1`,
    values(account),
  );
}
