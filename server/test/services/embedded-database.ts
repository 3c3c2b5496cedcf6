/**
 * An embedded database in a temporary directory, migrated, for tests of what is built on the database. Creating one takes
 * seconds, copying one does not: the first is kept as a template.
 */
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../src/core/clock.ts';
import { parseTrustedJson } from '../../src/core/json.ts';
import { type Database, migrate, openDatabase } from '../../src/platform/db/index.ts';
import { recordedLog } from './silent-log.ts';

const cache = fileURLToPath(new URL('../../../node_modules/.cache/dargah', import.meta.url));

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

/** A data directory with an empty database in it, not opened. */
export async function temporaryDataDirectory(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'dargah-db-'));
  await cp(await template(), join(dataDir, 'database'), { recursive: true });
  return dataDir;
}

export function openEmbeddedAt(dataDir: string): Promise<Database> {
  return openDatabase({ databaseUrl: undefined, dataDir, log: recordedLog(), clock: systemClock });
}

async function template(): Promise<string> {
  const path = join(cache, `embedded-${await engineVersion()}`);
  if (existsSync(path)) return path;
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, 'draft-'));
  const db = await openEmbeddedAt(draft);
  await db.close();
  // Another test process may have been faster; its template is as good.
  await rename(join(draft, 'database'), path).catch(() => {});
  await rm(draft, { recursive: true, force: true });
  return path;
}

async function engineVersion(): Promise<string> {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  const manifest = parseTrustedJson(await readFile(join(dirname(entry), '../package.json'), 'utf8'));
  return String((manifest as { version?: string } | undefined)?.version);
}
