/** Conformance of the ledger: closed requests become charges, once. */
import { beforeEach, expect, it } from 'vitest';
import { money } from '../../src/core/money.ts';
import { keepBooks } from '../ledger/bookkeeping.ts';
import { restartFrom } from '../ledger/crash.ts';
import { record, startRecord } from '../ledger/request-fixture.ts';
import { oldestTexts } from '../ledger/waiting.ts';
import { type Stage, topUp } from './ledger-stage.ts';

export function posting(stage: Stage): void {
  it('posts charges, balances, counters and provider cost, and reports them to admission', async () => {
    const { books, journal, poster, updates } = stage().desk;
    await books.transfer(topUp('t1', 10_000n));
    await Promise.all(['req_1', 'req_2'].map((id) => journal.close(record(id))));
    await journal.close(record('req_3', { state: 'failed', cost: money(0n), providerCost: null, formula: [] }));
    expect(await poster.postBatch()).toBe(3);
    expect(journal.depth()).toBe(0);
    expect((await books.wallet('acme')).posted).toBe(9_000n);
    const counters = ['cap:key:k1:daily:2026-11-15', 'cap:account:acme:total:all'];
    const posted = await books.loadPosted(['wallet:acme', ...counters, 'cap:key:new:total:all']);
    expect([...posted.values()].map((row) => row.posted)).toEqual([-9_000n, 1_000n, 1_000n, 0n]);
    expect(new Map(updates.map((update) => [update.budget, [update.posted, update.release, update.version]]))).toEqual(
      new Map([
        ['wallet:acme', [-9_000n, 1_000n, 2n]],
        [counters[0], [1_000n, 1_000n, 1n]],
        [counters[1], [1_000n, 1_000n, 1n]],
      ]),
    );
    const { entries } = await books.history('acme', { limit: 10 });
    expect(entries.map((entry) => [entry.kind, entry.amount, entry.requestId, entry.priceVersion])).toEqual([
      ['charge', -500n, 'req_2', 'p1'],
      ['charge', -500n, 'req_1', 'p1'],
      ['top-up', 10_000n, null, null],
    ]);
  });

  it('charges once when the same records are posted again, and still releases what is held', async () => {
    const { db, desk } = stage();
    const { journal, poster, books, updates } = desk;
    await Promise.all(['req_1', 'req_2'].map((id) => journal.close(record(id))));
    const texts = oldestTexts(journal);
    await poster.postBatch();
    updates.length = 0;
    // As if the answer of that commit had been lost: the same two come again, with one that is new.
    const other = await keepBooks(db);
    await Promise.all([
      ...['req_1', 'req_2'].map((id) => other.journal.close(record(id))),
      other.journal.close(record('req_3')),
    ]);
    expect(oldestTexts(other.journal).slice(0, 2)).toEqual(texts);
    await other.poster.postBatch();
    expect((await books.wallet('acme')).posted).toBe(-1_500n);
    expect(other.updates.find((update) => update.budget === 'wallet:acme')).toMatchObject({
      posted: 1_500n,
      release: 1_500n,
    });
    await other.journal.close(record('req_3'));
    other.updates.length = 0;
    await other.poster.postBatch();
    expect(other.updates.find((update) => update.budget === 'wallet:acme')).toMatchObject({
      posted: 1_500n,
      release: 500n,
    });
    await other.close();
  });

  it('two calls at once post every record once and forget none', async () => {
    const { journal, poster, books } = stage().desk;
    const ids = Array.from({ length: 1_100 }, (_, n) => `req_${n}`);
    await Promise.all(ids.map((id) => journal.close(record(id))));
    const counts = await Promise.all([poster.postBatch(), poster.postBatch(), poster.postBatch()]);
    expect(counts).toEqual([900, 200, 0]);
    expect((await books.wallet('acme')).posted).toBe(-500n * 1_100n);
  });

  it('closes a request that was announced as running, once', async () => {
    const { db, desk } = stage();
    const { journal, clock, requests, books } = desk;
    await journal.open(startRecord('req_1', { user: 'u7' }));
    clock.advance(60_000);
    desk.poster.start();
    // The announcement runs in the poster's loop; waiting for its row, not for time.
    while ((await db.query('select 1 from request_log')).length === 0)
      await new Promise((resolve) => setImmediate(resolve));
    const elsewhere = await keepBooks(db);
    expect(await elsewhere.requests.find('req_1')).toMatchObject({ state: 'running', user: 'u7', cost: 0n });
    await journal.close(record('req_1', { model: 'openai/other', priceVersion: 'p2' }));
    await desk.poster.drain(10_000);
    expect(await elsewhere.requests.find('req_1', 'acme')).toMatchObject({
      state: 'completed',
      cost: 500n,
      model: 'openai/other',
      priceVersion: 'p2',
    });
    expect((await books.wallet('acme')).posted).toBe(-500n);
    expect(await requests.find('req_1', 'another')).toBeUndefined();
    await elsewhere.close();
  });

  it('one record that the database cannot take does not hold up the others', async () => {
    const { journal, poster, books, log } = stage().desk;
    await Promise.all([
      journal.close(record('req_1')),
      journal.close(record('req_2', { status: 3e9 })),
      journal.close(record('req_3')),
    ]);
    await poster.postBatch();
    expect(journal.health().deadLetters).toBe(1);
    expect(await journal.deadLetters()).toMatchObject([
      { id: 'req_2', reason: expect.stringContaining('out of range'), record: { id: 'req_2' } },
    ]);
    expect(log.errors).toEqual(['a request cannot be posted and was set aside']);
    expect((await books.wallet('acme')).posted).toBe(-1_000n);
  });

  it('recovered records of a dead process are charged and release nothing here', async () => {
    const { db, desk } = stage();
    await desk.journal.open(startRecord('req_1'));
    await desk.journal.close(record('req_2'));
    const next = await restartFrom(desk.folder, db);
    await next.poster.catchUp();
    expect(next.journal.depth()).toBe(0);
    expect(next.updates.every((update) => update.release === 0n)).toBe(true);
    expect((await next.books.wallet('acme')).posted).toBe(-500n);
    expect(await next.requests.find('req_1')).toMatchObject({ state: 'interrupted', errorCode: 'killed', cost: 0n });
    await next.close();
  });

  it('a refund returns money to the wallet and to the caps, and never more than was charged', async () => {
    const { journal, poster, books } = stage().desk;
    await journal.close(record('req_1'));
    await poster.postBatch();
    const refund = (id: string, amount: bigint) =>
      books.transfer({ id, kind: 'refund', accountId: 'acme', amount: money(amount), requestId: 'req_1' });
    expect((await refund('f1', 200n)).posted).toBe(-300n);
    expect((await refund('f1', 200n)).posted).toBe(-300n);
    await expect(refund('f2', 301n)).rejects.toMatchObject({ code: 'conflict' });
    expect((await refund('f3', 300n)).posted).toBe(0n);
    const spent = await books.loadPosted(['cap:key:k1:daily:2026-11-15']);
    expect([...spent.values()][0]?.posted).toBe(0n);
    await expect(
      books.transfer({ id: 'f4', kind: 'refund', accountId: 'other', amount: money(1n), requestId: 'req_1' }),
    ).rejects.toMatchObject({ code: 'conflict' });
  });
}

