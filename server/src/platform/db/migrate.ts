/**
 * The schema, as numbered SQL files that are applied once, in order, each in a transaction of its own. Several replicas
 * may start at once: a lock in the database lets one apply while the others wait and then find it done.
 * An applied file must never change: what other installations have run cannot be rewritten.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database, Queryable } from './database.ts';

const FILE_NAME = /^(\d{4})_[a-z0-9_-]+\.sql$/;
/** Any constant; it only has to be the same in every replica. */
const LOCK_KEY = '742919337';

interface Migration {
  number: number;
  name: string;
  sql: string;
  hash: string;
}

/** Applies what is missing and returns the names of the files applied by this call. */
export async function migrate(db: Database, folder = migrationsFolder()): Promise<string[]> {
  const migrations = await readMigrations(folder);
  // Most starts find everything applied: one look, without locks.
  const done = await appliedBefore(db);
  const applied: string[] = [];
  for (const migration of migrations) {
    if (isApplied(migration, done)) continue;
    if (await db.transaction((tx) => apply(tx, migration))) applied.push(migration.name);
  }
  return applied;
}

/** False on a database in which no server of ours has ever started. */
export async function isMigrated(db: Queryable): Promise<boolean> {
  return (await appliedBefore(db)).size > 0;
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const migrations: Migration[] = [];
  for (const name of (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()) {
    const number = FILE_NAME.exec(name)?.[1];
    if (number === undefined) throw new Error(`migration ${name}: the name must be NNNN_words.sql`);
    if (migrations.at(-1)?.number === Number(number)) throw new Error(`migration ${name}: the number is taken twice`);
    const sql = await readFile(join(folder, name), 'utf8');
    migrations.push({ number: Number(number), name, sql, hash: createHash('sha256').update(sql).digest('hex') });
  }
  return migrations;
}

async function apply(tx: Queryable, migration: Migration): Promise<boolean> {
  const { number, name, sql, hash } = migration;
  // Waiting for another replica's migration, or a long index build, is not a runaway statement.
  await tx.query('set local statement_timeout = 0');
  await tx.query(`select pg_advisory_xact_lock(${LOCK_KEY})`);
  await tx.query(`create table if not exists schema_migration (
    number integer primary key, name text not null, hash text not null, applied_at timestamptz not null default now())`);
  // Another replica may have been first, while this one waited for the lock.
  if (isApplied(migration, await appliedBefore(tx))) return false;
  try {
    await tx.query(sql);
  } catch (error) {
    throw new Error(`migration ${name} failed: ${(error as Error).message}`, { cause: error });
  }
  await tx.query('insert into schema_migration (number, name, hash) values ($1, $2, $3)', [number, name, hash]);
  return true;
}

type Applied = Map<number, { name: string; hash: string }>;

async function appliedBefore(db: Queryable): Promise<Applied> {
  const [table] = await db.query<{ present: boolean }>(`select to_regclass('schema_migration') is not null as present`);
  if (!table?.present) return new Map();
  const rows = await db.query<{ number: number; name: string; hash: string }>(
    'select number, name, hash from schema_migration',
  );
  return new Map(rows.map((row) => [row.number, row]));
}

function isApplied({ number, name, hash }: Migration, done: Applied): boolean {
  const known = done.get(number);
  if (known && known.hash !== hash) {
    throw new Error(`migration ${name} was applied as ${known.name} and has changed since; add a new one instead`);
  }
  return known !== undefined;
}

/** Beside `dist` when bundled, three folders up from here in source. */
function migrationsFolder(): string {
  const candidates = ['../migrations', '../../../migrations'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  const found = candidates.find((path) => existsSync(path));
  if (found === undefined) throw new Error(`no migrations folder at ${candidates.join(' or ')}`);
  return found;
}
