/** Deletes all stored answers and conversations of an account that was closed. */
import { inBatches, type Queryable } from '../platform/db/index.ts';
import { DELETE_STORED_OF_ACCOUNT } from './response-purge-sql.ts';

export async function forgetResponses(db: Queryable, accountId: string): Promise<void> {
  for (const table of ['response_store', 'conversation'] as const)
    await inBatches(() => DELETE_STORED_OF_ACCOUNT(table).rows(db, [accountId]));
}
