/** Sealed days and proofs, as they must be on every database. */

import { DAY_MS, HOUR_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { money } from '../../src/core/money.ts';
import { bookLines } from '../../src/ledger/booking.ts';
import type { ProofRun } from '../../src/ledger/index.ts';
import { dropOldPartitions, preparePartitions, type RequestRecord } from '../../src/requestlog/index.ts';
import { amount } from '../harness/long.ts';
import { emptyBooks, sealedUntil } from '../ledger/bookkeeping.ts';
import { startRecord } from '../ledger/request-fixture.ts';
import {
  atNight,
  chanceOf,
  differences,
  FIRST_DAY,
  liveOneDay,
  lostHedge,
  openSealStage,
  post,
  requestAt,
  type SealStage,
} from '../ledger/seal-stage.ts';
import { dyingDatabase, ProcessDied } from '../payments/dying-database.ts';
import type { DatabaseUnderTest } from './database.suite.ts';

/** Coarser than the whole in every run; the two histories begin to die at different statements. */
const STATEMENTS_BETWEEN_KILLS = amount(15, 3);

const failed = (run: ProofRun | undefined) =>
  run?.checks.filter(({ result }) => result === 'failed').map(({ id, detail }) => `${id}: ${detail}`);

export function sealsSuite(name: string, open: () => Promise<DatabaseUnderTest>): void {
  describe(`seals: ${name}`, () => {
    let subject: DatabaseUnderTest;
    let stage: SealStage;
    beforeAll(async () => {
      subject = await open();
    });
    afterAll(() => subject.close());
    beforeEach(async () => {
      await emptyBooks(subject.db);
      stage = await openSealStage(subject.db);
    });
    afterEach(() => stage.desk.close());

    const seals = () =>
      stage.db.query<{ day: string; transfers: bigint; late: bigint }>(
        'select day::text as day, transfers, late from ledger_seal order by ledger_seal.day',
      );
    /** By day: what requests cost, and what was booked for them. */
    const costs = async () =>
      (
        await stage.db.query<{ day: string; cost: string; booked: string }>(
          `select day::text as day, sum(cost)::text as cost, (select sum(amount) from ledger_day booked
             where booked.day = sold.day and kind = 'provider-cost')::text as booked
           from money_model_day sold group by sold.day order by sold.day`,
        )
      ).map(({ day, cost, booked }) => [day, cost, booked]);
    const lastRun = async () => (await stage.proofs().list({ limit: 1 }))?.items[0];
    const whole = async () => {
      const proofs = stage.proofs();
      const { id } = await proofs.start('test');
      await stage.settled();
      return proofs.find(id);
    };

    describe('histories', () => histories());
    describe('days', () => days());
    describe('damage', () => damage());
    describe('state', () => states());

    function histories(): void {
      it.each([1, 2])('with late journals, and kills at every slice, seal as if made anew (%i)', async (seed) => {
        const chance = chanceOf(seed);
        const lost: ReturnType<typeof requestAt>[] = [];
        let kills = 0;
        for (let day = 0; day < 3; day++) {
          const start = FIRST_DAY + day * DAY_MS;
          await liveOneDay(stage, chance, start, lost);
          atNight(stage, start);
          // Each process dies some statements later than the one before it, until one comes through.
          for (let calls = seed; ; calls += STATEMENTS_BETWEEN_KILLS) {
            let left = calls;
            const dying = dyingDatabase(stage.db, () => left-- === 0);
            try {
              await stage.tick(stage.proofs({ db: dying, mostRows: 3 }));
              break;
            } catch (error) {
              if (!(error instanceof ProcessDied)) throw error;
              kills++;
              stage.clock.advance(11 * MINUTE_MS);
            }
          }
          expect(await differences(stage.db)).toEqual([]);
          expect(failed(await lastRun())).toEqual([]);
        }
        expect(kills).toBeGreaterThan(5);
        expect((await seals()).reduce((sum, { late }) => sum + late, 0n)).toBeGreaterThan(0n);
        expect(failed(await whole())).toEqual([]);
        await stage.desk.prove();
      });
    }

    function days(): void {
      it('a charge that comes after its day was sealed is booked on the day that is open', async () => {
        await post(stage, requestAt(FIRST_DAY + HOUR_MS));
        atNight(stage, FIRST_DAY);
        await stage.tick();
        const late = requestAt(FIRST_DAY + 2 * HOUR_MS);
        await post(stage, late, requestAt(FIRST_DAY + DAY_MS + HOUR_MS));
        expect(
          await stage.db.query('select id, booked_on::text as day from late_request where id = $1', [late.id]),
        ).toEqual([{ id: late.id, day: '2024-03-06' }]);
        atNight(stage, FIRST_DAY + DAY_MS);
        await stage.tick();
        // Each with what its provider costs.
        expect(await seals()).toEqual([
          { day: '2024-03-05', transfers: 2n, late: 0n },
          { day: '2024-03-06', transfers: 4n, late: 2n },
        ]);
        expect(await differences(stage.db)).toEqual([]);
        expect(failed(await whole())).toEqual([]);
      });

      it('the cost of a batch over midnight falls on the days of its requests; of 0.1.0 nobody asks that', async () => {
        const midnight = FIRST_DAY + DAY_MS;
        await post(stage, requestAt(midnight - 1, { providerCost: money(7n) }), requestAt(midnight));
        atNight(stage, midnight);
        await stage.tick();
        expect(await costs()).toEqual([
          ['2024-03-05', '7', '7'],
          ['2024-03-06', '400', '400'],
        ]);
        expect(failed(await lastRun())).toEqual([]);
        // As 0.1.0 books it: whole, and on the second day.
        await stage.db.query(`alter table ledger_transfer disable trigger all;
          update ledger_transfer set id = 'supply:openai:old', amount = 407 where kind = 'provider-cost' and amount = 400;
          delete from ledger_transfer where kind = 'provider-cost' and amount = 7;
          alter table ledger_transfer enable trigger all;`);
        expect(failed(await whole())?.filter((one) => one.startsWith('cost-days'))).toEqual([]);
        await stage.db.query(`alter table ledger_transfer disable trigger all;
          update ledger_transfer set id = 'supply:openai:req_x:2024-03-06' where kind = 'provider-cost';
          alter table ledger_transfer enable trigger all;`);
        const said = failed(await whole())?.find((one) => one.startsWith('cost-days'));
        expect(said).toContain('2024-03-05: openai: 0 instead of 7');
        expect(said).toContain('2024-03-06: openai: 407 instead of 400');
      });

      it('a broken answer that was asked again is waste, and a credit of the guarantee is sealed like a refund', async () => {
        const noon = FIRST_DAY + 12 * HOUR_MS;
        const asked = requestAt(noon, {
          attempts: [{ ...lostHedge(noon, 'spare', 70), outcome: 'broken-answer' }],
          guarantee: 'asked_again',
        });
        const free = requestAt(noon + 1, { guarantee: 'broken' });
        await post(stage, asked, free);
        const nowMs = noon + 2;
        await stage.db.transaction((tx) =>
          bookLines({ db: stage.db, tx, nowMs }, [
            {
              id: `guarantee:${free.id}`,
              kind: 'guarantee',
              debit: 'revenue',
              credit: 'wallet:acme',
              amount: free.cost,
              requestId: free.id,
            },
          ]),
        );
        atNight(stage, FIRST_DAY);
        await stage.tick();
        expect(
          await stage.db.query(`select id, amount::text as amount from ledger_transfer where kind = 'waste'`),
        ).toEqual([{ id: 'waste:2024-03-05:spare', amount: '70' }]);
        expect(
          await stage.db.query(`select sum(revenue)::text as revenue, sum(refunded)::text as refunded from money_day`),
        ).toEqual([{ revenue: String(asked.cost + free.cost), refunded: String(free.cost) }]);
        expect(failed(await whole())).toEqual([]);
      });

      it('what probes cost is a kind of its own, no account is named by it, and the books prove it', async () => {
        const noon = FIRST_DAY + 12 * HOUR_MS;
        await post(stage, requestAt(noon, { attempts: [lostHedge(noon, 'spare', 70)] }));
        await stage.db.query(
          `insert into probe_cost (day, model, provider, amount) values
           ('2024-03-05', 'openai/gpt-5', 'spare', 5), ('2024-03-05', 'openai/other', 'spare', 6), ('2024-03-05', 'openai/gpt-5', 'openai', 9)`,
        );
        atNight(stage, FIRST_DAY);
        await stage.tick();
        expect(
          await stage.db.query(
            `select id, debit, credit, amount::text, kind from ledger_transfer where kind in ('waste', 'probe') order by id`,
          ),
        ).toEqual([
          { id: 'probe:2024-03-05:openai', debit: 'costs', credit: 'provider:openai', amount: '9', kind: 'probe' },
          { id: 'probe:2024-03-05:spare', debit: 'costs', credit: 'provider:spare', amount: '11', kind: 'probe' },
          { id: 'waste:2024-03-05:spare', debit: 'costs', credit: 'provider:spare', amount: '70', kind: 'waste' },
        ]);
        expect(
          await stage.db.query(
            `select account_id, sum(waste)::text as waste from money_account_day group by 1 order by 1`,
          ),
        ).toEqual([
          { account_id: '', waste: '20' },
          { account_id: 'acme', waste: '70' },
        ]);
        expect(failed(await whole())).toEqual([]);
        await stage.desk.prove();
        await stage.db.query(`update probe_cost set amount = amount + 1 where provider = 'openai'`);
        expect(failed(await whole())?.join()).toContain('2024-03-05: openai: 9 instead of 10');
      });

      it('what going on with answers of others costs is a kind of its own, beside what was sold and what failed', async () => {
        const noon = FIRST_DAY + 12 * HOUR_MS;
        const hedge = lostHedge(noon, 'spare', 70);
        const further = { ...hedge, outcome: 'ok', continues: true as const, providerCost: '0.000030' };
        await post(
          stage,
          requestAt(noon, { attempts: [hedge, further] }),
          requestAt(noon + 1, {
            attempts: [
              { ...further, outcome: 'truncated' },
              { ...further, provider: 'openai' },
            ],
          }),
        );
        atNight(stage, FIRST_DAY);
        await stage.tick();
        expect(
          await stage.db.query(
            `select id, debit, amount::text from ledger_transfer where kind in ('waste', 'probe', 'continuation') order by id`,
          ),
        ).toEqual([
          { id: 'continuation:2024-03-05:openai', debit: 'costs', amount: '30' },
          { id: 'continuation:2024-03-05:spare', debit: 'costs', amount: '60' },
          { id: 'waste:2024-03-05:spare', debit: 'costs', amount: '70' },
        ]);
        expect(await stage.db.query('select sum(waste)::text as waste from money_account_day')).toEqual([
          { waste: '160' },
        ]);
        expect(failed(await whole())).toEqual([]);
        await stage.desk.prove();
      });

      it('what failed costs too, from the first day of this version on: booked once, on its own day', async () => {
        const noon = FIRST_DAY + 12 * HOUR_MS;
        const unsold: Partial<RequestRecord> = {
          cost: money(0n),
          providerCost: null,
          state: 'interrupted',
          formula: [],
        };
        await stage.db.query(`update cost_clock set waste_from = '2024-03-06'`);
        for (const day of [0, DAY_MS])
          await post(
            stage,
            requestAt(noon + day, { attempts: [lostHedge(noon + day, 'spare', 70)] }),
            requestAt(noon + day, { ...unsold, attempts: [lostHedge(noon + day, 'openai', 30)] }),
          );
        atNight(stage, FIRST_DAY + DAY_MS);
        await stage.tick();
        expect(
          await stage.db.query(
            `select id, debit, credit, amount::text, home_day(created_at)::text as day from ledger_transfer where kind = 'waste' order by id`,
          ),
        ).toEqual([
          { id: 'waste:2024-03-06:openai', debit: 'costs', credit: 'provider:openai', amount: '30', day: '2024-03-06' },
          { id: 'waste:2024-03-06:spare', debit: 'costs', credit: 'provider:spare', amount: '70', day: '2024-03-06' },
        ]);
        // The second answer was not sold and its cost is known, so nothing of the day is unknown.
        expect(
          await stage.db.query(
            `select day::text as day, sum(waste)::text as waste, sum(cost_unknown_requests)::int as unknown from money_model_day group by money_model_day.day order by 1`,
          ),
        ).toEqual([
          { day: '2024-03-05', waste: '0', unknown: 1 },
          { day: '2024-03-06', waste: '100', unknown: 0 },
        ]);
        expect(failed(await lastRun())).toEqual([]);
        expect(failed(await whole())).toEqual([]);
        await stage.desk.prove();
        await stage.db.query(`update money_day set waste = waste + 1 where day = '2024-03-06' and provider = 'spare'`);
        expect(failed(await whole())?.join()).toContain('2024-03-06: the cost of what failed changed');
      });

      it('a request that was running when its day was sealed counts on the day it ended', async () => {
        const { desk, clock } = stage;
        const long = requestAt(FIRST_DAY + 23 * HOUR_MS);
        clock.advance(15 * HOUR_MS);
        await desk.journal.open(startRecord(long.id, { createdAt: long.createdAt }));
        clock.advance(10_000);
        await desk.journal.close(
          requestAt(FIRST_DAY + 23 * HOUR_MS, { state: 'refused', cost: money(0n), formula: [] }),
        );
        // Posting tells of requests that run for long.
        await desk.poster.catchUp();
        expect(await stage.db.query('select id, state from request_log where id = $1', [long.id])).toEqual([
          { id: long.id, state: 'running' },
        ]);
        atNight(stage, FIRST_DAY);
        await stage.tick();
        expect(await stage.db.query('select requests from ledger_seal')).toEqual([{ requests: 1n }]);
        await post(stage, long);
        atNight(stage, FIRST_DAY + DAY_MS);
        await stage.tick();
        expect(
          await stage.db.query('select day::text as day, requests, revenue::text from money_day where requests > 0'),
        ).toEqual([{ day: '2024-03-06', requests: 1n, revenue: '500' }]);
        expect(failed(await whole())).toEqual([]);
      });

      it('what retention dropped before there were seals still counts', async () => {
        await preparePartitions(stage.db, FIRST_DAY + HOUR_MS, 1);
        await post(stage, requestAt(FIRST_DAY + HOUR_MS), requestAt(FIRST_DAY + DAY_MS + 5 * HOUR_MS));
        // As 0.1.0 dropped it: without a look at seals.
        await sealedUntil(stage.db, FIRST_DAY + 2 * DAY_MS);
        expect(await dropOldPartitions(stage.db, FIRST_DAY + DAY_MS + 5 * HOUR_MS, 0)).toContain(
          'request_log_20240304',
        );
        await stage.db.query('delete from ledger_clock');
        atNight(stage, FIRST_DAY + DAY_MS);
        await stage.tick();
        expect(failed(await lastRun())).toEqual([]);
        expect(failed(await whole())).toEqual([]);
      });

      it('nothing is sealed before four in the morning, and after days of silence all of them are', async () => {
        await post(stage, requestAt(FIRST_DAY + HOUR_MS));
        stage.clock.advance(FIRST_DAY + DAY_MS + 4 * HOUR_MS - 1 - stage.clock.now());
        await stage.tick();
        expect(await seals()).toEqual([]);
        stage.clock.advance(3 * DAY_MS);
        await stage.tick();
        expect((await seals()).map(({ day }) => day)).toEqual(['2024-03-05', '2024-03-06', '2024-03-07']);
      });
    }

    function damage(): void {
      const behindTheBack = (text: string) =>
        stage.db.query(
          `alter table ledger_transfer disable trigger all; ${text}; alter table ledger_transfer enable trigger all;`,
        );

      beforeEach(async () => {
        for (const day of [0, 1, 2]) await post(stage, requestAt(FIRST_DAY + day * DAY_MS + HOUR_MS));
        atNight(stage, FIRST_DAY + 2 * DAY_MS);
        await stage.tick();
        expect(failed(await lastRun())).toEqual([]);
      });

      it.each([
        [
          'a note',
          `update ledger_transfer set note = 'paid' where home_day(created_at) = '2024-03-06' and kind = 'charge'`,
        ],
        [
          'an amount and its balances',
          `update ledger_transfer set amount = amount + 1 where home_day(created_at) = '2024-03-06' and kind = 'charge';
           update ledger_account set posted = posted - 1 where id = 'wallet:acme'; update ledger_account set posted = posted + 1 where id = 'revenue';
           update request_log set cost = cost + 1 where home_day(created_at) = '2024-03-06';`,
        ],
        [
          'a row that is gone',
          `delete from ledger_transfer where home_day(created_at) = '2024-03-06' and kind = 'provider-cost'`,
        ],
        ['a sum by book', `update ledger_day set amount = amount + 1 where day = '2024-03-06' and kind = 'charge'`],
        [
          'a balance of the day',
          `update ledger_balance set posted = posted + 1 where day = '2024-03-06' and id = 'revenue'`,
        ],
        ['what was sold', `update money_day set revenue = revenue + 1 where day = '2024-03-06'`],
      ])('%s of a sealed day is found and named', async (_what, text) => {
        await behindTheBack(text);
        const said = failed(await whole())?.join('\n') ?? '';
        expect(said).toContain('sealed-days: ');
        expect(said).toContain('2024-03-06');
        expect(await stage.proofs().state()).toMatchObject({ verdict: 'disagree' });
        // The day is read again every night until it is as it was.
        atNight(stage, FIRST_DAY + 3 * DAY_MS);
        await stage.tick();
        expect(failed(await lastRun())?.join('\n')).toContain('2024-03-06');
      });

      it('a seal that was made anew to fit altered rows breaks the chain', async () => {
        await behindTheBack(
          `update ledger_seal set transfers = transfers + 1, digest = 'made up' where day = '2024-03-06'`,
        );
        expect(failed(await whole())?.find((one) => one.startsWith('chain'))).toContain('2024-03-06');
      });

      it('a request whose cost was changed in a sealed day is named', async () => {
        await stage.db.query(`update request_log set cost = cost + 7 where home_day(created_at) = '2024-03-07'`);
        const said = failed(await whole())?.join('\n') ?? '';
        expect(said).toMatch(/one-charge-per-request: 1 fault, such as req_\w+: 500 instead of 507/);
      });

      it('a balance that was changed is found by the light proof within ten minutes', async () => {
        stage.clock.advance(11 * MINUTE_MS);
        await stage.tick();
        expect(await stage.proofs().state()).toMatchObject({ verdict: 'proven' });
        await stage.db.query(`update ledger_account set posted = posted + 5 where id = 'wallet:acme'`);
        stage.clock.advance(11 * MINUTE_MS);
        await stage.tick();
        const { verdict, failing } = await stage.proofs().state();
        expect([verdict, failing.map(({ check }) => check)]).toEqual(['disagree', ['balances', 'debits-and-credits']]);
        expect(await stage.proofs().find(failing[0]?.run ?? '')).toMatchObject({ kind: 'light', ok: false });
      });
    }

    function states(): void {
      it('is never proven, proven, and unproven when no proof ended for 26 hours', async () => {
        expect(await stage.proofs().state()).toMatchObject({ verdict: 'never' });
        await post(stage, requestAt(stage.clock.now()));
        await stage.tick();
        expect(await stage.proofs().state()).toMatchObject({ verdict: 'proven', provedTo: '2024-03-04' });
        stage.clock.advance(26 * HOUR_MS + 1);
        expect(await stage.proofs().state()).toMatchObject({ verdict: 'unproven' });
      });

      it('only a run that ended counts: after two that failed the books are unproven, and the reason is told', async () => {
        const away = { ...stage.db, report: () => Promise.reject(new Error('statement timeout')) };
        await stage.tick();
        atNight(stage, FIRST_DAY);
        for (const verdict of ['proven', 'unproven']) {
          await expect(stage.tick(stage.proofs({ db: away }))).rejects.toThrow('statement timeout');
          expect(await stage.proofs().state()).toMatchObject({ verdict, reason: 'statement timeout' });
          // It is not tried again at once.
          expect(await stage.proofs({ db: away }).due()).toBeUndefined();
          stage.clock.advance(11 * MINUTE_MS);
        }
        await stage.tick();
        expect(await stage.proofs().state()).toMatchObject({ verdict: 'proven', reason: null });
      });

      it('a page that asks during a proof starts none, and a second asker gets the run that is under way', async () => {
        await post(stage, requestAt(stage.clock.now()));
        const proofs = stage.proofs();
        const first = await proofs.start('staff:one');
        expect(await proofs.start('staff:two')).toMatchObject({ id: first.id, askedBy: 'staff:one' });
        for (let n = 0; n < 50; n++) expect(await proofs.state()).toMatchObject({ verdict: 'never' });
        await stage.settled();
        expect((await proofs.list({}))?.items.map(({ id, state }) => [id, state])).toEqual([[first.id, 'ended']]);
        expect(await proofs.state()).toMatchObject({ verdict: 'proven', runId: first.id });
      });

      it('a whole proof that is asked for during that of a night is not the less whole', async () => {
        for (const day of [0, 1, 2]) await post(stage, requestAt(FIRST_DAY + day * DAY_MS + HOUR_MS));
        atNight(stage, FIRST_DAY + 2 * DAY_MS);
        await stage.tick();
        // In each of the three sealed days, of which a night reads one; four sums of a day stand on what was sold.
        await stage.db.query(`update money_day set revenue = revenue + 1`);
        const proofs = stage.proofs();
        atNight(stage, FIRST_DAY + 3 * DAY_MS);
        const night = await proofs.due();
        const { id } = await proofs.start('staff:one');
        await night?.();
        expect(await proofs.find(id)).toMatchObject({ kind: 'whole', askedBy: 'staff:one', state: 'ended', ok: false });
        expect(failed(await proofs.find(id))).toContainEqual(expect.stringContaining('sealed-days: 12 faults'));
        expect((await proofs.list({}))?.items).toHaveLength(2);
        expect(await proofs.state()).toMatchObject({ verdict: 'disagree', runId: id });
      });

      it('a whole proof that is asked for while that of a night ends begins behind it', async () => {
        await post(stage, requestAt(stage.clock.now()));
        let ends = 0;
        const ending = stage.proofs({
          db: {
            ...stage.db,
            transaction: (work) =>
              stage.db.transaction((tx) =>
                work({
                  ...tx,
                  query: async (...call) => {
                    if (/set kind = 'whole'/.test(String(call[0])) && ends++ === 0)
                      await tx.query(`update proof_run set state = 'ended', ended_at = now(), ok = true`);
                    return tx.query(...call);
                  },
                }),
              ),
          },
        });
        await ending.due();
        const { id, kind } = await ending.start('staff:one');
        await stage.settled();
        expect([ends, kind, (await ending.list({}))?.items.length]).toEqual([1, 'whole', 2]);
        expect(await ending.find(id)).toMatchObject({ kind: 'whole', askedBy: 'staff:one', state: 'ended', ok: true });
      });

      it('whoever writes into another database of the same server is not waited for', async () => {
        // Made from the same template, so that its tables have the same numbers.
        const other = await open();
        await other.db.transaction(async (tx) => {
          await tx.query('lock table ledger_transfer in row exclusive mode');
          await stage.tick();
          expect(await lastRun()).toMatchObject({ state: 'ended', ok: true });
        });
        await other.close();
      });

      it('a page that asks again is answered from memory, however long the database takes', async () => {
        let reads = 0;
        const never = new Promise<never>(() => undefined);
        const slow = {
          ...stage.db,
          query: ((...args: Parameters<typeof stage.db.query>) =>
            ++reads > 1 ? never : stage.db.query(...args)) as typeof stage.db.query,
        };
        const proofs = stage.proofs({ db: slow });
        await proofs.state();
        for (let n = 0; n < 10; n++) {
          stage.clock.advance(6_000);
          expect(await proofs.state()).toMatchObject({ verdict: 'never' });
        }
        expect(reads).toBe(2);
      });

      it('a check that had nothing to look at says so', async () => {
        const results = new Map((await whole())?.checks.map(({ id, result }) => [id, result]));
        expect([results.get('balances'), results.get('refunded-orders'), results.get('sealed-days')]).toEqual([
          'nothing',
          'nothing',
          'nothing',
        ]);
      });

      it('a process that stops lets go of its run, and that is no failure', async () => {
        await post(stage, requestAt(stage.clock.now()));
        const proofs = stage.proofs();
        const { id } = await proofs.start('test');
        proofs.stop();
        await stage.settled();
        expect(await proofs.find(id)).toMatchObject({ state: 'failed', reason: 'the process was stopped' });
        expect(await stage.proofs().state()).toMatchObject({ verdict: 'never', reason: null });
        await stage.tick();
        expect(await stage.proofs().state()).toMatchObject({ verdict: 'proven' });
      });
    }
  });
}
