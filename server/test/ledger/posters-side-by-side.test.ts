/** Posters of several replicas on one PostgreSQL: what they hold while they wait for one another (ADR 0084). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { deferred } from '../../src/ledger/deferred.ts';
import { type Database, openDatabase, type Queryable } from '../../src/platform/db/index.ts';
import { eventually } from '../services/eventually.ts';
import { cloneMigratedDatabase, postgresMissing } from '../services/postgres.ts';
import { recordedLog } from '../services/silent-log.ts';
import { type Bookkeeping, keepBooks } from './bookkeeping.ts';
import { record } from './request-fixture.ts';

const HOLD_REVENUE = `select from ledger_account where id = 'revenue' for update`;
/** Rows of the account that nobody holds. */
const FREE_ROWS = `
select (select count(*)::int from (select from ledger_account where id = 'wallet:acme' for update skip locked) as wallet) as wallets,
  (select count(*)::int from (select from spend_counter for update skip locked) as counter) as counters,
  (select count(*)::int from (select from usage_daily where account_id = 'acme' for update skip locked) as day) as days`;
const WAITING = `select count(distinct pid)::int as n from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`;

describe.skipIf(postgresMissing())('posters side by side', () => {
  let db: Database;
  let desk: Bookkeeping;
  let remove: () => Promise<void>;
  let made = 0;
  beforeAll(async () => {
    const clone = await cloneMigratedDatabase();
    ({ remove } = clone);
    db = await openDatabase({
      databaseUrl: clone.databaseUrl,
      dataDir: '',
      log: recordedLog(),
      clock: systemClock,
    });
    desk = await keepBooks(db);
    await close(1);
    await desk.poster.postBatch();
  });
  afterAll(async () => {
    await desk?.close();
    await db?.close();
    await remove?.();
  });
  const close = (count: number) =>
    Promise.all(Array.from({ length: count }, () => desk.journal.close(record(`req_side_${made++}`))));
  const someoneWaits = (tx: Queryable) => eventually(async () => expect(await tx.query(WAITING)).toEqual([{ n: 1 }]));

  it('a shared book is the last thing that a batch asks for: whoever waits for it holds nobody else up', async () => {
    await close(3);
    const held = deferred();
    const posting = held.promise.then(() => desk.poster.postBatch());
    await db.transaction(async (tx) => {
      await tx.query(HOLD_REVENUE);
      held.resolve();
      await someoneWaits(tx);
      expect(await tx.query(FREE_ROWS)).toEqual([{ wallets: 0, counters: 0, days: 0 }]);
    });
    expect(await posting).toBe(3);
    await desk.prove();
  });

  it('a poster of 0.1.0 asks for shared books first: one of the two begins again, and nothing is lost', async () => {
    await close(2);
    const before = (await desk.books.wallet('acme')).posted;
    const held = deferred();
    const posting = held.promise.then(() => desk.poster.catchUp());
    let tries = 0;
    await db.transaction(async (tx) => {
      await tx.query(HOLD_REVENUE);
      held.resolve();
      if (++tries === 1) await someoneWaits(tx);
      await tx.query(`update ledger_account set version = version + 1 where id = 'wallet:acme'`);
    });
    await posting;
    expect((await desk.books.wallet('acme')).posted).toBe(before - 1_000n);
    await desk.prove();
  });
});
