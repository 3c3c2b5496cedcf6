import { afterAll, beforeAll, describe } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { migrate, openDatabase } from '../../src/platform/db/index.ts';
import { idempotencySuite } from '../conformance/idempotency.suite.ts';
import { openTemporaryDatabase } from '../services/embedded-database.ts';
import { type PostgresService, postgresMissing, startPostgres } from '../services/postgres.ts';
import { recordedLog } from '../services/silent-log.ts';

idempotencySuite('embedded', async () => {
  const { db, remove } = await openTemporaryDatabase();
  return { db, close: remove };
});

describe.skipIf(postgresMissing())('on a server', () => {
  let service: PostgresService;
  beforeAll(async () => {
    service = await startPostgres();
  });
  afterAll(() => service?.remove());

  idempotencySuite('PostgreSQL', async () => {
    const databaseUrl = await service.createDatabase();
    const db = await openDatabase({ databaseUrl, dataDir: '', log: recordedLog(), clock: systemClock });
    await migrate(db);
    return { db, close: () => db.close() };
  });
});
