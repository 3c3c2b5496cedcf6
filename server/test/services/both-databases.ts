/**
 * Runs a suite on the embedded database and on a PostgreSQL server: on the one with the files that need nothing installed, on
 * the other with the files that need services (harness/tiers.ts).
 */
import { describe } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { openDatabase } from '../../src/platform/db/index.ts';
import { type Open, openEmbedded } from './open-database.ts';
import { cloneMigratedDatabase, postgresMissing } from './postgres.ts';
import { recordedLog } from './silent-log.ts';

const onServices = process.env['DARGAH_TEST_TIER'] === 'services';

export function onBothDatabases(suite: (name: string, open: Open) => void): void {
  if (!onServices) suite('embedded', openEmbedded);
  else describe.skipIf(postgresMissing())('on a server', () => suite('PostgreSQL', openOnServer));
}

async function openOnServer() {
  const { databaseUrl, remove } = await cloneMigratedDatabase();
  const db = await openDatabase({ databaseUrl, dataDir: '', log: recordedLog(), clock: systemClock });
  return {
    db,
    async close() {
      await db.close();
      await remove();
    },
  };
}
