/** Which database: a PostgreSQL server where its address is given, else the embedded one. Same SQL, same driver, same port. */
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../log.ts';
import type { Database } from './database.ts';
import { openEmbedded } from './embedded.ts';
import type { StartThread } from './embedded-thread.ts';
import { DatabaseNotUsable } from './failures.ts';
import { isMigrated } from './migrate.ts';
import { openPostgres } from './postgres.ts';

export interface OpenDatabaseOptions {
  databaseUrl: string | undefined;
  dataDir: string;
  /** Refuses a place that has no database of ours, instead of making one. */
  mustExist?: boolean | undefined;
  log: Log;
  clock: Clock;
  /** The thread of an embedded database; tests use one again for many databases. */
  startThread?: StartThread | undefined;
  /** Lines for the person who waits for a first start. */
  progress?: (line: string) => void;
}

export async function openDatabase(options: OpenDatabaseOptions): Promise<Database> {
  const { databaseUrl, dataDir, mustExist, log, clock, progress, startThread } = options;
  if (!databaseUrl) return openEmbedded({ dataDir, mustExist, log, startThread, ...(progress ? { progress } : {}) });
  const db = await openPostgres({ databaseUrl, log, clock });
  if (!mustExist || (await isMigrated(db))) return db;
  await db.close();
  throw new DatabaseNotUsable('the database of DATABASE_URL has no tables of Dargah');
}
