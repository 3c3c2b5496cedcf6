/** Every statement on operator tokens and on management keys. */
import type { OperatorScope } from '@dargah/core/operator-scopes.ts';
import { column, columnsOf, command, orNull, type RowOf, readAs, statement } from '../platform/db/index.ts';

const operatorTokenRow = {
  id: column.text,
  name: column.text,
  last4: column.text,
  scopes: column.jsonOf<OperatorScope[]>(),
  /** Null only for the token of the environment. */
  expiresAt: orNull(column.timestamp),
  createdBy: column.text,
  createdAt: column.timestamp,
  lastUsedAt: orNull(column.timestamp),
  revokedAt: orNull(column.timestamp),
  /** What it may credit by hand, with one act and in one day, in micro-toman as text. */
  creditAct: readAs('credit_act::text', column.text),
  creditDay: readAs('credit_day::text', column.text),
};
export type OperatorToken = RowOf<typeof operatorTokenRow>;
const TOKEN = columnsOf(operatorTokenRow);

const MAX_LISTED = 200;
/** All tokens except that of the environment, whose id is $1. */
export const OPERATOR_TOKENS = statement(
  operatorTokenRow,
  `select ${TOKEN} from operator_token where id <> $1 order by created_at desc, id desc limit ${MAX_LISTED}`,
);
export const LOCKED_OPERATOR_TOKEN = statement(
  operatorTokenRow,
  `select ${TOKEN} from operator_token where id = $1 and digest is not null for update`,
);
export const FIND_OPERATOR_TOKEN = statement(
  operatorTokenRow,
  `select ${TOKEN} from operator_token where digest = $1 and revoked_at is null and expires_at > $2`,
  { name: 'find-operator-token-2' },
);
export const LOCK_OPERATOR_TOKENS = command('lock table operator_token in share row exclusive mode');
export const NAMES_OF_LIVE_TOKENS = statement(
  { name: column.text },
  'select name from operator_token where digest is not null and revoked_at is null and expires_at > $1',
);
export const INSERT_OPERATOR_TOKEN = command(
  `insert into operator_token (id, name, digest, last4, scopes, expires_at, created_by, created_at)
   values ($1, $2, $3, $4, $5::jsonb, $6, $7, $8)`,
);
export const REVOKE_OPERATOR_TOKEN = command('update operator_token set revoked_at = $2 where id = $1');
export const SET_CREDIT_LIMITS = command('update operator_token set credit_act = $2, credit_day = $3 where id = $1');
export const NOTE_TOKEN_USE = command('update operator_token set last_used_at = $2 where id = $1');
export const NOTE_ENVIRONMENT_USE = command(
  `insert into operator_token (id, name, last4, scopes, created_by, created_at, last_used_at)
   values ($1, $1, '', '[]', $1, $2, $2) on conflict (id) do update set last_used_at = excluded.last_used_at`,
);
export const LAST_USE_OF_TOKEN = statement(
  { at: orNull(column.timestamp) },
  'select last_used_at as at from operator_token where id = $1',
);

const managementKeyRow = {
  id: column.text,
  accountId: column.text,
  name: column.text,
  prefix: column.text,
  last4: column.text,
  resources: column.jsonOf<Record<string, 'read' | 'write'>>(),
  ips: orNull(column.jsonOf<string[]>()),
  expiresAt: orNull(column.timestamp),
  createdBy: column.text,
  createdAt: column.timestamp,
  lastUsedAt: orNull(column.timestamp),
  revokedAt: orNull(column.timestamp),
};
export type ManagementKey = RowOf<typeof managementKeyRow>;
const KEY = columnsOf(managementKeyRow);

export const MANAGEMENT_KEYS = statement(
  managementKeyRow,
  `select ${KEY} from management_key where account_id = $1 order by created_at desc, id desc limit 200`,
);
export const FIND_MANAGEMENT_KEY = statement(
  managementKeyRow,
  `select ${KEY} from management_key where digest = $1 and revoked_at is null and (expires_at is null or expires_at > $2)`,
  { name: 'find-management-key' },
);
export const LIVE_MANAGEMENT_KEYS = statement(
  {},
  'select from management_key where account_id = $1 and revoked_at is null',
);
export const INSERT_MANAGEMENT_KEY = command(
  `insert into management_key (id, account_id, name, digest, prefix, last4, resources, ips, expires_at, created_by, created_at)
   values ($1, $2, $3, $4, $5, $6, $7::jsonb, $8::jsonb, $9, $10, $11)`,
);
export const REVOKE_MANAGEMENT_KEY = statement(
  managementKeyRow,
  `update management_key set revoked_at = coalesce(revoked_at, $3) where account_id = $1 and id = $2 returning ${KEY}`,
);
export const REVOKE_MANAGEMENT_KEYS = statement(
  { id: column.text },
  'update management_key set revoked_at = $2 where account_id = $1 and revoked_at is null returning id',
);
export const NOTE_MANAGEMENT_KEY_USE = command('update management_key set last_used_at = $2 where id = $1');
