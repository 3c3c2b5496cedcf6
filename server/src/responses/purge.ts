/** Deletes stored answers or conversations that have expired, and of each account those beyond its newest ones. */
import { inBatches, type Queryable, ROWS_PER_STATEMENT } from '../platform/db/index.ts';

export async function purge(
  db: Queryable,
  table: 'response_store' | 'conversation',
  nowMs: number,
  maxPerAccount: number,
): Promise<void> {
  await inBatches(() =>
    db.query(
      `delete from ${table} where id in (
         select id from ${table} where expires_at <= to_timestamp($1 / 1000.0) limit ${ROWS_PER_STATEMENT}) returning id`,
      [nowMs],
    ),
  );
  await inBatches(() =>
    db.query(
      `delete from ${table} where id in (
         select id from (select id, row_number() over (partition by account_id order by created_at desc) as place
                           from ${table}) placed where place > $1 limit ${ROWS_PER_STATEMENT}) returning id`,
      [maxPerAccount],
    ),
  );
}
