/**
 * The schema, as numbered SQL files that are applied once, in order, each in a transaction of its own. Several replicas
 * may start at once: a lock in the database lets one apply while the others wait and then find it done.
 * A released file never changes: what other installations have run cannot be rewritten. A database that this version cannot
 * work on is refused before anything is written (schema-refusal.ts).
 */
import { VERSION } from '../../core/version.ts';
import type { Database, Queryable } from './database.ts';
import { buildOnline, onlineIndexes, onlyHere, plainIndex } from './migrate-online.ts';
import { type Migration, migrationsFolder, readMigrations, readReleased } from './migration-files.ts';
import { type Applied, type AppliedMigration, refuseChanged, refuseSchema } from './schema-refusal.ts';

/** Any constant; it only has to be the same in every replica. */
const LOCK_KEY = '742919337';

/** Applies what is missing and returns the names of the files applied by this call. */
export async function migrate(db: Database, folder = migrationsFolder()): Promise<string[]> {
  const migrations = await readMigrations(folder);
  // Most starts find everything applied, so the first check takes no lock.
  const done = await checkedSchema(db, folder, migrations);
  const missing = migrations.filter(({ number }) => !done.has(number));
  if (missing.length === 0) return [];
  await db.transaction(prepare);
  const applied: string[] = [];
  for (const migration of missing) {
    if (await applyOnce(db, migration)) applied.push(migration.name);
  }
  return applied;
}

/** Throws SchemaRefused for a database that this version cannot work on; reads only. */
export async function checkSchema(db: Queryable, folder = migrationsFolder()): Promise<void> {
  await checkedSchema(db, folder, await readMigrations(folder));
}

/** False on a database in which no server of ours has ever started. */
export async function isMigrated(db: Queryable): Promise<boolean> {
  return (await appliedBefore(db)).size > 0;
}

/** The number of the newest migration that the database has; it has been migrated. */
export async function schemaNumber(db: Queryable): Promise<number> {
  const [newest] = await db.query<{ number: number }>('select max(number) as number from schema_migration');
  return newest?.number ?? 0;
}

async function checkedSchema(db: Queryable, folder: string, migrations: readonly Migration[]): Promise<Applied> {
  const done = await appliedBefore(db);
  refuseSchema(done, migrations, await readReleased(folder));
  return done;
}

/** In a transaction of its own: the change of the table locks out whoever reads it, and a migration may take long. */
async function prepare(tx: Queryable): Promise<void> {
  await lock(tx);
  await tx.query(`create table if not exists schema_migration (
    number integer primary key, name text not null, hash text not null, applied_at timestamptz not null default now())`);
  // 0.1.0 does not note its version, and writes beside this one.
  if (!(await notesVersions(tx))) await tx.query('alter table schema_migration add column version text');
}

function applyOnce(db: Database, migration: Migration): Promise<boolean> {
  if (!migration.online) return db.transaction((tx) => apply(tx, migration));
  const indexes = onlineIndexes(migration);
  // One connection has nobody beside it who could be kept waiting.
  if (db.kind === 'embedded')
    return db.transaction((tx) => apply(tx, { ...migration, sql: indexes.map(plainIndex).join('; ') }));
  const work = (session: Queryable) => applyUnlessDone(session, migration, () => buildOnline(session, indexes));
  return db.session((session) =>
    onlyHere(session, async () => (await appliedBefore(session)).has(migration.number), work),
  );
}

async function apply(tx: Queryable, migration: Migration): Promise<boolean> {
  await lock(tx);
  return applyUnlessDone(tx, migration, () => tx.query(migration.sql));
}

/** Another replica may have been first, while this one waited for its turn. */
async function applyUnlessDone(tx: Queryable, migration: Migration, work: () => Promise<unknown>): Promise<boolean> {
  const { number, name, hash } = migration;
  const done = await appliedBefore(tx);
  refuseChanged(done, migration);
  if (done.has(number)) return false;
  try {
    await work();
  } catch (error) {
    throw new Error(`migration ${name} failed: ${(error as Error).message}`, { cause: error });
  }
  await tx.query('insert into schema_migration (number, name, hash, version) values ($1, $2, $3, $4)', [
    number,
    name,
    hash,
    VERSION,
  ]);
  return true;
}

async function lock(tx: Queryable): Promise<void> {
  // Waiting for another replica's migration, or a long index build, is not a runaway statement.
  await tx.query('set local statement_timeout = 0');
  await tx.query(`select pg_advisory_xact_lock(${LOCK_KEY})`);
}

async function appliedBefore(db: Queryable): Promise<Applied> {
  const [table] = await db.query<{ present: boolean }>(`select to_regclass('schema_migration') is not null as present`);
  if (!table?.present) return new Map();
  const rows = await db.query<AppliedMigration>(
    `select number, name, hash, to_jsonb(schema_migration) ->> 'version' as version from schema_migration`,
  );
  return new Map(rows.map((row) => [row.number, row]));
}

async function notesVersions(tx: Queryable): Promise<boolean> {
  const columns = await tx.query(
    `select from pg_attribute where attrelid = 'schema_migration'::regclass and attname = 'version'`,
  );
  return columns.length > 0;
}
