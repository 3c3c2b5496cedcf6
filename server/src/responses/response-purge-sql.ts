/** Statements that delete stored answers and conversations, some at a time. */
import { column, ROWS_PER_STATEMENT, statementFor } from '../platform/db/index.ts';

export type StoredTable = 'response_store' | 'conversation';

export const DELETE_EXPIRED_STORED = statementFor(
  { id: column.text },
  (table: StoredTable) => `delete from ${table} where id in (
     select id from ${table} where expires_at <= to_timestamp($1 / 1000.0) limit ${ROWS_PER_STATEMENT}) returning id`,
  ['response_store'],
  ['conversation'],
);

/** Deletes what each account has beyond its newest $1 entries. */
export const DELETE_BEYOND_NEWEST = statementFor(
  { id: column.text },
  (table: StoredTable) => `delete from ${table} where id in (
     select id from (select id, row_number() over (partition by account_id order by created_at desc) as place
                       from ${table}) placed where place > $1 limit ${ROWS_PER_STATEMENT}) returning id`,
  ['response_store'],
  ['conversation'],
);

export const DELETE_STORED_OF_ACCOUNT = statementFor(
  { id: column.text },
  (table: StoredTable) =>
    `delete from ${table} where id in (select id from ${table} where account_id = $1 limit ${ROWS_PER_STATEMENT}) returning id`,
  ['response_store'],
  ['conversation'],
);
