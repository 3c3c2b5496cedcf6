import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MessagePort } from 'node:worker_threads';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { beginThread, beginThreadOf } from '../../../src/platform/db/begun-thread.ts';
import { lockDatabaseAtHand } from '../../../src/platform/db/database-at-hand.ts';
import { EmbeddedConnection } from '../../../src/platform/db/embedded-connection.ts';
import { keepThreadRunning } from '../../../src/platform/db/embedded-supervisor.ts';
import {
  type EmbeddedThread,
  giveUp,
  openingWith,
  startEmbeddedThread,
} from '../../../src/platform/db/embedded-thread.ts';
import { openDatabase } from '../../../src/platform/db/index.ts';
import { bundleScript } from '../../services/bundled-script.ts';
import { emptyDataDirectory, openEmbeddedAt } from '../../services/embedded-database.ts';
import { eventually } from '../../services/eventually.ts';
import { recordedLog } from '../../services/silent-log.ts';

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function dataDirectory(): Promise<string> {
  const folder = await emptyDataDirectory();
  folders.push(folder);
  return folder;
}

async function connected(reach: () => MessagePort | undefined): Promise<pg.Client> {
  const stream = () => new EmbeddedConnection(reach);
  const client = new pg.Client({ stream, user: 'postgres', database: 'postgres' });
  await client.connect();
  return client;
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

describe('embedded database', () => {
  it('is created once, with a line for the person who waits, over the remains of a set-up that was killed', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'dargah-first-'));
    folders.push(parent);
    const dataDir = join(parent, 'fresh');
    // What a set-up that was killed half-way leaves behind must not be taken for a database.
    await mkdir(dataDir, { mode: 0o700 });
    await mkdir(join(dataDir, 'database.new'));
    await writeFile(join(dataDir, 'database.new', 'PG_VERSION'), 'torn');
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
    const second = await open();
    expect(await second.query('select id from kept')).toEqual([{ id: 7 }]);
    await second.close();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(dataDir);
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

  it('takes back what a lost connection left half done', async () => {
    const dataDir = await dataDirectory();
    const thread = await startEmbeddedThread(join(dataDir, 'database'));
    const lost = await connected(thread.connect);
    lost.on('error', () => undefined);
    await lost.query('create table kept (id integer)');
    await lost.query('begin');
    await lost.query('insert into kept values (1)');
    const next = await connected(thread.connect);
    expect((await next.query('select count(*)::int as rows from kept')).rows).toEqual([{ rows: 0 }]);
    await next.end();
    await thread.stop();
  });

  it('carries parameters and answers of many megabytes', async () => {
    const db = await openEmbeddedAt(await dataDirectory());
    const text = 'درگاه'.repeat(1_000_000);
    const [row] = await db.query<{ back: string }>('select $1::text as back', [text]);
    expect(row?.back === text).toBe(true);
    await db.close();
  });

  it('refuses a connection while its thread does not run, as a server would', async () => {
    const client = new pg.Client({ stream: () => new EmbeddedConnection(() => undefined) });
    await expect(client.connect()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('fails what is running when its thread ends', async () => {
    const dataDir = await dataDirectory();
    const thread = await startEmbeddedThread(join(dataDir, 'database'));
    const client = await connected(thread.connect);
    client.on('error', () => undefined);
    await thread.stop();
    await expect(client.query('select 1')).rejects.toThrow();
  });

  it('fails where the thread that had begun has ended, and begins another for the next', async () => {
    const databaseDir = join(await dataDirectory(), 'database');
    const begun = await beginThread();
    const start = openingWith(Promise.resolve(begun));
    await begun.worker.terminate();
    await expect(start(databaseDir)).rejects.toThrow('ended while starting');
    const thread = await start(databaseDir);
    const client = await connected(thread.connect);
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await client.end();
    await thread.stop();
  });

  it('is opened before anybody asks, where nothing stands in the way', async () => {
    const dataDir = await dataDirectory();
    const empty = join(dataDir, 'none');
    await mkdir(empty);
    expect(lockDatabaseAtHand(empty)).toBeUndefined();
    expect(await readdir(empty)).toEqual([]);
    await (await openEmbeddedAt(dataDir)).close();
    const begun = beginThreadOf(dataDir);
    expect(await readdir(dataDir)).toContain('database.lock');
    expect(lockDatabaseAtHand(dataDir)).toBeUndefined();
    const options = { databaseUrl: undefined, dataDir, log: recordedLog(), clock: systemClock };
    const db = await openDatabase({ ...options, startThread: openingWith(begun) });
    expect(await db.query('select 1 as one')).toEqual([{ one: 1 }]);
    await db.close();
    expect(await readdir(dataDir)).not.toContain('database.lock');
  });

  it('is closed again, and its directory free, where the start goes no further', async () => {
    const dataDir = await dataDirectory();
    await (await openEmbeddedAt(dataDir)).close();
    const begun = beginThreadOf(dataDir);
    await giveUp(begun);
    expect(await readdir(dataDir)).not.toContain('database.lock');
    expect(await (await begun).ended).toBeUndefined();
    const unopened = beginThread();
    await giveUp(unopened);
    await (await unopened).worker.terminate();
  });

  it('is given up where it could not be opened', async () => {
    const dataDir = await dataDirectory();
    await (await openEmbeddedAt(dataDir)).close();
    await rm(join(dataDir, 'database', 'base'), { recursive: true });
    const begun = beginThreadOf(dataDir);
    await giveUp(begun);
    expect(await (await begun).reported).toMatchObject({ kind: 'failed' });
    expect(await readdir(dataDir)).not.toContain('database.lock');
  });

  it('refuses a directory that is open already, naming the process, and harms nothing', async () => {
    const dataDir = await dataDirectory();
    const db = await openEmbeddedAt(dataDir);
    await expect(openEmbeddedAt(dataDir)).rejects.toThrow(`process ${process.pid}`);
    expect(await db.query('select 1 as one')).toEqual([{ one: 1 }]);
    await db.close();
  });

  it('starts its thread again when it ends unasked, and then stops for good', async () => {
    const dataDir = await dataDirectory();
    const health = { reachable: true };
    const log = recordedLog();
    const started: EmbeddedThread[] = [];
    const supervised = await keepThreadRunning(
      async () => {
        const thread = await startEmbeddedThread(join(dataDir, 'database'));
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
    const client = await connected(supervised.connect);
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await client.end();
    await supervised.stop();
    expect(started).toHaveLength(2);
  });

  it('loses nothing it acknowledged when the process is killed, and opens again', async () => {
    const dataDir = await dataDirectory();
    const script = await bundleScript(here('embedded-holder.script.ts'), [
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
