/**
 * Migrations `NNNN_words.online.sql`: indexes on large tables, built outside of a transaction while others read and write. An index
 * on a partitioned table is built partition by partition; partitions that are made later get theirs when they are attached.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from './database.ts';
import { isLockTimeout } from './failures.ts';
import type { Migration } from './migration-files.ts';

export interface OnlineIndex {
  name: string;
  table: string;
  /** The text after the table: columns and condition. */
  rest: string;
}

const FORM = /^create index concurrently if not exists ([a-z0-9_]{1,63}) on ([a-z0-9_]{1,63}) (\(.{1,400})$/s;
/** Any constant; it only has to be the same in every replica. */
const LOCK_KEY = '742919339';
const TURN_MS = 500;
/** A short wait, many times: who waits for a lock on a table makes everybody behind it wait too. */
const LOCK_TIMEOUT_MS = 1_000;
const LOCK_TRIES = 60;

/** Refuses what is not an index: only what is there or is not there can be begun again. */
export function onlineIndexes({ name, sql }: Pick<Migration, 'name' | 'sql'>): OnlineIndex[] {
  const statements = sql
    .replace(/--[^\n]{0,400}/g, ' ')
    .split(';')
    .map((statement) => statement.replace(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '');
  return statements.map((statement) => {
    const [, index, table, rest] = FORM.exec(statement) ?? [];
    if (index === undefined || table === undefined || rest === undefined)
      throw new Error(`migration ${name}: only "create index concurrently if not exists … on …" can be online`);
    return { name: index, table, rest };
  });
}

export function plainIndex({ name, table, rest }: OnlineIndex): string {
  return `create index if not exists ${name} on ${table} ${rest}`;
}

/**
 * One replica at a time. The lock is asked for again and again and never waited for: a statement that waits would be an old
 * transaction, for whose end the building of an index waits in turn.
 */
export async function onlyHere(
  session: Queryable,
  isDone: () => Promise<boolean>,
  work: (session: Queryable) => Promise<boolean>,
): Promise<boolean> {
  await session.query('set statement_timeout = 0');
  for (;;) {
    const [row] = await session.query<{ got: boolean }>(`select pg_try_advisory_lock(${LOCK_KEY}) as got`);
    if (row?.got) return work(session);
    if (await isDone()) return false;
    await sleep(TURN_MS);
  }
}

export async function buildOnline(session: Queryable, indexes: readonly OnlineIndex[]): Promise<void> {
  for (const index of indexes) {
    if (await isPartitioned(session, index.table)) await buildOnPartitions(session, index);
    else await buildOne(session, index);
  }
}

async function buildOne(session: Queryable, { name, table, rest }: OnlineIndex): Promise<void> {
  await dropInvalid(session, name);
  await session.query(`create index concurrently if not exists ${name} on ${table} ${rest}`);
}

/** The index of the whole table is only named first; it is valid once every partition has its own. */
async function buildOnPartitions(session: Queryable, { name, table, rest }: OnlineIndex): Promise<void> {
  await withinLockTimeout(session, `create index if not exists ${name} on only ${table} ${rest}`);
  for (const partition of await partitionsWithout(session, table, name)) {
    const own = `${partition}_${name.slice(table.length + 1)}`;
    await buildOne(session, { name: own, table: partition, rest });
    await withinLockTimeout(session, `alter index ${name} attach partition ${own}`);
  }
}

async function withinLockTimeout(session: Queryable, statement: string): Promise<void> {
  await session.query(`set lock_timeout = '${LOCK_TIMEOUT_MS}ms'`);
  for (let tries = 1; ; tries++) {
    try {
      await session.query(statement);
      break;
    } catch (error) {
      if (!isLockTimeout(error) || tries === LOCK_TRIES) throw error;
      await sleep(TURN_MS);
    }
  }
  await session.query('set lock_timeout = 0');
}

async function partitionsWithout(session: Queryable, table: string, name: string): Promise<string[]> {
  const rows = await session.query<{ partition: string }>(
    `select child.relname as partition from pg_inherits join pg_class child on child.oid = inhrelid
     where inhparent = $1::regclass and not exists (
       select from pg_index own join pg_inherits part on part.inhrelid = own.indexrelid
       where own.indrelid = child.oid and part.inhparent = $2::regclass)
     order by 1`,
    [table, name],
  );
  return rows.map(({ partition }) => partition);
}

async function isPartitioned(session: Queryable, table: string): Promise<boolean> {
  const [row] = await session.query<{ relkind: string }>('select relkind from pg_class where oid = $1::regclass', [
    table,
  ]);
  return row?.relkind === 'p';
}

/** What a killed build left: it is written along with every row and never read. */
async function dropInvalid(session: Queryable, name: string): Promise<void> {
  const rows = await session.query(
    `select from pg_index join pg_class on pg_class.oid = indexrelid
     where relname = $1 and not indisvalid and pg_table_is_visible(indexrelid)`,
    [name],
  );
  if (rows.length > 0) await session.query(`drop index concurrently if exists ${name}`);
}
