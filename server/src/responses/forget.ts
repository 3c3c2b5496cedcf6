/** Of an account that was closed: answers and conversations go before their time. */
import { BATCH, inBatches, type Queryable } from '../platform/db/index.ts';

export async function forgetResponses(db: Queryable, accountId: string): Promise<void> {
  for (const table of ['response_store', 'conversation'])
    await inBatches(() =>
      db.query(
        `delete from ${table} where id in (select id from ${table} where account_id = $1 limit ${BATCH}) returning id`,
        [accountId],
      ),
    );
}
