import { afterAll, beforeAll, describe } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { migrate, openDatabase } from '../../src/platform/db/index.ts';
import { ledgerSuite } from '../conformance/ledger.suite.ts';
import { openTemporaryDatabase } from '../services/embedded-database.ts';
import { type PostgresService, postgresMissing, startPostgres } from '../services/postgres.ts';
import { recordedLog } from '../services/silent-log.ts';

ledgerSuite('embedded', async () => {
  const { db, remove } = await openTemporaryDatabase();
  return { db, close: remove };
});

describe.skipIf(postgresMissing())('on a server', () => {
  let service: PostgresService;
  beforeAll(async () => {
    service = await startPostgres();
  });
  afterAll(() => service?.remove());

  ledgerSuite('PostgreSQL', async () => {
    const databaseUrl = await service.createDatabase();
    const db = await openDatabase({ databaseUrl, dataDir: '', log: recordedLog(), clock: systemClock });
    await migrate(db);
    return { db, close: () => db.close() };
  });
});
