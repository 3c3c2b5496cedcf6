/** Every statement on `setting`. */
import { column, command, statement } from './db/index.ts';

export const SETTINGS = statement({ key: column.text, value: column.json }, 'select key, value from setting');

export const LOCKED_SETTING = statement({ value: column.json }, 'select value from setting where key = $1 for update');

export const STORE_SETTING = command(
  `insert into setting (key, value, updated_at) values ($1, $2::jsonb, $3)
   on conflict (key) do update set value = excluded.value, updated_at = excluded.updated_at`,
);

export const OFFER_MASTER_KEY = command(
  `insert into setting (key, value, updated_at) values ('master_key', $1::jsonb, now()) on conflict (key) do nothing`,
);

export const SHARED_MASTER_KEY = statement(
  { value: column.text },
  `select value::text as value from setting where key = 'master_key'`,
);

export const WRITE_MASTER_KEY = command(
  `update setting set value = $1::jsonb, updated_at = now() where key = 'master_key'`,
);
