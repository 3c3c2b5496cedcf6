/** Indexes that are built while others write: on partitions, after a kill, and by several replicas at once. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { type Database, migrate, openDatabase } from '../../../src/platform/db/index.ts';
import { onlineIndexes } from '../../../src/platform/db/migrate-online.ts';
import { preparePartitions } from '../../../src/requestlog/index.ts';
import { cloneMigratedDatabase, postgresMissing } from '../../services/postgres.ts';
import { recordedLog } from '../../services/silent-log.ts';

const ONLINE = `-- a comment; with a semicolon
create index concurrently if not exists wide_of_color on wide (color);
create index concurrently if not exists parted_red on parted (id) where color = 'red';`;

describe.skipIf(postgresMissing())('migrations outside of a transaction', () => {
  let databaseUrl: string;
  let remove: () => Promise<void>;
  let db: Database;
  let folder: string;
  const open = () => openDatabase({ databaseUrl, dataDir: '', log: recordedLog(), clock: systemClock });

  beforeAll(async () => {
    ({ databaseUrl, remove } = await cloneMigratedDatabase());
    db = await open();
    folder = await mkdtemp(join(tmpdir(), 'dargah-online-'));
    await writeFile(
      join(folder, '9001_tables.sql'),
      `create table wide (id int, color text); insert into wide select n, 'red' from generate_series(1, 1000) n;
       create table parted (id int, color text) partition by range (id);
       create table parted_1 partition of parted for values from (0) to (100);
       create table parted_2 partition of parted for values from (100) to (200);
       insert into parted select n, 'red' from generate_series(1, 199) n`,
    );
  });
  afterAll(async () => {
    await db?.close();
    await remove?.();
    await rm(folder, { recursive: true, force: true });
  });

  const indexes = () =>
    db.query<{ name: string; valid: boolean }>(
      `select relname as name, indisvalid as valid from pg_index join pg_class on pg_class.oid = indexrelid
       where relname ~ '^(wide|parted)' order by 1`,
    );

  it('drops what a killed build left, and two replicas build each index once', async () => {
    await migrate(db, folder);
    // As a kill in the middle leaves it.
    await db.query('create index wide_of_color on wide (id)');
    await db.query(`update pg_index set indisvalid = false where indexrelid = 'wide_of_color'::regclass`);
    await writeFile(join(folder, '9002_more.online.sql'), ONLINE);
    const other = await open();
    const applied = await Promise.all([migrate(db, folder), migrate(other, folder)]);
    await other.close();
    expect(applied.flat()).toEqual(['9002_more.online.sql']);
    expect(await indexes()).toEqual(
      ['parted_1_red', 'parted_2_red', 'parted_red', 'wide_of_color'].map((name) => ({ name, valid: true })),
    );
    const [{ text = '' } = {}] = await db.query<{ text: string }>(
      `select indexdef as text from pg_indexes where indexname = 'wide_of_color'`,
    );
    expect(text).toContain('(color)');
  });

  it('gives later partitions the index when they are attached', async () => {
    await db.query('create table parted_3 (like parted including indexes)');
    await db.query('alter table parted attach partition parted_3 for values from (200) to (300)');
    const found = await db.query(`select from pg_indexes where tablename = 'parted_3' and indexdef like '%red%'`);
    expect(found).toHaveLength(1);
  });

  it('the request log has its index on every partition, also on those of tomorrow', async () => {
    await preparePartitions(db, Date.UTC(2031, 0, 1));
    const without = await db.query(
      `select child.relname from pg_inherits join pg_class child on child.oid = inhrelid
       where inhparent = 'request_log'::regclass and not exists (
         select from pg_indexes where tablename = child.relname and indexdef ~ '\\(id\\) WHERE \\(state <> ''completed')`,
    );
    expect(without).toEqual([]);
  });

  it('refuses what is no index', () => {
    const online = (sql: string) => () => onlineIndexes({ name: 'x', sql });
    expect(online('create table a (id int)')).toThrow('only');
    expect(online('create unique index concurrently if not exists a on b (c)')).toThrow('only');
    expect(online('create index a on b (c)')).toThrow('only');
  });
});
