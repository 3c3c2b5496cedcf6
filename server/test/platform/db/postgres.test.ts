import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { type Database, openDatabase } from '../../../src/platform/db/index.ts';
import { eventually } from '../../services/eventually.ts';
import { type PostgresService, postgresMissing, startPostgres } from '../../services/postgres.ts';
import { recordedLog } from '../../services/silent-log.ts';

describe.skipIf(postgresMissing())('PostgreSQL server', () => {
  let service: PostgresService;
  let databaseUrl: string;
  const opened: Database[] = [];

  async function open(): Promise<Database> {
    const db = await openDatabase({ databaseUrl, dataDir: '', log: recordedLog(), clock: systemClock });
    opened.push(db);
    return db;
  }

  beforeAll(async () => {
    service = await startPostgres();
    databaseUrl = await service.createDatabase();
  });
  afterAll(async () => {
    await Promise.all(opened.map((db) => db.close()));
    await service?.remove();
  });

  it('carries news from one replica to another, and only after the commit', async () => {
    const [a, b] = [await open(), await open()];
    const heard: string[] = [];
    b.subscribe(
      'key',
      (id) => heard.push(id),
      () => {},
    );
    await a.transaction(async (tx) => {
      await a.publish(tx, 'key', 'first');
      await b.query('select 1');
      expect(heard).toEqual([]);
    });
    await eventually(() => expect(heard).toEqual(['first']));
  });

  it('tells that news may be lost when its listening connection was cut, and hears again', async () => {
    const db = await open();
    let lost = 0;
    const heard: string[] = [];
    db.subscribe(
      'key',
      (id) => heard.push(id),
      () => lost++,
    );
    await db.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like 'listen%' and pid <> pg_backend_pid()`,
    );
    await eventually(() => expect(lost).toBe(1));
    await db.publish(db, 'key', 'again');
    await eventually(() => expect(heard).toEqual(['again']));
  });

  it('rejects while the server is down, says so, and recovers by itself', async () => {
    const db = await open();
    let lost = 0;
    db.subscribe(
      'key',
      () => {},
      () => lost++,
    );
    expect(db.healthy()).toBe(true);
    await service.stop('immediate');
    await expect(db.query('select 1')).rejects.toThrow();
    await expect(db.transaction((tx) => tx.query('select 1'))).rejects.toThrow();
    expect(db.healthy()).toBe(false);
    await service.start();
    await eventually(() => expect(lost).toBe(1));
    // Healthy again without anybody having asked a question.
    expect(db.healthy()).toBe(true);
    expect(await db.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('survives a connection that dies between two statements of a transaction', async () => {
    const [db, other] = [await open(), await open()];
    const doomed = db.transaction(async (tx) => {
      const [row] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
      await other.query('select pg_terminate_backend($1)', [row?.pid]);
      await eventually(async () =>
        expect(await other.query('select 1 from pg_stat_activity where pid = $1', [row?.pid])).toEqual([]),
      );
      await tx.query('select 1');
    });
    await expect(doomed).rejects.toThrow();
    expect(await db.transaction((tx) => tx.query('select 1 as one'))).toEqual([{ one: 1 }]);
    expect(db.healthy()).toBe(true);
  });

  it('waits at start for a server that comes up a little later', async () => {
    await service.stop();
    const opening = open();
    await service.start();
    expect(await (await opening).query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('stops a statement that runs away', async () => {
    const db = await open();
    const [row] = await db.query<{ statement_timeout: string }>('show statement_timeout');
    expect(row?.statement_timeout).toBe('15s');
    await expect(db.query("set statement_timeout = '20ms'; select pg_sleep(5)")).rejects.toMatchObject({
      code: '57014',
    });
    expect(db.healthy()).toBe(true);
  });
});
