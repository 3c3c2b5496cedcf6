/** An embedded database in a temporary directory, migrated, for tests of what is built on the database. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/core/clock.ts';
import { type Database, migrate, openDatabase } from '../../src/platform/db/index.ts';
import { recordedLog } from './silent-log.ts';

export interface TemporaryDatabase {
  db: Database;
  dataDir: string;
  remove(): Promise<void>;
}

export async function openTemporaryDatabase(): Promise<TemporaryDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), 'dargah-db-'));
  const db = await openDatabase({ databaseUrl: undefined, dataDir, log: recordedLog(), clock: systemClock });
  await migrate(db);
  return {
    db,
    dataDir,
    async remove() {
      await db.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
