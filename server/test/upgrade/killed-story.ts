/** An upgrade whose process is killed inside one migration after another: each next start goes on, and the end is as without kills. */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { createLedger } from '../../src/ledger/index.ts';
import { type Database, migrate, openDatabase } from '../../src/platform/db/index.ts';
import { readMigrations } from '../../src/platform/db/migration-files.ts';
import { type BundledScript, bundleScript } from '../services/bundled-script.ts';
import { recordedLog } from '../services/silent-log.ts';
import { schemaOf } from './schema-of.ts';
import { type Installation, migrationsWith, RELEASED, restore } from './stage.ts';

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));
/** What a later version may bring: tables, columns and indexes on tables with rows. */
const LATER = {
  '9991_later_table.sql': `create table later (id text primary key, note text not null default '');
    insert into later (id) select id from account;`,
  '9992_later_column.sql': `alter table ledger_transfer add column later_note text;
    alter table request_log add column later_number integer not null default 7;`,
  '9993_later_index.sql': 'create index ledger_transfer_later on ledger_transfer (later_note, created_at);',
};

/** Of the migrations one in `every` is died in, and the last. */
export function killedStory(database: () => Promise<string | undefined>, every = 1): void {
  describe.each(RELEASED)('from %s', (version) => {
    let script: BundledScript;
    let later: { folder: string; remove(): Promise<void> };
    const installations: Installation[] = [];

    beforeAll(async () => {
      later = await migrationsWith(LATER);
      script = await bundleScript(source('killed-migration.script.ts'), [
        source('../../src/platform/db/embedded.worker.ts'),
      ]);
    });
    afterAll(async () => {
      await Promise.all(installations.map((one) => one.remove()));
      await script?.remove();
      await later?.remove();
    });

    const open = ({ dataDir, databaseUrl }: Installation) =>
      openDatabase({ databaseUrl, dataDir, log: recordedLog(), clock: systemClock });
    const fresh = async () => {
      const at = await restore(version, await database());
      installations.push(at);
      return at;
    };
    const used = async <T>(at: Installation, work: (db: Database) => Promise<T>): Promise<T> => {
      const db = await open(at);
      try {
        return await work(db);
      } finally {
        await db.close();
      }
    };
    const describeAll = (db: Database) => Promise.all([schemaOf(db), createLedger({ db, clock: systemClock }).audit()]);

    it(`goes on after a kill inside ${every === 1 ? 'each' : `one in ${every}`} of the migrations`, async () => {
      const at = await fresh();
      const done = await used(at, (db) => db.query<{ name: string }>('select name from schema_migration'));
      const left = (await readMigrations(later.folder)).filter(({ name }) => !done.some((one) => one.name === name));
      expect(left.length).toBeGreaterThanOrEqual(Object.keys(LATER).length);
      for (const { name } of left.filter((_, at) => (left.length - 1 - at) % every === 0)) {
        const child = script.start(later.folder, name, at.dataDir, ...(at.databaseUrl ? [at.databaseUrl] : []));
        const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
        expect([name, signal]).toEqual([name, 'SIGKILL']);
      }
      // Each run applied what stood before its kill, so the last file alone is left.
      expect(await used(at, (db) => migrate(db, later.folder))).toEqual([left.at(-1)?.name]);
      const whole = await fresh();
      expect(await used(whole, (db) => migrate(db, later.folder))).toEqual(left.map(({ name }) => name));
      const [killed, quiet] = [await used(at, describeAll), await used(whole, describeAll)];
      expect(killed).toEqual(quiet);
      expect(killed[1].ok).toBe(true);
    }, 600_000);
  });
}
