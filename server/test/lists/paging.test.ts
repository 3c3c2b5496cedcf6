/** Pages while rows come: whatever is inserted between two pages, each row that was there at the start is shown once. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AccountList } from '../../src/accounts/index.ts';
import { AuditLogList, type Walked } from '../../src/lists/index.ts';
import { OrderList } from '../../src/payments/index.ts';
import type { Database } from '../../src/platform/db/index.ts';
import { openEmbedded } from '../services/open-database.ts';

const NOW = 1_800_000_000_000;
const clock = { now: () => NOW, monotonicMs: () => 0 };
let db: Database;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ db, close } = await openEmbedded());
}, 120_000);
afterAll(() => close?.());

interface Given {
  /** Milliseconds; several rows share one. */
  at: number;
  sum: number;
}

interface Listed {
  name: string;
  insert(id: string, row: Given): Promise<unknown>;
  page(after: string | null, limit: number): Promise<Walked<string>>;
}

const moment = ({ at }: Given) => new Date(NOW - 60_000 + at);

async function ids<T>(found: Promise<Walked<T>>, id: (row: T) => string): Promise<Walked<string>> {
  const { rows, ...rest } = await found;
  return { ...rest, rows: rows.map(id) };
}

function order(id: string, row: Given) {
  return db.query(
    `insert into payment_order (id, account_id, gateway, amount, vat, units, unit, state, created_by, language, expires_at, created_at, updated_at)
     values ($1, 'acme', 'zarinpal', $2, 0, 1, 'IRR', 'credited', 'operator', 'fa', $3, $3, $3)`,
    [id, row.sum, moment(row)],
  );
}

function account(id: string, row: Given) {
  return db.query(
    `insert into account (id, name, rules, calendar, created_at, updated_at) values ($1, $2, '{}', '{}', $3, $3)`,
    [id, `name ${row.sum}`, moment(row)],
  );
}

function lists(): Listed[] {
  const tools = { db, clock };
  const [orders, accounts, log] = [new OrderList(tools), new AccountList(tools), new AuditLogList(tools)];
  const place = { use: 'list' as const };
  const ofOrders = (name: string, filter: { sumFrom?: bigint }, sort: 'newest' | 'sum'): Listed => ({
    name,
    insert: order,
    page: (after, limit) => ids(orders.page(filter, { ...place, after, limit, sort }), ({ id }) => id),
  });
  return [
    ofOrders('orders, newest', {}, 'newest'),
    ofOrders('orders, looked at row by row', { sumFrom: 1n }, 'newest'),
    ofOrders('orders, by sum', {}, 'sum'),
    ...(['created', 'name'] as const).map(
      (sort): Listed => ({
        name: `accounts, by ${sort}`,
        insert: account,
        page: (after, limit) =>
          ids(accounts.page({ privateWords: true }, { ...place, after, limit, sort }), (row) => row.account.id),
      }),
    ),
    {
      name: 'audit log',
      insert: (id, row) =>
        db.query(
          `insert into admin_event (id, at, actor, action, subject, detail) values ($1, $2, 'a', 'key.create', 's', '{}')`,
          [id, moment(row)],
        ),
      page: (after, limit) => ids(log.page({}, { ...place, after, limit }), ({ id }) => id),
    },
  ];
}

const row = fc.record({ at: fc.integer({ min: 0, max: 5 }), sum: fc.integer({ min: 1, max: 4 }) });
const plan = fc.record({
  first: fc.array(row, { maxLength: 12 }),
  between: fc.array(fc.array(row, { maxLength: 4 }), { maxLength: 6 }),
  limit: fc.integer({ min: 1, max: 5 }),
});

it('shows each row that was there at the start once, and none twice', async () => {
  await db.query(
    `insert into account (id, name, rules, calendar, created_at, updated_at) values ('acme', 'Acme', '{}', '{}', $1, $1)`,
    [new Date(NOW - 120_000)],
  );
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat(lists().length - 1), plan, async (which, { first, between, limit }) => {
      const list = lists()[which] as Listed;
      await db.query(`delete from payment_order`);
      await db.query(`delete from account where id <> 'acme'`);
      await db.query(`delete from admin_event`);
      let made = 0;
      // Ids in no order of time: what is inserted later may stand before or behind what is shown.
      const id = () => `r${(++run * 7919) % 10_007}_${made++}`;
      const there = first.map(() => id());
      for (const [index, given] of first.entries()) await list.insert(there[index] as string, given);
      const seen: string[] = [];
      let after: string | null = null;
      for (let page = 0; page < 100; page++) {
        const found = await list.page(after, limit);
        seen.push(...found.rows);
        after = found.next;
        if (after === null) break;
        for (const given of between[page] ?? []) await list.insert(id(), given);
      }
      expect(after, list.name).toBeNull();
      expect(new Set(seen).size, list.name).toBe(seen.length);
      expect(
        there.filter((one) => !seen.includes(one)),
        list.name,
      ).toEqual([]);
    }),
    { numRuns: 60, seed: 24 },
  );
});
