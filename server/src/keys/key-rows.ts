/** Every statement on `api_key`. */
import {
  column,
  columnsOf,
  command,
  notNull,
  orNull,
  type Queryable,
  type RowOf,
  readAs,
  statement,
} from '../platform/db/index.ts';
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

const keyRow = {
  id: column.text,
  account_id: column.text,
  name: column.text,
  prefix: column.text,
  last4: column.text,
  rules: column.json,
  managed_by: column.textOf<ManagedBy>(),
  purpose: column.textOf<ApiKey['purpose']>(),
  log_prompts: orNull(column.jsonOf<PromptLogging>()),
  overlap_last4: orNull(column.text),
  overlap_until: orNull(column.timestamp),
  created_by: orNull(column.text),
  created_at: column.timestamp,
  updated_at: column.timestamp,
  revoked_at: orNull(column.timestamp),
};
type KeyRow = RowOf<typeof keyRow>;
const KEY = columnsOf(keyRow);

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

const KEY_BY_ID = statement(keyRow, `select ${KEY} from api_key where id = $1`);
const LOCKED_KEY = statement(keyRow, `${KEY_BY_ID.text} for update`);

export async function selectKey(db: Queryable, id: string, lock = false): Promise<ApiKey | undefined> {
  const row = await (lock ? LOCKED_KEY : KEY_BY_ID).first(db, [id]);
  return row && toKey(row);
}

const DIGEST = statement({ digest: column.bytes }, 'select digest from api_key where id = $1');
export const DIGEST_OF_LIVE_KEY = statement({ digest: column.bytes }, `${DIGEST.text} and revoked_at is null`);

export async function selectDigest(db: Queryable, id: string): Promise<Buffer | undefined> {
  return (await DIGEST.first(db, [id]))?.digest;
}

const ACCOUNT_RULES = statement({ rules: column.json }, 'select rules from account where id = $1 for share');

/** Shared lock: the account's limits must not change between the check of a key's rules and their writing. */
export async function selectAccountRules(tx: Queryable, accountId: string): Promise<AccountRules | undefined> {
  const row = await ACCOUNT_RULES.first(tx, [accountId]);
  return row && readStoredAccountRules(row.rules);
}

const KEYS = statement(
  keyRow,
  `select ${KEY} from api_key
    where ($1::text is null or account_id = $1) and ($2::timestamptz is null or (created_at, id) < ($2, $3))
    order by created_at desc, id desc limit $4`,
);

export async function selectKeys(
  db: Queryable,
  accountId: string | undefined,
  start: PageStart,
): Promise<Page<ApiKey>> {
  const rows = await KEYS.rows(db, [accountId ?? null, start.time, start.id, start.fetch]);
  return toPage(rows.map(toKey), start, ({ createdAt, id }) => ({ time: createdAt, id }));
}

const DEMANDING_KEYS = statement(
  { rules: column.json },
  `select rules from api_key
    where account_id = $1 and revoked_at is null and jsonb_typeof(rules -> 'data_policy') = 'object'`,
);

/** Rules of the account's keys that demand something about data. */
export async function selectDemandingRules(db: Queryable, accountId: string): Promise<KeyRules[]> {
  return (await DEMANDING_KEYS.rows(db, [accountId])).map(({ rules }) => readStoredKeyRules(rules));
}

const INSERT_KEY = command(
  `insert into api_key (id, account_id, name, digest, prefix, last4, rules, managed_by, created_at, updated_at,
                        purpose, log_prompts, created_by)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10, $11, $12)`,
);

export async function insertKey(tx: Queryable, key: ApiKey, digest: Buffer): Promise<void> {
  await INSERT_KEY.run(tx, [
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
  ]);
}

const UPDATE_KEY = command(
  `update api_key set name = $2, prefix = $3, last4 = $4, rules = $5, managed_by = $6, updated_at = $7, revoked_at = $8,
          digest = coalesce($9, digest), log_prompts = $10, overlap_last4 = $11, overlap_until = $12,
          overlap_digest = case when $13 then $14 else overlap_digest end
    where id = $1`,
);

/** `overlapDigest` null ends the overlap; absent leaves it. */
export async function updateKey(tx: Queryable, key: ApiKey, { digest, overlapDigest }: KeyDigests = {}): Promise<void> {
  await UPDATE_KEY.run(tx, [
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
  ]);
}

