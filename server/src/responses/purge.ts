/** Deletes stored answers and conversations: those that expired, those beyond an account's newest, those of a closed account. */
import { inBatches, type Queryable } from '../platform/db/index.ts';
import {
  DELETE_BEYOND_NEWEST,
  DELETE_EXPIRED_STORED,
  DELETE_STORED_OF_ACCOUNT,
  type StoredTable,
} from './response-purge-sql.ts';

export async function purge(db: Queryable, table: StoredTable, nowMs: number, maxPerAccount: number): Promise<void> {
  await inBatches(() => DELETE_EXPIRED_STORED(table).rows(db, [nowMs]));
  await inBatches(() => DELETE_BEYOND_NEWEST(table).rows(db, [maxPerAccount]));
}

/** Called for an account that was closed. */
export async function forgetResponses(db: Queryable, accountId: string): Promise<void> {
  for (const table of ['response_store', 'conversation'] as const)
    await inBatches(() => DELETE_STORED_OF_ACCOUNT(table).rows(db, [accountId]));
}