export function proofs(stage: Stage): void {
  /** Breaks the books behind their back, looks at what the audit says, and mends them. */
  async function audited(damage: string, repair: string): Promise<string[]> {
    const { db, desk } = stage();
    const open = 'alter table ledger_transfer disable trigger all;';
    const shut = 'alter table ledger_transfer enable trigger all;';
    await db.query(`${open} ${damage}; ${shut}`);
    const report = await desk.books.audit();
    await db.query(`${open} ${repair}; ${shut}`);
    expect(report.ok).toBe(false);
    return report.checks.filter((check) => !check.ok).map((check) => check.name);
  }

  beforeEach(async () => {
    const { journal, poster } = stage().desk;
    await journal.close(record('req_1'));
    await poster.postBatch();
  });

  it('the audit finds a changed balance', async () => {
    const set = (by: string) => `update ledger_account set posted = posted ${by} where id = 'wallet:acme'`;
    expect(await audited(set('+ 1'), set('- 1'))).toEqual([
      'every balance is the sum of its transfers',
      'debits equal credits over all accounts',
    ]);
  });

  it('the audit finds a changed, a missing and an orphaned charge', async () => {
    const set = (amount: number) => `update ledger_transfer set amount = ${amount} where id = 'req_1'`;
    expect(await audited(set(501), set(500))).toContain('every closed request has exactly one charge, or cost nothing');
    const rename = (from: string, to: string) => `update ledger_transfer set id = '${to}' where id = '${from}'`;
    expect(await audited(rename('req_1', 'req_x'), rename('req_x', 'req_1'))).toEqual([
      'every closed request has exactly one charge, or cost nothing',
      'every charge belongs to a request',
    ]);
  });

  it('the audit finds a changed counter and a changed roll-up', async () => {
    const counter = (by: string) => `update spend_counter set spent = spent ${by}`;
    expect(await audited(counter('+ 1'), counter('- 1'))).toEqual(['every spend counter is the sum of its charges']);
    const daily = (by: string) => `update usage_daily set cost = cost ${by}`;
    expect(await audited(daily('+ 1'), daily('- 1'))).toEqual([
      'the daily roll-up adds up to the charges of each account',
    ]);
  });
}
