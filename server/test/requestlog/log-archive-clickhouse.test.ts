/** @tier services @process own: its engine starts with the environment of a process that ran nothing before. */
import { describe } from 'vitest';
import { openClickHouseArchive } from '../../src/requestlog/index.ts';
import { logArchiveSuite } from '../conformance/log-archive.suite.ts';
import { clickHouseMissing, startClickHouse } from '../services/clickhouse.ts';
import { openEmbedded } from '../services/open-database.ts';

describe.skipIf(clickHouseMissing())('the engine of ClickHouse', () => {
  logArchiveSuite('ClickHouse', async () => {
    const engine = await startClickHouse();
    const { db, close } = await openEmbedded();
    const archive = await openClickHouseArchive(engine.url);
    return {
      db,
      archive,
      async close() {
        await archive.close();
        await engine.stop();
        await close();
      },
    };
  });
});
