/** Conformance of the ledger: the request log beside the books. */
import { expect, it } from 'vitest';
import { money } from '../../src/core/money.ts';
import { dropOldPartitions, preparePartitions } from '../../src/requestlog/index.ts';
import { OWN_COLUMNS, SHARED_COLUMNS } from '../../src/requestlog/record-text.ts';
import { sealedUntil } from '../ledger/bookkeeping.ts';
import { record, START } from '../ledger/request-fixture.ts';
import type { Stage } from './ledger-stage.ts';

const DAY_MS = 86_400_000;

export function requestLog(stage: Stage): void {
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

  it('tells the same of a row as 0.1.0 wrote it and of one in fewer bytes, and counts the same by both', async () => {
    const { desk, db } = stage();
    const { journal, poster, requests } = desk;
    const periods = [':daily:2026-11-15', ':monthly:1405-08', ':total:total'];
    const [attempt] = record('req_1').attempts;
    const lean = record('req_1', {
      usage: {
        buckets: { inputFresh: 20, output: 8 },
        source: 'upstream',
        raw: { prompt_tokens: 20, completion_tokens: 8, total_tokens: 28 },
      },
      plan: [
        '1. openai/gpt: priority 1, weight 1, 0 running, first event 73 ms',
        '2. b: priority 2, weight 0.5, 1 running',
      ],
      attempts: attempt ? [{ ...attempt, startedAt: START + 81, firstEventMs: 29 }] : [],
      formula: [],
      firstEventMs: 111,
      counters: ['cap:key:k1', 'cap:account:acme'].flatMap((owner) => periods.map((period) => owner + period)),
    });
    await journal.close(lean);
    await poster.postBatch();
    await db.query(
      `insert into request_log (id, created_at, account_id, key_id, endpoint, model, stream, price_version, day, state, status, provider, counters,
         held, cost, provider_cost, duration_ms, input_tokens, output_tokens, detail)
       select 'req_2', created_at, account_id, key_id, endpoint, model, stream, 'p1', day, state, status, provider, $1,
         held, cost, provider_cost, duration_ms, input_tokens, output_tokens, $2 from request_log where id = 'req_1'`,
      [
        periods.map((period) => `*${period}`).join(' '),
        JSON.stringify({
          usage: ['upstream', lean.usage?.buckets, lean.usage?.raw],
          attempts: [['openai', 'openai/gpt', 'c1', 'ok', 200, 81, 29, 34]],
          plan: lean.plan,
          firstEventMs: 111,
        }),
      ],
    );
    const found = await requests.find('req_1');
    expect(found).toEqual({ ...lean, budgets: undefined });
    expect(await requests.find('req_2')).toEqual({ ...found, id: 'req_2' });
    const counted = await db.query<{ id: string; names: string[]; bytes: number; said: string }>(
      `select id, array(select spend_counters(counters, key_id, account_id) order by 1) as names, pg_column_size(detail)::int as bytes,
         price_version as said from request_log order by id`,
    );
    expect(counted.map(({ names }) => names)).toEqual([lean.counters.toSorted(), lean.counters.toSorted()]);
    expect(counted.map(({ said }) => said)).toEqual(['', 'p1']);
    expect(counted[0]?.bytes).toBeLessThan((counted[1]?.bytes ?? 0) - 120);
    expect(await db.query(`select id, price_version as said from ledger_transfer where kind = 'charge'`)).toEqual([
      { id: 'req_1', said: 'p1' },
    ]);
    // It has no charge, and the books are proven after every test.
    await db.query(`delete from request_log where id = 'req_2'`);
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
    expect(lines.find(({ book }) => book === 'undocumented')).toMatchObject({ debit: 10_000n });
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
    // What was sold on a day is kept before its rows go: a day that is not sealed stays.
    await sealedUntil(db, START);
    expect(await dropOldPartitions(db, START + DAY_MS, 0)).toEqual([]);
    await sealedUntil(db, START + DAY_MS);
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
    await sealedUntil(db, START + DAY_MS);
    await dropOldPartitions(db, START + 2 * DAY_MS, 0);
    expect(await requests.find('req_1')).toBeUndefined();
    await desk.prove();
  });
}
