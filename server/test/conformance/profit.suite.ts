/** Profit from sealed and open days, and costs that become known later, as they must be on every database. */

import { randomBytes } from 'node:crypto';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCostCorrections } from '../../src/accounting/index.ts';
import { money } from '../../src/core/money.ts';
import { createProfitReports, type ProfitReports } from '../../src/payments/index.ts';
import { emptyBooks } from '../ledger/bookkeeping.ts';
import { atNight, FIRST_DAY, lostHedge, openSealStage, post, requestAt, type SealStage } from '../ledger/seal-stage.ts';
import { dyingDatabase, ProcessDied } from '../payments/dying-database.ts';
import type { DatabaseUnderTest } from './database.suite.ts';

const TWO_DAYS = { first: '2024-03-05', last: '2024-03-06' };
type By = Parameters<ProfitReports['read']>[0]['by'];

export function profitSuite(name: string, open: () => Promise<DatabaseUnderTest>): void {
  describe(`profit: ${name}`, () => {
    let subject: DatabaseUnderTest;
    let stage: SealStage;
    let profit: ProfitReports;
    beforeAll(async () => {
      subject = await open();
    });
    afterAll(() => subject.close());
    beforeEach(async () => {
      await emptyBooks(subject.db);
      stage = await openSealStage(subject.db);
      profit = createProfitReports(subject.db, stage.clock);
    });
    afterEach(() => stage.desk.close());

    const known = { provider: 'openai', providerCost: money(200n) };
    const unknown = { provider: 'own', providerCost: null, attempts: [] };
    const shown = async (by: By, calendar?: 'jalali' | 'gregorian') =>
      (await profit.read({ by, days: TWO_DAYS, ...(calendar && { calendar }) }))?.rows.map(
        ({ value, requests, revenue, providerCost, waste, profitLow, profitHigh, unknownCost }) =>
          `${value}: ${requests} for ${revenue}, cost ${providerCost} + ${waste}, profit ${profitLow} to ${profitHigh}, unknown ${unknownCost}`,
      );

    /** A sealed day and an open one, with an unknown cost, a failure and a refund. */
    async function twoDays(): Promise<void> {
      const [first, second] = [FIRST_DAY + HOUR_MS, FIRST_DAY + DAY_MS + HOUR_MS];
      const refunded = requestAt(first, known);
      await post(
        stage,
        refunded,
        requestAt(first, { ...known, model: 'openai/other', attempts: [lostHedge(first, 'spare', 30)] }),
        requestAt(first, { ...unknown, accountId: 'shop' }),
      );
      for (const id of ['f1', 'f2'])
        await stage.desk.books.transfer({
          id,
          kind: 'refund',
          accountId: 'acme',
          amount: money(50n),
          requestId: refunded.id,
        });
      atNight(stage, FIRST_DAY);
      await stage.tick();
      await post(stage, requestAt(second, known), requestAt(second, { ...unknown, accountId: 'shop' }));
    }

    it('reads sealed and open days as one, by whatever it is asked', async () => {
      await twoDays();
      expect(await shown('day')).toEqual([
        '2024-03-06: 2 for 1000, cost 200 + 0, profit 300 to 800, unknown 1',
        '2024-03-05: 3 for 1400, cost 400 + 30, profit 470 to 970, unknown 1',
      ]);
      expect(await shown('month')).toEqual(['1402-12: 5 for 2400, cost 600 + 30, profit 770 to 1770, unknown 2']);
      expect((await shown('month', 'gregorian'))?.[0]).toMatch(/^2024-03: /);
      expect(await shown('model')).toEqual([
        'openai/gpt: 4 for 1900, cost 400 + 0, profit 500 to 1500, unknown 2',
        'openai/other: 1 for 500, cost 200 + 30, profit 270 to 270, unknown 0',
      ]);
      expect(await shown('account')).toEqual([
        'acme: 3 for 1400, cost 600 + 30, profit 770 to 770, unknown 0',
        'shop: 2 for 1000, cost 0 + 0, profit 0 to 1000, unknown 2',
      ]);
      expect((await shown('provider'))?.map((row) => row.split(':')[0])).toEqual(['openai', 'own', 'spare']);
      expect((await shown('vendor'))?.length).toBe(3);
      const total = (await profit.read({ by: 'day', days: TWO_DAYS }))?.total;
      // 1000 of 2500 have no known cost: there is no single figure.
      expect(total).toMatchObject({ revenue: 2400n, profit: null, marginKnown: 0.55, revenueUnknownCost: 1000n });
      expect(await profit.unknownCosts(TWO_DAYS)).toEqual({ routes: 1, requests: 2, revenue: 1000n });
    });

    it('gives one figure while at most a hundredth is unknown, and never counts the rest as free', async () => {
      const at = FIRST_DAY + HOUR_MS;
      await post(
        stage,
        requestAt(at, { ...known, cost: money(990n) }),
        requestAt(at, { ...unknown, cost: money(10n) }),
      );
      const total = async () => (await profit.read({ by: 'day', days: TWO_DAYS }))?.total;
      expect(await total()).toMatchObject({ profit: 790n, profitLow: 790n, profitHigh: 800n });
      await post(stage, requestAt(at, { ...unknown, cost: money(1n) }));
      // What is open is a minute old at most.
      expect(await total()).toMatchObject({ revenue: 1000n });
      stage.clock.advance(MINUTE_MS);
      expect(await total()).toMatchObject({ revenue: 1001n, profit: null });
    });

    it('is read in pages with the sum of all on top, and outlives the request log', async () => {
      await twoDays();
      for (const by of ['account', 'model', 'day'] as const) {
        const first = await profit.read({ by, days: TWO_DAYS, limit: 1 });
        const second = await profit.read({ by, days: TWO_DAYS, limit: 1, after: first?.next ?? '' });
        const values = [...(first?.rows ?? []), ...(second?.rows ?? [])].map(({ value }) => value);
        expect([new Set(values).size, second?.next, second?.total.revenue]).toEqual([2, null, 2400n]);
      }
      expect(await profit.read({ by: 'day', days: TWO_DAYS, after: 'nonsense' })).toBeUndefined();
      const before = await shown('account');
      atNight(stage, FIRST_DAY + DAY_MS);
      await stage.tick();
      stage.clock.advance(MINUTE_MS);
      await stage.db.query('truncate request_log');
      expect(await shown('account')).toEqual(before);
    });

    describe('a cost that becomes known later', () => {
      const route = { model: 'openai/gpt', provider: 'own', upstream: 'gpt' };
      const corrections = (over: { db?: SealStage['db']; mostRows?: number } = {}) =>
        createCostCorrections({ db: stage.db, clock: stage.clock, randomBytes, ...over });
      const booked = () =>
        stage.db.query(
          `select debit, credit, amount::text, home_day(created_at)::text as day from ledger_transfer where kind = 'cost-correction'`,
        );
      beforeEach(async () => {
        await stage.db.query(`
          delete from route where provider_id = 'own'; delete from model where id = 'openai/gpt'; delete from provider where id = 'own'`);
        await twoDays();
      });

      it('is counted once for the requests of the open month, however often it is asked for and whoever is killed', async () => {
        await addRoute(stage, { per_unit: { input: '2', output: '3' }, per_request: '1' });
        // 100 in, 20 out: 261 each.
        const { id } = await corrections().begin(route, 'test');
        expect((await corrections().begin(route, 'test')).id).toBe(id);
        let kills = 0;
        for (let calls = 1; ; calls++) {
          let left = calls;
          try {
            await corrections({ db: dyingDatabase(stage.db, () => left-- === 0), mostRows: 1 }).carryOn();
            break;
          } catch (error) {
            if (!(error instanceof ProcessDied)) throw error;
            kills++;
          }
        }
        expect(kills).toBeGreaterThan(3);
        stage.clock.advance(1);
        await corrections().begin(route, 'test');
        await Promise.all([corrections().carryOn(), corrections().carryOn()]);
        expect(await booked()).toEqual([{ debit: 'costs', credit: 'provider:own', amount: '522', day: '2024-03-06' }]);
        expect(await corrections().list(5)).toMatchObject([
          { state: 'booked', requests: 0, amount: 0n },
          { id, state: 'booked', requests: 2, revenue: 1000n, amount: 522n },
        ]);
        // On the days of the requests; nothing is unknown any more.
        expect(await shown('day')).toEqual([
          '2024-03-06: 2 for 1000, cost 461 + 0, profit 539 to 539, unknown 0',
          '2024-03-05: 3 for 1400, cost 661 + 30, profit 709 to 709, unknown 0',
        ]);
        expect((await shown('account'))?.[1]).toBe('shop: 2 for 1000, cost 522 + 0, profit 478 to 478, unknown 0');
        atNight(stage, FIRST_DAY + DAY_MS);
        await stage.tick();
        expect(
          await stage.db.query(
            `select provider, cost_corrections::text as cost from money_day where cost_corrections > 0`,
          ),
        ).toEqual([{ provider: 'own', cost: '522' }]);
        expect((await stage.proofs().list({ limit: 1 }))?.items[0]).toMatchObject({ ok: true });
        await stage.desk.prove();
        await stage.db.query(`update cost_correction_part set amount = amount + 1`);
        expect((await stage.desk.books.audit()).checks.filter(({ ok }) => !ok).map((check) => check.id)).toEqual([
          'cost-corrections',
        ]);
      });

      it('reaches months that are not closed, and no closed one', async () => {
        await addRoute(stage, { per_unit: { input: '2', output: '3' }, per_request: '1' });
        // The days of the requests are of 1402-12; today is of 1403-01.
        stage.clock.advance(20 * DAY_MS);
        await corrections().begin(route, 'test');
        await corrections().carryOn();
        expect(await corrections().list(1)).toMatchObject([{ requests: 2, amount: 522n }]);
        // A closed month never opens again, so it is closed in a transaction that does not end.
        const closed = stage.db.transaction(async (tx) => {
          await tx.query(
            `insert into ledger_period (id, calendar, first_day, last_day, state, asked_by, asked_at, approved_by, closed_at, transfers, sums_digest, chain)
             values ('1402-12', 'jalali', '2024-02-20', '2024-03-19', 'closed', 'a', now(), 'b', now(), 0, '', '')`,
          );
          const transaction = (work: (own: typeof tx) => unknown) => work(tx);
          const inside = { transaction, publish: stage.db.publish.bind(stage.db) } as never;
          throw new Error((await corrections({ db: inside }).begin(route, 'test')).from.toISOString());
        });
        await expect(closed).rejects.toThrow('2024-03-19T20:30:00.000Z');
      });

      it('is refused while nobody has said it', async () => {
        await expect(corrections().begin(route, 'test')).rejects.toMatchObject({ code: 'not_found' });
        await addRoute(stage, null);
        await expect(corrections().begin(route, 'test')).rejects.toMatchObject({ code: 'conflict' });
      });
    });
  });
}

async function addRoute({ db }: SealStage, cost: object | null): Promise<void> {
  await db.query(`
    insert into provider (id, vendor, protocol, base_url, auth, managed_by, created_at, updated_at)
    values ('own', 'own', 'openai-chat', 'http://own.test', 'none', 'operator', now(), now()) on conflict do nothing;
    insert into model (id, kind, name, managed_by, created_at, updated_at)
    values ('openai/gpt', 'chat', 'gpt', 'operator', now(), now()) on conflict do nothing`);
  await db.query(
    `insert into route (model_id, provider_id, upstream_model, cost, managed_by) values ('openai/gpt', 'own', 'gpt', $1, 'operator')`,
    [cost && JSON.stringify(cost)],
  );
}
