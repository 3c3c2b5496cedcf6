/**
 * An embedded database in a temporary directory, migrated, for tests of what is built on the database. Creating and
 * migrating one takes seconds, copying one does not: the first is kept as a template.
 */
import { createHash } from 'node:crypto';
import { constants, copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../src/core/clock.ts';
import { parseTrustedJson } from '../../src/core/json.ts';
import { type Database, migrate, openDatabase } from '../../src/platform/db/index.ts';
import { preparePartitions } from '../../src/requestlog/partitions.ts';
import { recordedLog } from './silent-log.ts';

const cache = fileURLToPath(new URL('../../../node_modules/.cache/dargah', import.meta.url));
const migrations = fileURLToPath(new URL('../../migrations', import.meta.url));

export interface TemporaryDatabase {
  db: Database;
  dataDir: string;
  remove(): Promise<void>;
}

export async function openTemporaryDatabase(): Promise<TemporaryDatabase> {
  const dataDir = await temporaryDataDirectory();
  const db = await openEmbeddedAt(dataDir);
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
  return copyOf(await preparedTemplate());
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

/** A tenth of what `fs.cp` costs for these 1,300 files, and every gateway of a test begins with it. */
function copyFiles(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyFiles(source, target);
    else copyFileSync(source, target, constants.COPYFILE_FICLONE);
  }
}

export function openEmbeddedAt(dataDir: string): Promise<Database> {
  return openDatabase({ databaseUrl: undefined, dataDir, log: recordedLog(), clock: systemClock });
}

async function emptyTemplate(): Promise<string> {
  return template(`embedded-${await engineVersion()}`, async (draft) => {
    const db = await openEmbeddedAt(draft);
    await db.close();
  });
}

/** One for each state of the migrations: they take more than half of what the start of a gateway costs. */
async function migratedTemplate(): Promise<string> {
  return template(`migrated-${await engineVersion()}-${await schemaHash()}`, async (draft) => {
    await cp(await emptyTemplate(), join(draft, 'database'), { recursive: true });
    const db = await openEmbeddedAt(draft);
    await migrate(db);
    await db.close();
  });
}

/** One a day; those of other days are of no use to anybody. */
async function preparedTemplate(): Promise<string> {
  const kind = `prepared-${await engineVersion()}-`;
  const wanted = `${kind}${await schemaHash()}-${new Date().toISOString().slice(0, 10)}`;
  return template(wanted, async (draft) => {
    for (const other of (await readdir(cache)).filter((name) => name.startsWith(kind) && name !== wanted))
      await rm(join(cache, other), { recursive: true, force: true });
    await cp(await migratedTemplate(), join(draft, 'database'), { recursive: true });
    const db = await openEmbeddedAt(draft);
    await preparePartitions(db, systemClock.now());
    await db.close();
  });
}

async function template(name: string, fill: (draft: string) => Promise<void>): Promise<string> {
  const path = join(cache, name);
  if (existsSync(path)) return path;
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, 'draft-'));
  await fill(draft);
  // Another test process may have been faster; its template is as good.
  await rename(join(draft, 'database'), path).catch(() => {});
  await rm(draft, { recursive: true, force: true });
  return path;
}

async function schemaHash(): Promise<string> {
  const hash = createHash('sha256');
  for (const name of (await readdir(migrations)).sort())
    hash.update(name).update(await readFile(join(migrations, name)));
  return hash.digest('hex').slice(0, 16);
}

async function engineVersion(): Promise<string> {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  const manifest = parseTrustedJson(await readFile(join(dirname(entry), '../package.json'), 'utf8'));
  return String((manifest as { version?: string } | undefined)?.version);
}
