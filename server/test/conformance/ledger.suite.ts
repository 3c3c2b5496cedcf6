/** What the books must do on every database. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { money } from '../../src/core/money.ts';
import type { TransferFilter } from '../../src/ledger/index.ts';
import type { Database } from '../../src/platform/db/index.ts';
import { dropOldPartitions, OWN_COLUMNS, preparePartitions, SHARED_COLUMNS } from '../../src/requestlog/index.ts';
import { type Bookkeeping, emptyBooks, keepBooks } from '../ledger/bookkeeping.ts';
import { restartFrom } from '../ledger/crash.ts';
import { opening, record, START } from '../ledger/request-fixture.ts';
import { oldestTexts } from '../ledger/waiting.ts';
import { eventually } from '../services/eventually.ts';
import type { DatabaseUnderTest } from './database.suite.ts';

const DAY_MS = 86_400_000;

export function ledgerSuite(name: string, open: () => Promise<DatabaseUnderTest>): void {
  describe(`ledger conformance: ${name}`, () => {
    let subject: DatabaseUnderTest;
    let db: Database;
    let desk: Bookkeeping;
    beforeAll(async () => {
      subject = await open();
      db = subject.db;
    });
    afterAll(() => subject.close());
    beforeEach(async () => {
      await emptyBooks(db);
      desk = await keepBooks(db);
    });
    // Whatever a test did, the books must balance at its end.
    afterEach(async () => {
      await desk.prove();
      await desk.close();
    });

    describe('transfers', () => transfers(() => ({ db, desk })));
    describe('posting', () => posting(() => ({ db, desk })));
    describe('proofs', () => proofs(() => ({ db, desk })));
    describe('request log', () => requestLog(() => ({ db, desk })));
  });
}

type Stage = () => { db: Database; desk: Bookkeeping };

function topUp(id: string, amount: bigint, accountId = 'acme') {
  return { id, kind: 'top-up' as const, accountId, amount: money(amount) };
}

function transfers(stage: Stage): void {
  it('tops up once, however often the same transfer is sent', async () => {
    const { books } = stage().desk;
    const first = await books.transfer(topUp('t1', 1_000n));
    expect(first).toEqual({ posted: 1_000n, version: 1n });
    expect(await books.transfer(topUp('t1', 1_000n))).toEqual(first);
    expect(await books.wallet('acme')).toEqual(first);
    await expect(books.transfer(topUp('t1', 999n))).rejects.toMatchObject({ code: 'conflict' });
    await expect(books.transfer(topUp('t1', 1_000n, 'other'))).rejects.toMatchObject({ code: 'conflict' });
  });

  it('takes an adjustment in both directions and an opening of nothing, and refuses nonsense', async () => {
    const { books } = stage().desk;
    await books.transfer({ id: 'o', kind: 'opening', accountId: 'acme', amount: money(0n) });
    await books.transfer({ id: 'a1', kind: 'adjustment', accountId: 'acme', amount: money(50n), note: 'gift' });
    const { posted } = await books.transfer({ id: 'a2', kind: 'adjustment', accountId: 'acme', amount: money(-80n) });
    expect(posted).toBe(-30n);
    await expect(books.transfer(topUp('t', -1n))).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(books.transfer(topUp('req_1', 1n))).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(books.transfer(topUp('', 1n))).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('holds more money than a 64-bit number', async () => {
    const { books } = stage().desk;
    const huge = 30_000_000_000_000_000_000n;
    await books.transfer(topUp('t1', huge));
    expect((await books.transfer(topUp('t2', huge))).posted).toBe(2n * huge);
  });

  it('many at once on one wallet lose nothing', async () => {
    const { books } = stage().desk;
    await Promise.all(Array.from({ length: 40 }, (_, n) => books.transfer(topUp(`t${n}`, 10n))));
    expect((await books.wallet('acme')).posted).toBe(400n);
  });

  it('pages through the history, newest first', async () => {
    const { books } = stage().desk;
    for (let n = 1; n <= 5; n++) await books.transfer(topUp(`t${n}`, BigInt(n)));
    await books.transfer(topUp('other', 7n, 'other'));
    const seen: string[] = [];
    let before: string | undefined;
    do {
      const page = await books.history('acme', { limit: 2, ...(before === undefined ? {} : { before }) });
      seen.push(...page.entries.map((entry) => `${entry.id}:${entry.amount}`));
      before = page.next ?? undefined;
    } while (before !== undefined);
    expect(seen).toEqual(['t5:5', 't4:4', 't3:3', 't2:2', 't1:1']);
    await expect(books.history('acme', { before: 'x', limit: 2 })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('lists the transfers of all accounts by kind, direction, account, reference and time', async () => {
    const { books, journal, poster, clock } = stage().desk;
    await books.transfer(topUp('invoice:7', 500n));
    clock.advance(DAY_MS);
    await books.transfer({ id: 'gift', kind: 'adjustment', accountId: 'other', amount: money(70n), note: 'sorry' });
    await books.transfer({ id: 'taken', kind: 'adjustment', accountId: 'other', amount: money(-20n) });
    await journal.close(record('req_1'));
    await poster.postBatch();
    await books.transfer({ id: 'back', kind: 'refund', accountId: 'acme', amount: money(9n), requestId: 'req_1' });
    const ids = async (filter: TransferFilter) =>
      (await books.transfers(filter, { limit: 50 })).entries.map(({ id }) => id).sort();
    expect(await ids({})).toEqual(['back', 'gift', 'invoice:7', 'req_1', 'supply:openai:req_1', 'taken']);
    expect(await ids({ accountId: 'other' })).toEqual(['gift', 'taken']);
    expect(await ids({ kind: 'charge' })).toEqual(['req_1']);
    expect(await ids({ kind: 'provider-cost' })).toEqual(['supply:openai:req_1']);
    expect(await ids({ kind: 'provider-cost', accountId: 'acme' })).toEqual([]);
    expect(await ids({ direction: 'in' })).toEqual(['back', 'gift', 'invoice:7']);
    expect(await ids({ direction: 'out' })).toEqual(['req_1', 'taken']);
    expect(await ids({ direction: 'out', kind: 'adjustment' })).toEqual(['taken']);
    expect(await ids({ reference: '7' })).toEqual(['invoice:7']);
    expect(await ids({ reference: 'req_1' })).toEqual(['back', 'req_1']);
    expect(await ids({ to: START + DAY_MS, kind: 'top-up' })).toEqual(['invoice:7']);
    expect(await ids({ from: START + DAY_MS, kind: 'top-up' })).toEqual([]);
    const [supply] = (await books.transfers({ kind: 'provider-cost' }, { limit: 1 })).entries;
    expect(supply).toMatchObject({ accountId: null, debit: 'costs', credit: 'provider:openai' });
    expect(supply?.amount).toBeGreaterThan(0n);
  });

  it('tells other replicas of a changed wallet, once it is committed', async () => {
    const { db, desk } = stage();
    const heard: string[] = [];
    // Of an account of its own: news of earlier tests may still be on its way.
    const stop = db.subscribe(
      'wallet',
      (id) => id === 'told' && heard.push(id),
      () => {},
    );
    await desk.books.transfer(topUp('t1', 5n, 'told'));
    await eventually(() => expect(heard).toEqual(['told']));
    stop();
  });

  it('refuses to change or delete a transfer', async () => {
    const { db, desk } = stage();
    await desk.books.transfer(topUp('t1', 5n));
    await expect(db.query('update ledger_transfer set amount = 6')).rejects.toThrow(/append-only/);
    await expect(db.query('delete from ledger_transfer')).rejects.toThrow(/append-only/);
    await expect(db.query('truncate ledger_transfer')).rejects.toThrow(/append-only/);
  });
}

function posting(stage: Stage): void {
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
    await journal.open(opening('req_1', { user: 'u7' }));
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
    expect(journal.health().setAside).toBe(1);
    expect(await journal.setAsideCharges()).toMatchObject([
      { id: 'req_2', reason: expect.stringContaining('out of range'), record: { id: 'req_2' } },
    ]);
    expect(log.errors).toEqual(['a request cannot be posted and was set aside']);
    expect((await books.wallet('acme')).posted).toBe(-1_000n);
  });

  it('recovered records of a dead process are charged and release nothing here', async () => {
    const { db, desk } = stage();
    await desk.journal.open(opening('req_1'));
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

function proofs(stage: Stage): void {
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
    expect(await audited(set(501), set(500))).toContain(
      'every closed request has exactly one posting, or cost nothing',
    );
    const rename = (from: string, to: string) => `update ledger_transfer set id = '${to}' where id = '${from}'`;
    expect(await audited(rename('req_1', 'req_x'), rename('req_x', 'req_1'))).toEqual([
      'every closed request has exactly one posting, or cost nothing',
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

function requestLog(stage: Stage): void {
  it('the log has the columns that the table of the record names, with their types', async () => {
    const rows = await stage().db.query<{ name: string; type: string; nullable: boolean }>(
      `select column_name as name, data_type as type, is_nullable = 'YES' as nullable
       from information_schema.columns where table_name = 'request_log' order by column_name`,
    );
    const named = [...OWN_COLUMNS, ...SHARED_COLUMNS].map(({ name, kind }) => ({
      name,
      type: kind.sql,
      nullable: kind.nullable ?? false,
    }));
    expect(rows).toEqual(named.sort((a, b) => (a.name < b.name ? -1 : 1)));
  });

  it('gives back a request exactly as it was closed, from memory and from the database', async () => {
    const { journal, poster, requests } = stage().desk;
    const whole = record('req_1', {
      warnings: ['w'],
      retrievedTokens: 3,
      passages: [
        {
          baseId: 'kb_1',
          documentId: 'doc_1',
          revision: 2,
          title: 'راهنما "۱"\\',
          place: 4,
          page: 2,
          heading: null,
          tokens: 3,
          score: 0.5,
        },
      ],
      createdAt: START + 123,
      budgets: ['wallet:acme'],
    });
    await journal.close(whole);
    const { budgets: _held, ...expected } = whole;
    expect(await requests.find('req_1', 'acme')).toEqual(expected);
    await poster.postBatch();
    expect(await requests.find('req_1', 'acme')).toEqual(expected);
    expect(await requests.find('req_1', 'other')).toBeUndefined();
    expect(await requests.find('req_0')).toBeUndefined();
  });

  it('lists by account, key, model, state and time, page by page', async () => {
    const { journal, poster, requests } = stage().desk;
    await Promise.all([
      ...[1, 2, 3, 4, 5].map((n) => journal.close(record(`req_${n}`, { createdAt: START + n }))),
      journal.close(record('req_6', { keyId: 'k2', model: 'm2', createdAt: START + 6 })),
      journal.close(record('req_7', { accountId: 'other' })),
      journal.close(record('req_8', { state: 'refused', cost: money(0n), createdAt: START + 8 })),
    ]);
    await poster.postBatch();
    const idsOf = async (filter: Parameters<typeof requests.list>[0], before?: string) => {
      const page = await requests.list(filter, { limit: 3, ...(before === undefined ? {} : { before }) });
      return [page.requests.map((found) => found.id.slice(4)).join(''), page.next];
    };
    expect(await idsOf({ accountId: 'acme' })).toEqual(['865', 'req_5']);
    expect(await idsOf({ accountId: 'acme' }, 'req_5')).toEqual(['432', 'req_2']);
    expect(await idsOf({ accountId: 'acme' }, 'req_2')).toEqual(['1', null]);
    expect(await idsOf({ keyId: 'k2' })).toEqual(['6', null]);
    expect(await idsOf({ model: 'm2' })).toEqual(['6', null]);
    expect(await idsOf({ state: 'refused' })).toEqual(['8', null]);
    expect(await idsOf({ accountId: 'acme', from: START + 2, to: START + 4 })).toEqual(['32', null]);
    const [day] = await requests.usage('acme', { from: '2026-11-15', to: '2026-11-15' });
    const [last] = await stage().db.query<{ at: Date }>(
      `select max(last_at) as at from usage_daily where key_id = 'k1' and account_id = 'acme'`,
    );
    expect(last?.at.getTime()).toBe(START + 8);
    expect(day).toMatchObject({
      keyId: 'k1',
      requests: 5,
      refused: 1,
      inputTokens: 600,
      outputTokens: 120,
      cost: 2_500n,
    });
  });

  it('has a trial balance whose debits are its credits, with all wallets as one book', async () => {
    const { journal, poster, books } = stage().desk;
    await books.transfer({ id: 'in-1', kind: 'top-up', accountId: 'acme', amount: money(9_000n), note: 'in' });
    await books.transfer({ id: 'in-2', kind: 'top-up', accountId: 'other', amount: money(1_000n), note: 'in' });
    await journal.close(record('req_1'));
    await poster.postBatch();
    const lines = await books.trialBalance();
    const sum = (side: 'debit' | 'credit') => lines.reduce((total, line) => total + line[side], 0n);
    expect(sum('debit')).toBe(sum('credit'));
    expect(lines.find(({ book }) => book === 'wallets')).toMatchObject({ accounts: 2, debit: 0n, credit: 9_500n });
    expect(lines.find(({ book }) => book === 'revenue')).toMatchObject({ credit: 500n });
    expect(lines.find(({ book }) => book === 'cash')).toMatchObject({ debit: 10_000n });
  });

  it('moves rows into the partition of their day, drops old days, and the books still balance', async () => {
    const { db, desk } = stage();
    const { journal, poster, books, requests } = desk;
    await Promise.all([journal.close(record('req_1')), journal.close(record('req_2', { createdAt: START + DAY_MS }))]);
    await poster.postBatch();
    await books.transfer({ id: 'f1', kind: 'refund', accountId: 'acme', amount: money(100n), requestId: 'req_1' });
    expect(await preparePartitions(db, START, 1)).toEqual(['request_log_20261115', 'request_log_20261116']);
    expect(await preparePartitions(db, START, 1)).toEqual([]);
    expect(await db.query('select id from request_log_20261115')).toEqual([{ id: 'req_1' }]);
    await journal.close(record('req_3', { createdAt: START + DAY_MS }));
    await poster.postBatch();
    await desk.prove();
    expect(await dropOldPartitions(db, START + DAY_MS, 0)).toEqual(['request_log_20261115']);
    expect(await requests.find('req_1')).toBeUndefined();
    expect(await requests.find('req_3')).toBeDefined();
    await desk.prove();
    // A very late copy of a request whose row is forgotten is not charged again; a charge that never arrived still is.
    await Promise.all([journal.close(record('req_1')), journal.close(record('req_0'))]);
    await poster.postBatch();
    expect((await books.wallet('acme')).posted).toBe(-1_900n);
    expect(await requests.find('req_1')).toBeUndefined();
    expect(await requests.find('req_0')).toBeDefined();
  });

  it('counts every period for key and account, in a charge, a refund, the audit and what retention carries over', async () => {
    const { db, desk } = stage();
    const { journal, poster, books, requests } = desk;
    const periods = ['daily:2026-11-15', 'monthly:1405-08', 'total:total'];
    const counters = ['cap:key:k1:', 'cap:account:acme:'].flatMap((owner) => periods.map((period) => owner + period));
    await preparePartitions(db, START, 0);
    await Promise.all([journal.close(record('req_1', { counters })), journal.close(record('req_2', { counters }))]);
    await poster.postBatch();
    await books.transfer({ id: 'f1', kind: 'refund', accountId: 'acme', amount: money(100n), requestId: 'req_1' });
    const spent = await books.loadPosted(counters);
    expect(counters.map((counter) => spent.get(counter)?.posted)).toEqual(counters.map(() => 900n));
    expect((await requests.find('req_1'))?.counters).toEqual(counters);
    await desk.prove();
    await dropOldPartitions(db, START + 2 * DAY_MS, 0);
    expect(await requests.find('req_1')).toBeUndefined();
    await desk.prove();
  });
}
