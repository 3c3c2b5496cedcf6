/** Every statement on customers' own keys at providers, and on short-lived secrets for browsers and phones. */
import type { JsonObject } from '../core/json.ts';
import {
  column,
  columnsOf,
  command,
  orNull,
  type Queryable,
  type RowOf,
  readAs,
  statement,
} from '../platform/db/index.ts';

const ownKeyRow = {
  id: column.text,
  provider: readAs('provider_id', column.text),
  name: column.text,
  last4: orNull(column.text),
  fallback: column.boolean,
  createdBy: column.text,
  createdAt: column.timestamp,
  updatedAt: column.timestamp,
};
export type OwnKey = RowOf<typeof ownKeyRow>;
const OWN_KEY = columnsOf(ownKeyRow);

export const OWN_KEYS = statement(
  ownKeyRow,
  `select ${OWN_KEY} from own_provider_key where account_id = $1 order by provider_id`,
);
export const LOCKED_OWN_KEY = statement(
  ownKeyRow,
  `select ${OWN_KEY} from own_provider_key where account_id = $1 and id = $2 for update`,
);
export const INSERT_OWN_KEY = command(
  `insert into own_provider_key (id, account_id, provider_id, name, sealed, last4, fallback, created_by, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)`,
);
export const UPDATE_OWN_KEY = command(
  'update own_provider_key set name = $2, fallback = $3, updated_at = $4 where id = $1',
);
export const DELETE_OWN_KEY = command('delete from own_provider_key where id = $1');
const FORGET_OWN_KEYS = command('delete from own_provider_key where account_id = $1');

/** Deletes the own keys of an account that was closed. */
export async function forgetOwnKeys(tx: Queryable, accountId: string): Promise<void> {
  await FORGET_OWN_KEYS.run(tx, [accountId]);
}

/** No row when the account has $9 living ones already. */
export const INSERT_CLIENT_SECRET = statement(
  { model: column.text },
  `insert into realtime_secret (digest, key_digest, key_id, account_id, model, session, created_at, expires_at)
   select $1, $2, $3, $4, $5, $6, $7, $8
    where (select count(*) from (select 1 from realtime_secret where account_id = $4 and expires_at > $7 limit $9::int) one)
          < $9::int
   returning model`,
);
export const FIND_CLIENT_SECRET = statement(
  { key_digest: column.bytes, model: column.text, session: column.jsonOf<JsonObject>() },
  'select key_digest, model, session from realtime_secret where digest = $1 and expires_at > $2',
);
export const FORGET_EXPIRED_SECRETS = command('delete from realtime_secret where expires_at <= $1');
const FORGET_CLIENT_SECRETS = command('delete from realtime_secret where account_id = $1');

/** Deletes the client secrets of an account that was closed. */
export async function forgetClientSecrets(db: Queryable, accountId: string): Promise<void> {
  await FORGET_CLIENT_SECRETS.run(db, [accountId]);
}
