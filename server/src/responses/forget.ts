/** Of an account that was closed: answers and conversations go before their time. */
import { inBatches, type Queryable, ROWS_PER_STATEMENT } from '../platform/db/index.ts';

export async function forgetResponses(db: Queryable, accountId: string): Promise<void> {
  for (const table of ['response_store', 'conversation'])
    await inBatches(() =>
      db.query(
        `delete from ${table} where id in (select id from ${table} where account_id = $1 limit ${ROWS_PER_STATEMENT}) returning id`,
        [accountId],
      ),
    );
}
