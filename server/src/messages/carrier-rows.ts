/** Every statement on `message_carrier`. */
import type { JsonObject } from '../core/json.ts';
import { column, command, orNull, statement } from '../platform/db/index.ts';

export const LOCK_CARRIERS = command('lock table message_carrier in share row exclusive mode');

export const STORE_CARRIER = command(
  `insert into message_carrier (id, enabled, sealed, options, updated_at) values ($1, $2, $3, $4, $5)
   on conflict (id) do update set enabled = excluded.enabled, sealed = excluded.sealed, options = excluded.options,
     updated_at = excluded.updated_at`,
);

export const STORED_CARRIERS = statement(
  { id: column.text, enabled: column.boolean, sealed: orNull(column.text), options: column.jsonOf<JsonObject>() },
  'select id, enabled, sealed, options from message_carrier',
);
