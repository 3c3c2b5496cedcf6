import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { type Database, migrate, openDatabase } from '../../src/platform/db/index.ts';
import { type PostgresService, postgresMissing, startPostgres } from '../services/postgres.ts';
import { recordedLog } from '../services/silent-log.ts';
import { type Bookkeeping, keepBooks } from './bookkeeping.ts';
import { restartFrom } from './crash.ts';
import { type LossyProxy, startLossyProxy } from './lossy-proxy.ts';
import { record } from './request-fixture.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe.skipIf(postgresMissing())('posting to a server that fails', () => {
  let service: PostgresService;
  let proxy: LossyProxy;
  let db: Database;
  let desk: Bookkeeping;

  beforeAll(async () => {
    service = await startPostgres();
    proxy = await startLossyProxy(Number(new URL(service.url).port));
  });
  afterAll(async () => {
    await proxy?.close();
    await service?.remove();
  });
  beforeEach(async () => {
    const url = new URL(await service.createDatabase());
    url.port = String(proxy.port);
    db = await openDatabase({ databaseUrl: url.href, dataDir: '', log: recordedLog(), clock: systemClock });
    await migrate(db);
    desk = await keepBooks(db);
  });
  afterEach(async () => {
    await desk.prove();
    await desk.close();
    await db.close();
  });

  it('charges once when the connection dies after the commit and before its answer', async () => {
    const { journal, poster, books, updates } = desk;
    await Promise.all(['req_1', 'req_2'].map((id) => journal.close(record(id))));
    proxy.loseNextAnswer();
    await expect(poster.postBatch()).rejects.toThrow();
    // The database has them, but nobody here knows: they must still be waiting, held and unreported.
    expect((await books.wallet('acme')).posted).toBe(-1_000n);
    expect(journal.depth()).toBe(2);
    expect(updates).toEqual([]);
    expect(await poster.drain(20_000)).toBe(true);
    expect((await books.wallet('acme')).posted).toBe(-1_000n);
    expect(updates.find((update) => update.budget === 'wallet:acme')).toMatchObject({
      posted: 1_000n,
      release: 1_000n,
    });
  });

  it('charges once when the process dies between the commit and the journal hearing of it', async () => {
    const { journal, poster } = desk;
    await Promise.all(['req_1', 'req_2'].map((id) => journal.close(record(id))));
    proxy.loseNextAnswer();
    await expect(poster.postBatch()).rejects.toThrow();
    const next = await restartFrom(desk.folder, db);
    expect(next.journal.depth()).toBe(2);
    expect(await next.poster.drain(20_000)).toBe(true);
    expect((await next.books.wallet('acme')).posted).toBe(-1_000n);
    await next.close();
  });

  it('keeps everything while the server is stopped, and posts it when it is back', async () => {
    const { journal, poster, books } = desk;
    poster.start();
    await journal.close(record('req_1'));
    while (journal.depth() > 0) await turn();
    await service.stop();
    const during = Array.from({ length: 300 }, (_, n) => journal.close(record(`req_${n + 2}`)));
    await Promise.all(during);
    while (poster.health().failures < 2) await turn();
    expect(journal.depth()).toBe(300);
    expect(journal.accepting()).toBe(true);
    await service.start();
    while (journal.depth() > 0) await turn();
    expect(poster.health()).toMatchObject({ posted: 301, failures: 0 });
    expect(journal.health().deadLetters).toBe(0);
    expect((await books.wallet('acme')).posted).toBe(-500n * 301n);
    expect(
      desk.updates.reduce((sum, { budget, release }) => (budget === 'wallet:acme' ? sum + release : sum), 0n),
    ).toBe(500n * 301n);
  });

  it('several replicas post to the same wallets at once without deadlock or loss', async () => {
    const replicas = await Promise.all([1, 2, 3].map(() => keepBooks(db)));
    await Promise.all(
      replicas.map(async ({ journal, poster }, replica) => {
        for (let round = 0; round < 5; round++) {
          const ids = Array.from({ length: 60 }, (_, n) => `req_${replica}_${round}_${n}`);
          await Promise.all(
            ids.map((id, n) =>
              journal.close(
                record(id, { accountId: `a${n % 7}`, keyId: `k${n % 5}`, counters: [`c${n % 3}`, `c${n % 4}x`] }),
              ),
            ),
          );
          while (journal.depth() > 0) await poster.postBatch();
        }
      }),
    );
    const balances = await Promise.all(Array.from({ length: 7 }, (_, n) => desk.books.wallet(`a${n}`)));
    expect(balances.reduce((sum, wallet) => sum + wallet.posted, 0n)).toBe(-500n * 900n);
    for (const replica of replicas) await replica.close();
  });

  it('drain gives up at its deadline and leaves the rest to the journal', async () => {
    const { journal, poster } = desk;
    await service.stop();
    await journal.close(record('req_1'));
    expect(await poster.drain(30)).toBe(false);
    await service.start();
    const next = await restartFrom(desk.folder, db);
    expect(await next.poster.drain(20_000)).toBe(true);
    await next.close();
  });
});
