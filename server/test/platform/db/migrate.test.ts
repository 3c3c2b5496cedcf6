import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { type Database, migrate, openDatabase } from '../../../src/platform/db/index.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../services/embedded-database.ts';
import { type PostgresService, postgresMissing, startPostgres } from '../../services/postgres.ts';
import { recordedLog } from '../../services/silent-log.ts';

const folders: string[] = [];
afterEach(() => Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true }))));

async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dargah-sql-'));
  folders.push(folder);
  for (const [name, sql] of Object.entries(files)) await writeFile(join(folder, name), sql);
  return folder;
}

describe('migrations', () => {
  let temporary: TemporaryDatabase;
  let db: Database;
  beforeAll(async () => {
    temporary = await openTemporaryDatabase();
    db = temporary.db;
  });
  afterAll(() => temporary.remove());

  it('has applied the schema of the project, and does so once', async () => {
    expect(await migrate(db)).toEqual([]);
    const [row] = await db.query<{ name: string }>('select name from schema_migration where number = 1');
    expect(row?.name).toBe('0001_accounts_and_keys.sql');
  });

  it('applies in order, and later only what is new', async () => {
    const first = { '9001_a.sql': 'create table order_a (id int)', '9002_b.sql': 'alter table order_a add b int' };
    expect(await migrate(db, await folderWith(first))).toEqual(['9001_a.sql', '9002_b.sql']);
    const more = { ...first, '9003_c.sql': 'alter table order_a add c int' };
    expect(await migrate(db, await folderWith(more))).toEqual(['9003_c.sql']);
  });

  it('leaves nothing behind of a file that fails, and names it', async () => {
    const folder = await folderWith({ '9010_bad.sql': 'create table half (id int); select nonsense' });
    await expect(migrate(db, folder)).rejects.toThrow('9010_bad.sql failed');
    expect(await db.query(`select to_regclass('half') as half`)).toEqual([{ half: null }]);
    expect(await db.query('select 1 from schema_migration where number = 9010')).toEqual([]);
  });

  it('refuses an applied file that changed, a bad name and a number taken twice', async () => {
    await migrate(db, await folderWith({ '9020_x.sql': 'select 1' }));
    await expect(migrate(db, await folderWith({ '9020_x.sql': 'select 2' }))).rejects.toThrow('has changed since');
    await expect(migrate(db, await folderWith({ 'x.sql': '' }))).rejects.toThrow('NNNN_words.sql');
    await expect(migrate(db, await folderWith({ '9030_a.sql': '', '9030_b.sql': '' }))).rejects.toThrow('taken twice');
  });

  it('lets a guarded statement fail without failing the file', async () => {
    const sql = `do $$ begin create extension no_such_extension; exception when others then null; end $$;
                 create table guarded (id int);`;
    expect(await migrate(db, await folderWith({ '9040_guarded.sql': sql }))).toEqual(['9040_guarded.sql']);
    expect(await db.query('select * from guarded')).toEqual([]);
  });
});

describe.skipIf(postgresMissing())('migrations on a server', () => {
  let service: PostgresService;
  beforeAll(async () => {
    service = await startPostgres();
  });
  afterAll(() => service?.remove());

  it('are applied once when several replicas start at once', async () => {
    const databaseUrl = await service.createDatabase();
    const open = () => openDatabase({ databaseUrl, dataDir: '', log: recordedLog(), clock: systemClock });
    const replicas = await Promise.all([open(), open(), open(), open()]);
    const applied = (await Promise.all(replicas.map((db) => migrate(db)))).flat();
    expect(applied).toContain('0001_accounts_and_keys.sql');
    expect(new Set(applied).size).toBe(applied.length);
    await Promise.all(replicas.map((db) => db.close()));
  });
});
