/**
 * An embedded database in a temporary directory, migrated, for tests of what is built on the database. Creating and
 * migrating one takes seconds, copying one does not: the first is kept as a template.
 */
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../src/core/clock.ts';
import { copyFiles, templateName } from '../../src/platform/db/embedded-template.ts';
import { type Database, migrate, openDatabase, type StartThread } from '../../src/platform/db/index.ts';
import { preparePartitions } from '../../src/requestlog/partitions.ts';
import { directoryFor, startReusedThread } from './reused-database.ts';
import { recordedLog } from './silent-log.ts';

const cache = fileURLToPath(new URL('../../../node_modules/.cache/dargah', import.meta.url));
const migrations = fileURLToPath(new URL('../../migrations', import.meta.url));

export interface TemporaryDatabase {
  db: Database;
  dataDir: string;
  remove(): Promise<void>;
}

export async function openTemporaryDatabase(): Promise<TemporaryDatabase> {
  const dataDir = await directoryFor(await migratedTemplate());
  const db = await openEmbeddedAt(dataDir, startReusedThread);
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

/** A data directory with a migrated database in it, not opened: a start finds nothing to apply. */
export async function temporaryDataDirectory(): Promise<string> {
  return copyOf(await migratedTemplate());
}

/**
 * The same with the log's tables of the next days, which a start makes otherwise: a sixth of what the start of a gateway costs.
 */
export async function preparedDataDirectory(): Promise<string> {
  return directoryFor(await preparedTemplate());
}

/** The same without a schema. */
export async function emptyDataDirectory(): Promise<string> {
  return copyOf(await emptyTemplate());
}

async function copyOf(database: string): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'dargah-db-'));
  copyFiles(database, join(dataDir, 'database'));
  return dataDir;
}

export function openEmbeddedAt(dataDir: string, startThread?: StartThread): Promise<Database> {
  return openDatabase({ databaseUrl: undefined, dataDir, log: recordedLog(), clock: systemClock, startThread });
}

async function emptyTemplate(): Promise<string> {
  return template((await nameOfMigrated()).replace(/^migrated-(.*)-\w+$/, 'embedded-$1'), async (draft) => {
    const db = await openEmbeddedAt(draft);
    await db.close();
  });
}

/** One for each state of the migrations: they take more than half of what the start of a gateway costs. */
async function migratedTemplate(): Promise<string> {
  return template(await nameOfMigrated(), async (draft) => {
    await cp(await emptyTemplate(), join(draft, 'database'), { recursive: true });
    const db = await openEmbeddedAt(draft);
    await migrate(db);
    await db.close();
  });
}

/** One a day; those of other days are of no use to anybody. */
async function preparedTemplate(): Promise<string> {
  const kind = 'prepared-';
  const wanted = `${kind}${await nameOfMigrated()}-${new Date().toISOString().slice(0, 10)}`;
  return template(wanted, async (draft) => {
    for (const other of (await readdir(cache)).filter((name) => name.startsWith(kind) && name !== wanted))
      await rm(join(cache, other), { recursive: true, force: true });
    await cp(await migratedTemplate(), join(draft, 'database'), { recursive: true });
    const db = await openEmbeddedAt(draft);
    await preparePartitions(db, systemClock.now());
    await db.close();
  });
}

/** Read once per process: the name is a digest of all migrations. */
let knownName: Promise<string> | undefined;

function nameOfMigrated(): Promise<string> {
  knownName ??= templateName(migrations);
  return knownName;
}

async function template(name: string, fill: (draft: string) => Promise<void>): Promise<string> {
  const path = join(cache, name);
  if (existsSync(path)) return path;
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, 'draft-'));
  await fill(draft);
  await emptyTemplates(join(draft, 'database'));
  // Another test process may have been faster; its template is as good.
  await rename(join(draft, 'database'), path).catch(() => {});
  await rm(draft, { recursive: true, force: true });
  return path;
}

/**
 * PostgreSQL's own template databases, from which nobody creates another here: a third of the files that each test would copy and
 * delete again.
 */
async function emptyTemplates(database: string): Promise<void> {
  for (const oid of ['1', '4']) {
    const folder = join(database, 'base', oid);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
  }
}
