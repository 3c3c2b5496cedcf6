/** Profit: what was charged, less what went back, less what providers cost. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { money } from '../../src/core/money.ts';
import { profitBy } from '../../src/payments/index.ts';
import { preparePartitions } from '../../src/requestlog/index.ts';
import { type Bookkeeping, keepBooks } from '../ledger/bookkeeping.ts';
import { record, START } from '../ledger/request-fixture.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';

let temporary: TemporaryDatabase;
let desk: Bookkeeping;
beforeAll(async () => {
  temporary = await openTemporaryDatabase();
  await preparePartitions(temporary.db, START);
  desk = await keepBooks(temporary.db);
});
afterAll(async () => {
  await desk.close();
  await temporary.remove();
});

it('counts a request once however often it was refunded, and not what went back', async () => {
  const { journal, poster, books } = desk;
  const provider = { provider: 'openai', providerCost: money(200n) };
  await journal.close(record('req_1', provider));
  await journal.close(record('req_2', { ...provider, model: 'openai/other' }));
  await journal.close(record('req_3', { ...provider, accountId: 'shop', providerCost: null }));
  await poster.postBatch();
  for (const [id, amount] of [
    ['f1', 100n],
    ['f2', 150n],
  ] as const)
    await books.transfer({ id, kind: 'refund', accountId: 'acme', amount: money(amount), requestId: 'req_1' });
  const profit = (by: Parameters<typeof profitBy>[1]) =>
    profitBy(temporary.db, by, new Date(START - 1), new Date(START + 1));
  expect(await profit('model')).toEqual([
    { value: 'openai/gpt', requests: 2, revenue: 750n, providerCost: 200n, unknownCost: 1 },
    { value: 'openai/other', requests: 1, revenue: 500n, providerCost: 200n, unknownCost: 0 },
  ]);
  expect((await profit('account')).map(({ value, revenue }) => [value, revenue])).toEqual([
    ['acme', 750n],
    ['shop', 500n],
  ]);
  expect(await profit('day')).toMatchObject([
    { value: '2026-11-15', requests: 3, revenue: 1_250n, providerCost: 400n },
  ]);
  expect(await profit('vendor')).toMatchObject([{ value: 'openai', revenue: 1_250n }]);
  await desk.prove();
});

it('a failed request names who was asked last, and neither costs nor is unknown by it', async () => {
  const { journal, poster } = desk;
  const supplied = () => temporary.db.query(`select from ledger_transfer where kind = 'supply'`);
  const before = await supplied();
  await journal.close(
    record('req_failed', {
      state: 'failed',
      status: 502,
      provider: 'openai',
      providerCost: null,
      cost: money(0n),
      formula: [],
    }),
  );
  await poster.postBatch();
  expect(await supplied()).toHaveLength(before.length);
  const [vendor] = await profitBy(temporary.db, 'vendor', new Date(START - 1), new Date(START + 1));
  expect(vendor).toEqual({ value: 'openai', requests: 4, revenue: 1_250n, providerCost: 400n, unknownCost: 1 });
  await desk.prove();
});
