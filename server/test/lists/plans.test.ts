/**
 * Lists of a busy service on PostgreSQL: no filter reads a large table from end to end, except the walk in steps, which is bounded.
 * By plans and rows, not by the clock; times are in docs/benchmarks.md (npm run bench:lists).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { type Database, openDatabase, type Queryable } from '../../src/platform/db/index.ts';
import { amount } from '../harness/long.ts';
import { cloneMigratedDatabase, postgresMissing } from '../services/postgres.ts';
import { recordedLog } from '../services/silent-log.ts';
import { everyLook } from './every-filter.ts';
import { seedLists } from './seed-lists.ts';

const NOW = Date.UTC(2026, 9, 15, 12);
const SIZES = { requests: amount(300_000, 3_000_000), orders: 20_000, accounts: 5_000, days: 15 };
const LARGE = /^(request_log|payment_order|ledger_transfer|account|account_word|person|person_word|admin_event)/;

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

describe.skipIf(postgresMissing())('lists of many rows', () => {
  let db: Database;
  let remove: () => Promise<void>;
  let plans: { text: string; plan: Plan }[] = [];

  beforeAll(async () => {
    const clone = await cloneMigratedDatabase();
    ({ remove } = clone);
    const { databaseUrl } = clone;
    db = await openDatabase({ databaseUrl, dataDir: '', log: recordedLog(), clock: systemClock });
    await seedLists(db, NOW, SIZES);
  }, 120_000);
  afterAll(async () => {
    await db?.close();
    await remove?.();
  });

  /** Explains what a list asks, and then lets it ask. */
  const watched = () => {
    const explained = (tx: Queryable): Queryable => ({
      async query(text, values, options) {
        if (/^\s*select/i.test(text)) {
          const [row] = await tx.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
            `explain (analyze, format json) ${text}`,
            values,
          );
          if (row) plans.push({ text, plan: row['QUERY PLAN'][0].Plan });
        }
        return tx.query(text, values, options);
      },
    });
    return Object.create(db, {
      query: { value: explained(db).query },
      report: {
        value: (work: (tx: Queryable) => Promise<unknown>, options: Parameters<Database['report']>[1]) =>
          db.report((tx) => work(explained(tx)), { ...options, timeoutMs: 60_000 }),
      },
    }) as Database;
  };

  const stopped = { now: () => NOW, monotonicMs: () => 0 };
  /** Its time is used up by the first step. */
  const hasty = () => {
    let ms = 0;
    return { now: () => NOW, monotonicMs: () => (ms += 10_000) };
  };

  it('answers indexed filters from an index, and reads hardly more than it shows', async () => {
    for (const look of everyLook({ db: watched(), clock: stopped }, NOW).filter(({ indexed }) => indexed)) {
      plans = [];
      await look.ask();
      for (const { plan, text } of plans) {
        expect(scansOf(plan), `${look.name}: ${text}`).toEqual([]);
        expect(touchedBy(plan), look.name).toBeLessThan(15_000);
      }
    }
  });

  it('walks the others in steps: one step when the time is used up, told with how far it came', async () => {
    for (const look of everyLook({ db: watched(), clock: hasty() }, NOW).filter(({ indexed }) => !indexed)) {
      plans = [];
      const { rows, next, searchedBackTo } = await look.ask();
      // A step reads so many rows, or the partition of one day where that is less work; what is sorted reads its day or month.
      for (const { plan } of plans) expect(touchedBy(plan), look.name).toBeLessThan(SIZES.requests / 6);
      if (rows.length < 50 && next !== null) expect(searchedBackTo, look.name).not.toBeNull();
    }
  });

  it('finds with each filter what is there, however many steps it takes', async () => {
    const looks = new Map(everyLook({ db, clock: stopped }, NOW).map((look) => [look.name, look]));
    const found = async (name: string) => (await looks.get(name)?.ask())?.rows.length;
    expect(await found('requests: provider')).toBe(50);
    expect(await found('requests: end user')).toBe(50);
    expect(await found('requests: nothing there')).toBe(0);
    expect(await found('orders: card')).toBe(2);
    expect(await found('orders: reference')).toBeGreaterThan(10);
    expect(await found('accounts: mobile')).toBe(1);
    expect(await found('accounts: name')).toBe(1);
    expect(await found('people: number')).toBe(50);
    expect(await found('tickets: subject')).toBeGreaterThan(10);
    expect(await found('audit log: account')).toBe(SIZES.orders / SIZES.accounts);
  });

  function scansOf(plan: Plan): string[] {
    const own = plan['Node Type'] === 'Seq Scan' && LARGE.test(plan['Relation Name'] ?? '') && rowsOf(plan) > 500;
    return [...(own ? [plan['Relation Name'] ?? ''] : []), ...(plan.Plans ?? []).flatMap(scansOf)];
  }
  function rowsOf(plan: Plan): number {
    return (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];
  }
  function touchedBy(plan: Plan): number {
    const below = (plan.Plans ?? []).reduce((sum, one) => sum + touchedBy(one), 0);
    return below + (plan.Plans ? 0 : rowsOf(plan));
  }
});
