import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { keepThreadRunning } from '../../../src/platform/db/embedded-supervisor.ts';
import { type EmbeddedThread, startEmbeddedThread } from '../../../src/platform/db/embedded-thread.ts';
import { openDatabase } from '../../../src/platform/db/index.ts';
import { bundleScript } from '../../services/bundled-script.ts';
import { openEmbeddedAt, temporaryDataDirectory } from '../../services/embedded-database.ts';
import { eventually } from '../../services/eventually.ts';
import { recordedLog } from '../../services/silent-log.ts';

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function dataDirectory(): Promise<string> {
  const folder = await temporaryDataDirectory();
  folders.push(folder);
  return folder;
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

describe('embedded database', () => {
  it('is created once, with a line for the person who waits, in a directory only the owner can enter', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'dargah-first-'));
    folders.push(parent);
    const dataDir = join(parent, 'fresh');
    const lines: string[] = [];
    const open = () =>
      openDatabase({
        databaseUrl: undefined,
        dataDir,
        log: recordedLog(),
        clock: systemClock,
        progress: (line) => lines.push(line),
      });
    const first = await open();
    await first.query('create table kept (id int); insert into kept values (7)');
    await first.close();
    // What a set-up that was killed half-way leaves behind must not be taken for a database.
    await rename(join(dataDir, 'database'), join(parent, 'finished'));
    await mkdir(join(dataDir, 'database.new'));
    await writeFile(join(dataDir, 'database.new', 'PG_VERSION'), '18');
    const fresh = await open();
    expect(await fresh.query(`select to_regclass('kept') as kept`)).toEqual([{ kept: null }]);
    await fresh.close();
    await rm(join(dataDir, 'database'), { recursive: true });
    await rename(join(parent, 'finished'), join(dataDir, 'database'));
    const second = await open();
    expect(await second.query('select id from kept')).toEqual([{ id: 7 }]);
    await second.close();
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain(dataDir);
    expect((await stat(join(parent, 'fresh'))).mode & 0o777).toBe(0o700);
    expect(existsSync(join(dataDir, 'database.lock'))).toBe(false);
    expect(existsSync(join(dataDir, 'database.new'))).toBe(false);
  }, 120_000);

  it('offers vectors and trigrams', async () => {
    const db = await openEmbeddedAt(await dataDirectory());
    await db.query('create extension vector; create extension pg_trgm');
    const [row] = await db.query<{ distance: number; alike: number }>(
      `select '[1,2]'::vector <-> '[1,4]'::vector as distance, similarity('درگاه', 'درگاه‌ها') as alike`,
    );
    expect(row?.distance).toBe(2);
    expect(row?.alike).toBeGreaterThan(0.3);
    await db.close();
  });

  it('works where the data directory has a path too long for a socket', async () => {
    const parent = await dataDirectory();
    const deep = join(parent, 'd'.repeat(120));
    await mkdir(deep);
    await rename(join(parent, 'database'), join(deep, 'database'));
    const db = await openEmbeddedAt(deep);
    expect(await db.query('select 1 as one')).toEqual([{ one: 1 }]);
    await db.close();
  });

  it('refuses a directory that this process or a living one holds, naming the process', async () => {
    const dataDir = await dataDirectory();
    const db = await openEmbeddedAt(dataDir);
    await expect(openEmbeddedAt(dataDir)).rejects.toThrow(`process ${process.pid}`);
    expect(await db.query('select 1 as one')).toEqual([{ one: 1 }]);
    await db.close();

    const parentStat = await readFile(`/proc/${process.ppid}/stat`, 'utf8').catch(() => undefined);
    const start = parentStat?.slice(parentStat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
    await writeFile(join(dataDir, 'database.lock'), `${process.ppid} ${start}\n`);
    await expect(openEmbeddedAt(dataDir)).rejects.toThrow(`process ${process.ppid}`);
  });

  it.each([
    ['a dead process', '2147483646 1\n'],
    ['a dead namesake of this process', `${process.pid} 1\n`],
    ['a process whose pid another one has now', `${process.ppid} 1\n`],
    ['nobody, torn by a crash', ''],
  ])('takes over the lock of %s', async (_owner, content) => {
    const dataDir = await dataDirectory();
    await writeFile(join(dataDir, 'database.lock'), content);
    const db = await openEmbeddedAt(dataDir);
    expect(await readFile(join(dataDir, 'database.lock'), 'utf8')).toMatch(new RegExp(`^${process.pid} `));
    await db.close();
  });

  it('starts its thread again when it ends unasked, and then stops for good', async () => {
    const dataDir = await dataDirectory();
    const health = { reachable: true };
    const log = recordedLog();
    const started: EmbeddedThread[] = [];
    const supervised = await keepThreadRunning(
      async () => {
        const address = { path: join(dataDir, '.s.PGSQL.5432') };
        const thread = await startEmbeddedThread(join(dataDir, 'database'), address);
        started.push(thread);
        return thread;
      },
      log,
      health,
    );
    await started[0]?.stop();
    await eventually(() => expect(started).toHaveLength(2));
    expect(health.reachable).toBe(false);
    expect(log.lines.map(({ level }) => level)).toEqual(['error']);
    const client = new pg.Client({ host: dataDir, user: 'postgres', database: 'postgres' });
    await client.connect();
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await client.end();
    await supervised.stop();
    expect(started).toHaveLength(2);
  });

  it('loses nothing it acknowledged when the process is killed, and opens again', async () => {
    const dataDir = await dataDirectory();
    const script = await bundleScript(here('embedded-holder.ts'), [
      here('../../../src/platform/db/embedded.worker.ts'),
    ]);
    const child = script.start(dataDir);
    let acknowledged = 0;
    let ready: () => void = () => {};
    const enough = new Promise<void>((resolve) => {
      ready = resolve;
    });
    child.on('message', (message: { acknowledged?: number }) => {
      acknowledged = message.acknowledged ?? acknowledged;
      if (acknowledged === 200) ready();
    });
    await enough;
    await expect(openEmbeddedAt(dataDir)).rejects.toThrow(`process ${child.pid}`);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await script.remove();

    const db = await openEmbeddedAt(dataDir);
    const [row] = await db.query<{ rows: bigint; last: number }>('select count(*) as rows, max(id) as last from held');
    expect(row?.last).toBeGreaterThanOrEqual(acknowledged);
    expect(row?.rows).toBe(BigInt(row?.last ?? 0));
    await db.close();
  });
});
