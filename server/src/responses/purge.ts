/** Deletes stored answers or conversations that have expired, and of each account those beyond its newest ones. */
import { inBatches, type Queryable } from '../platform/db/index.ts';
import { DELETE_BEYOND_NEWEST, DELETE_EXPIRED_STORED, type StoredTable } from './response-purge-sql.ts';

export async function purge(db: Queryable, table: StoredTable, nowMs: number, maxPerAccount: number): Promise<void> {
  await inBatches(() => DELETE_EXPIRED_STORED(table).rows(db, [nowMs]));
  await inBatches(() => DELETE_BEYOND_NEWEST(table).rows(db, [maxPerAccount]));
}
