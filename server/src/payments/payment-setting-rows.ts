/** What is read and written of the settings of payments: the seller, banks and gateways. */

import type { JsonObject } from '../core/json.ts';
import { column, command, orNull, statement } from '../platform/db/index.ts';

export const SETTINGS_NAMED = statement(
  { key: column.text, value: column.json },
  'select key, value from setting where key = any($1)',
);

export const SETTING_NAMED = statement({ value: column.json }, 'select value from setting where key = $1');

export const BANKS_IN_BOOKS = statement(
  { id: column.text },
  `select substr(id, 6) as id from ledger_account where id like 'bank:%'`,
);

export const LOCK_GATEWAYS = command('lock table payment_gateway in share row exclusive mode');

export const STORED_GATEWAY = statement(
  { enabled: column.boolean, sealed: orNull(column.text), options: column.jsonOf<JsonObject>() },
  'select enabled, sealed, options from payment_gateway where id = $1',
);

export const STORE_GATEWAY =
  command(`insert into payment_gateway (id, enabled, sealed, options, updated_at) values ($1, $2, $3, $4, $5)
           on conflict (id) do update set enabled = excluded.enabled, sealed = excluded.sealed, options = excluded.options,
             updated_at = excluded.updated_at`);

export const STORED_GATEWAYS = statement(
  { id: column.text, enabled: column.boolean, sealed: orNull(column.text), options: column.jsonOf<JsonObject>() },
  'select id, enabled, sealed, options from payment_gateway',
);
