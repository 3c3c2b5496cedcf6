/** Runs a conformance suite on the embedded database and on a PostgreSQL server. */
import { afterAll, beforeAll, describe } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { type Database, migrate, openDatabase } from '../../src/platform/db/index.ts';
import { openTemporaryDatabase } from './embedded-database.ts';
import { type PostgresService, postgresMissing, startPostgres } from './postgres.ts';
import { recordedLog } from './silent-log.ts';

type Open = () => Promise<{ db: Database; close(): Promise<void> }>;

export function onBothDatabases(suite: (name: string, open: Open) => void): void {
  suite('embedded', async () => {
    const { db, remove } = await openTemporaryDatabase();
    return { db, close: remove };
  });

  describe.skipIf(postgresMissing())('on a server', () => {
    let service: PostgresService;
    beforeAll(async () => {
      service = await startPostgres();
    });
    afterAll(() => service?.remove());

    suite('PostgreSQL', async () => {
      const databaseUrl = await service.createDatabase();
      const db = await openDatabase({ databaseUrl, dataDir: '', log: recordedLog(), clock: systemClock });
      await migrate(db);
      return { db, close: () => db.close() };
    });
  });
}
