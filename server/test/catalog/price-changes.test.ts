/** Changes of prices over years of rates: the newest are read by an index, and what changed nothing is not told. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { priceChanges } from '../../src/catalog/index.ts';
import { selectPriceChanges } from '../../src/catalog/prices/price-rows.ts';
import type { Queryable } from '../../src/platform/db/index.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';

const MODELS = Array.from({ length: 100 }, (_, at) => `maker/m${at}`);
const QUESTION = { models: MODELS, sinceMs: 0, limit: 100 };

let temporary: TemporaryDatabase;
beforeAll(async () => {
  temporary = await openTemporaryDatabase();
  // Every second day writes the price of the day before once more.
  await temporary.db.query(
    `insert into price (version, model_id, per_unit, effective_at, source, created_at)
     select 'v-' || model || '-' || day, model, jsonb_build_object('input', (1000 + day / 2)::text),
       timestamptz '2026-01-01' + day * interval '1 day', 'catalog', timestamptz '2026-01-01'
     from unnest($1::text[]) as model, generate_series(0, 199) as day`,
    [MODELS],
  );
  await temporary.db.query('analyze price');
});
afterAll(() => temporary?.remove());

describe('changes of prices', () => {
  it('are read newest first by their index, not by sorting all there were', async () => {
    const { db } = temporary;
    const plan: string[] = [];
    const explaining: Pick<Queryable, 'query'> = {
      query: async (statement, values) => {
        const rows = await db.query<{ 'QUERY PLAN': string }>(`explain ${statement}`, values);
        plan.push(...rows.map((row) => row['QUERY PLAN']));
        return [];
      },
    };
    await selectPriceChanges(explaining as Queryable, QUESTION);
    expect(plan.join('\n')).toContain('using price_by_time on price');
    expect(plan.join('\n')).not.toContain('Seq Scan');
  });

  it('are those that changed something, with what was before', async () => {
    const found = await priceChanges(temporary.db, { ...QUESTION, models: ['maker/m7'], limit: 3 });
    expect(found.map(({ price, before }) => [price.perUnit.inputFresh, before?.perUnit.inputFresh])).toEqual([
      [1099n, 1098n],
      [1098n, 1097n],
      [1097n, 1096n],
    ]);
    const all = await priceChanges(temporary.db, { ...QUESTION, models: ['maker/m7'], limit: 500 });
    expect(all).toHaveLength(100);
    expect(all.at(-1)?.before).toBeUndefined();
  });
});
