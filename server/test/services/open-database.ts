/** How a suite opens a migrated database, whichever engine it runs on. */
import type { Database } from '../../src/platform/db/index.ts';
import { openTemporaryDatabase } from './embedded-database.ts';

export type Open = () => Promise<{ db: Database; close(): Promise<void> }>;

export async function openEmbedded(): ReturnType<Open> {
  const { db, remove } = await openTemporaryDatabase();
  return { db, close: remove };
}
