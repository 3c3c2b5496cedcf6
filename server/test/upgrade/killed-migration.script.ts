/**
 * Migrates, and kills itself as `kill -9` would, inside the transaction of one migration: its statements have run, nothing is
 * committed. One that is built online has built its last index and has not noted it.
 *   node script.js <folder of migrations> <name of the file> <data directory> [<database address>]
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../src/core/clock.ts';
import { type Database, migrate, openDatabase, type Queryable } from '../../src/platform/db/index.ts';
import { recordedLog } from '../services/silent-log.ts';

const [folder = '', name = '', dataDir = '', databaseUrl] = process.argv.slice(2);
const fatal = await readFile(join(folder, name), 'utf8');
const db = await openDatabase({ databaseUrl, dataDir, log: recordedLog(), clock: systemClock });

/** The whole file, or of one that is built online the statement of its last index, in the words of either database. */
const lastIndex = name.endsWith('.online.sql') ? [...fatal.matchAll(/if not exists (\w+) on/g)].at(-1)?.[1] : undefined;
function isFatal(sql: string): boolean {
  if (lastIndex === undefined) return sql === fatal;
  return sql.startsWith('create index') && sql.includes(`if not exists ${lastIndex} on`);
}

function dyingIn(tx: Queryable): Queryable {
  return {
    ...tx,
    query: async (sql, ...rest) => {
      const rows = await tx.query(sql, ...rest);
      if (!isFatal(sql)) return rows as never;
      process.kill(process.pid, 'SIGKILL');
      return new Promise(() => undefined);
    },
  };
}

const dying: Database = Object.create(db, {
  query: { value: (...given: Parameters<Database['query']>) => db.query(...given) },
  session: { value: (work: (tx: Queryable) => Promise<unknown>) => db.session((tx) => work(dyingIn(tx))) },
  transaction: { value: (work: (tx: Queryable) => Promise<unknown>) => db.transaction((tx) => work(dyingIn(tx))) },
});
await migrate(dying, folder);
throw new Error(`it lived past ${name}`);
