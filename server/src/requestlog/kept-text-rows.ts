/** Every statement on `request_text`. */
import { column, command, ROWS_PER_STATEMENT, statement } from '../platform/db/index.ts';

/** $1 now; $2 the oldest that a text may be. */
export const FORGET_EXPIRED = statement(
  { request_id: column.text },
  `delete from request_text where request_id in (
     select request_id from request_text where expires_at <= $1 or created_at <= $2 limit ${ROWS_PER_STATEMENT}) returning request_id`,
);

export const KEEP_TEXT = command(
  `insert into request_text (request_id, account_id, sealed, created_at, expires_at) values ($1, $2, $3, $4, $5)
   on conflict (request_id) do nothing`,
);

export const TEXT_OF_REQUEST = statement(
  { sealed: column.text, expires_at: column.timestamp },
  'select sealed, expires_at from request_text where request_id = $1 and account_id = $2 and expires_at > $3',
);

export const FORGET_TEXTS_OF_ACCOUNT = command('delete from request_text where account_id = $1');
