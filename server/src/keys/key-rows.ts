/** Every statement on `api_key` that writes or lists. (The one that finds a presented key is in directory.ts.) */
import type { Json } from '../core/json.ts';
import type { Queryable } from '../platform/db/index.ts';
import { type Page, type PageStart, toPage } from '../platform/db/pages.ts';
import type { AccountRules, KeyRules, PromptLogging } from './rules.ts';
import { readStoredAccountRules, readStoredKeyRules, renderKeyRules } from './rules-schema.ts';

type ManagedBy = 'config' | 'operator';

export interface ApiKey {
  id: string;
  accountId: string;
  name: string;
  /** Parts of the text that may be shown. */
  prefix: string;
  last4: string;
  rules: KeyRules;
  managedBy: ManagedBy;
  /** `playground`: charged by the console, its text never leaves the server. */
  purpose: 'api' | 'playground';
  /** Whether texts are kept, and how long; null: as the account says. */
  logPrompts: PromptLogging | null;
  /** The former text of a rotated key, while both work. */
  overlap: { last4: string; until: Date } | null;
  /** Who made it, as the audit log names them; null where that is not known. */
  createdBy: string | null;
  createdAt: Date;
  updatedAt: Date;
  revokedAt: Date | null;
}

export type KeyDigests = { digest?: Buffer; overlapDigest?: Buffer | null };

interface KeyRow {
  id: string;
  account_id: string;
  name: string;
  prefix: string;
  last4: string;
  rules: Json;
  managed_by: ManagedBy;
  purpose: ApiKey['purpose'];
  log_prompts: PromptLogging | null;
  overlap_last4: string | null;
  overlap_until: Date | null;
  created_by: string | null;
  created_at: Date;
  updated_at: Date;
  revoked_at: Date | null;
}

const COLUMNS = `id, account_id, name, prefix, last4, rules, managed_by, purpose, log_prompts, overlap_last4, overlap_until,
  created_by, created_at, updated_at, revoked_at`;

function toKey(row: KeyRow): ApiKey {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    prefix: row.prefix,
    last4: row.last4,
    rules: readStoredKeyRules(row.rules),
    managedBy: row.managed_by,
    purpose: row.purpose,
    logPrompts: row.log_prompts,
    overlap:
      row.overlap_last4 === null || row.overlap_until === null
        ? null
        : { last4: row.overlap_last4, until: row.overlap_until },
    createdBy: row.created_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    revokedAt: row.revoked_at,
  };
}

export async function selectKey(db: Queryable, id: string, lock = false): Promise<ApiKey | undefined> {
  const [row] = await db.query<KeyRow>(`select ${COLUMNS} from api_key where id = $1${lock ? ' for update' : ''}`, [
    id,
  ]);
  return row && toKey(row);
}

export async function selectDigest(db: Queryable, id: string): Promise<Buffer | undefined> {
  const [row] = await db.query<{ digest: Buffer }>('select digest from api_key where id = $1', [id]);
  return row?.digest;
}

/** Shared lock: the account's limits must not change between the check of a key's rules and their writing. */
export async function selectAccountRules(tx: Queryable, accountId: string): Promise<AccountRules | undefined> {
  const [row] = await tx.query<{ rules: Json }>('select rules from account where id = $1 for share', [accountId]);
  return row && readStoredAccountRules(row.rules);
}

export async function selectKeys(
  db: Queryable,
  accountId: string | undefined,
  start: PageStart,
): Promise<Page<ApiKey>> {
  const rows = await db.query<KeyRow>(
    `select ${COLUMNS} from api_key
      where ($1::text is null or account_id = $1) and ($2::timestamptz is null or (created_at, id) < ($2, $3))
      order by created_at desc, id desc limit $4`,
    [accountId ?? null, start.time, start.id, start.fetch],
  );
  return toPage(rows.map(toKey), start, ({ createdAt, id }) => ({ time: createdAt, id }));
}

export async function insertKey(tx: Queryable, key: ApiKey, digest: Buffer): Promise<void> {
  await tx.query(
    `insert into api_key (id, account_id, name, digest, prefix, last4, rules, managed_by, created_at, updated_at,
                          purpose, log_prompts, created_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10, $11, $12)`,
    [
      key.id,
      key.accountId,
      key.name,
      digest,
      key.prefix,
      key.last4,
      renderKeyRules(key.rules),
      key.managedBy,
      key.createdAt,
      key.purpose,
      key.logPrompts,
      key.createdBy,
    ],
  );
}

/** `overlapDigest` null ends the overlap; absent leaves it. */
export async function updateKey(tx: Queryable, key: ApiKey, { digest, overlapDigest }: KeyDigests = {}): Promise<void> {
  await tx.query(
    `update api_key set name = $2, prefix = $3, last4 = $4, rules = $5, managed_by = $6, updated_at = $7, revoked_at = $8,
            digest = coalesce($9, digest), log_prompts = $10, overlap_last4 = $11, overlap_until = $12,
            overlap_digest = case when $13 then $14 else overlap_digest end
      where id = $1`,
    [
      key.id,
      key.name,
      key.prefix,
      key.last4,
      renderKeyRules(key.rules),
      key.managedBy,
      key.updatedAt,
      key.revokedAt,
      digest ?? null,
      key.logPrompts,
      key.overlap?.last4 ?? null,
      key.overlap?.until ?? null,
      overlapDigest !== undefined,
      overlapDigest ?? null,
    ],
  );
}

/** Config-managed keys that are live but not among `ids`. */
export async function selectConfigKeysExcept(tx: Queryable, ids: readonly string[]): Promise<ApiKey[]> {
  const rows = await tx.query<KeyRow>(
    `select ${COLUMNS} from api_key
      where managed_by = 'config' and revoked_at is null and id <> all($1::text[]) order by id for update`,
    [ids],
  );
  return rows.map(toKey);
}

/** Ids of what was live; config-managed ones too, since their account ends. */
export async function revokeAll(tx: Queryable, accountId: string, at: Date): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    'update api_key set revoked_at = $2, updated_at = $2 where account_id = $1 and revoked_at is null returning id',
    [accountId, at],
  );
  return rows.map(({ id }) => id);
}

export async function selectKeyNames(
  db: Queryable,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const found = await db.query<{ id: string; name: string }>(
    'select id, name from api_key where account_id = $1 and id = any($2::text[])',
    [accountId, ids],
  );
  return new Map(found.map(({ id, name }) => [id, name]));
}

export function selectOwnLogging(
  db: Queryable,
  accountId: string,
): Promise<{ id: string; name: string; logPrompts: PromptLogging }[]> {
  return db.query(
    `select id, name, log_prompts as "logPrompts" from api_key
      where account_id = $1 and log_prompts is not null and revoked_at is null order by created_at desc, id desc limit 200`,
    [accountId],
  );
}

export async function selectPlayground(db: Queryable, accountId: string): Promise<ApiKey | undefined> {
  const [row] = await db.query<KeyRow>(
    `select ${COLUMNS} from api_key where account_id = $1 and purpose = 'playground' and revoked_at is null`,
    [accountId],
  );
  return row && toKey(row);
}