const CONFIG_KEYS_EXCEPT = statement(
  keyRow,
  `select ${KEY} from api_key
    where managed_by = 'config' and revoked_at is null and id <> all($1::text[]) order by id for update`,
);

/** Config-managed keys that are live but not among `ids`. */
export async function selectConfigKeysExcept(tx: Queryable, ids: readonly string[]): Promise<ApiKey[]> {
  return (await CONFIG_KEYS_EXCEPT.rows(tx, [ids])).map(toKey);
}

const REVOKE_ALL = statement(
  { id: column.text },
  'update api_key set revoked_at = $2, updated_at = $2 where account_id = $1 and revoked_at is null returning id',
);

/** Ids of what was live; config-managed ones too, since their account ends. */
export async function revokeAll(tx: Queryable, accountId: string, at: Date): Promise<string[]> {
  return (await REVOKE_ALL.rows(tx, [accountId, at])).map(({ id }) => id);
}

const KEY_NAMES = statement(
  { id: column.text, name: column.text },
  'select id, name from api_key where account_id = $1 and id = any($2::text[])',
);

export async function selectKeyNames(
  db: Queryable,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const found = await KEY_NAMES.rows(db, [accountId, ids]);
  return new Map(found.map(({ id, name }) => [id, name]));
}

const ownLoggingRow = { id: column.text, name: column.text, logPrompts: notNull(column.jsonOf<PromptLogging>()) };
const OWN_LOGGING = statement(
  ownLoggingRow,
  `select ${columnsOf(ownLoggingRow)} from api_key
    where account_id = $1 and log_prompts is not null and revoked_at is null order by created_at desc, id desc limit 200`,
);

export function selectOwnLogging(db: Queryable, accountId: string): Promise<RowOf<typeof ownLoggingRow>[]> {
  return OWN_LOGGING.rows(db, [accountId]);
}

const PLAYGROUND_KEY = statement(
  keyRow,
  `select ${KEY} from api_key where account_id = $1 and purpose = 'playground' and revoked_at is null`,
);

export async function selectPlayground(db: Queryable, accountId: string): Promise<ApiKey | undefined> {
  const row = await PLAYGROUND_KEY.first(db, [accountId]);
  return row && toKey(row);
}

const foundKeyRow = {
  id: column.text,
  name: column.text,
  rules: column.json,
  account_id: readAs('a.id', column.text),
  account_name: readAs('a.name', column.text),
  account_rules: readAs('a.rules', column.json),
  calendar: readAs('a.calendar', column.json),
  margin: readAs('a.margin', orNull(column.text)),
  own_caps: readAs('a.own_caps', orNull(column.json)),
  blocked_at: readAs('a.blocked_at', orNull(column.timestamp)),
  blocked_until: readAs('a.blocked_until', orNull(column.timestamp)),
  blocked_reason: readAs('a.blocked_reason', orNull(column.text)),
  log_prompts: readAs('coalesce(k.log_prompts, a.log_prompts)', orNull(column.jsonOf<PromptLogging>())),
  /** The budgets that the key spends from. */
  budgets: readAs(
    `(select jsonb_agg(jsonb_build_object('id', b.id, 'name', b.name, 'caps', b.caps) order by b.id)
      from shared_budget b join shared_budget_key m on m.budget_id = b.id where m.key_id = k.id)`,
    orNull(column.json),
  ),
  /** The account's own keys at providers. */
  own_keys: readAs(
    `(select jsonb_agg(jsonb_build_object('id', o.id, 'provider', o.provider_id, 'sealed', o.sealed,
      'fallback', o.fallback) order by o.id) from own_provider_key o where o.account_id = a.id)`,
    orNull(column.json),
  ),
  /** Null when the key's present text was used; otherwise until when the former text works. */
  valid_until: readAs('case when k.digest = $1 then null else k.overlap_until end', orNull(column.timestamp)),
};
export const FIND_KEY = statement(
  foundKeyRow,
  `select ${columnsOf(foundKeyRow, 'k')}
     from api_key k join account a on a.id = k.account_id
    where (k.digest = $1 or (k.overlap_digest = $1 and k.overlap_until > $2)) and k.revoked_at is null
      and a.closed_at is null`,
  { name: 'find-key' },
);
