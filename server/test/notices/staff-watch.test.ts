/** What staff is told without looking: each provoked, each once a day over all replicas. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { money, ZERO } from '../../src/core/money.ts';
import { createNotices, type Notices, type StaffFacts, StaffWatch } from '../../src/notices/index.ts';
import { preparePartitions } from '../../src/requestlog/index.ts';
import { HandClock } from '../admission/hand-clock.ts';
import { START } from '../ledger/request-fixture.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';

const OPEN_MS = 120_000;
const clock = new HandClock(START);
let temporary: TemporaryDatabase;
let notices: Notices;
let facts: StaffFacts;

beforeAll(async () => {
  temporary = await openTemporaryDatabase();
  const { db } = temporary;
  await preparePartitions(db, START);
  notices = createNotices({ db, clock, randomBytes, recipients: async () => ({ email: [], sms: [] }) });
  facts = {
    missingReplicas: () => [],
    heldByMissing: async () => [],
    invoicesToSend: async () => ({ count: 0, until: null }),
  };
}, OPEN_MS);
afterAll(async () => {
  await temporary.remove();
});

/** Three replicas look at the same moment, twice. */
async function look(more: Partial<StaffFacts> = {}): Promise<void> {
  const watches = [1, 2, 3].map(
    () => new StaffWatch({ db: temporary.db, clock, notices, facts: { ...facts, ...more } }),
  );
  for (let times = 0; times < 2; times++) await Promise.all(watches.map((watch) => watch.look()));
}
const told = async (event: string) =>
  (await notices.list('', { limit: 100 })).items.filter((notice) => notice.event === event);

it('a quiet service tells nothing', async () => {
  await look();
  expect((await notices.list('', { limit: 100 })).items).toEqual([]);
});

it('a replica that is missing and holds money, with how much, once a day', async () => {
  clock.advance(86_400_000);
  let surveys = 0;
  const since = clock.now();
  const missing = {
    missingReplicas: () => ['rep_lost', 'rep_empty'].map((id) => ({ id, since })),
    heldByMissing: async () => {
      surveys++;
      return [
        { id: 'rep_lost', outstanding: money(12_500_000n), wallets: 3 },
        { id: 'rep_empty', outstanding: ZERO, wallets: 0 },
      ];
    },
  };
  // It may be starting again.
  clock.advance(59_000);
  await look(missing);
  expect(await told('replica.missing')).toEqual([]);
  clock.advance(1_000);
  await look(missing);
  const [notice, ...more] = await told('replica.missing');
  expect(more).toEqual([]);
  expect(notice?.data).toEqual({ replica: 'rep_lost', amount: '12.5', wallets: 3 });
  // Whoever reads every budget does it for all replicas.
  expect(surveys).toBeLessThanOrEqual(2);
  clock.advance(86_400_000);
  await look(missing);
  expect(await told('replica.missing')).toHaveLength(2);
});

it('play money in wallets, once a provider costs something', async () => {
  const { db } = temporary;
  await db.query(
    `insert into account (id, name, rules, calendar, created_at, updated_at) values ('early', 'early', '{}', '{}', $1, $1)`,
    [new Date(START)],
  );
  await db.query(
    `insert into payment_order (id, account_id, gateway, amount, vat, units, unit, state, created_by, language, expires_at, created_at, updated_at)
     select id, 'early', gateway, 5000000, 0, 1, 'IRR', 'credited', 'test', 'fa', $1, $1, $1
     from (values ('o-play', 'sandbox'), ('o-real', 'zibal')) as made(id, gateway)`,
    [new Date(START)],
  );
  clock.advance(86_400_000);
  await look();
  expect(await told('payment.play_money')).toEqual([]);
  // Its secret, if it has one, stands in its headers.
  await db.query(
    `insert into provider (id, vendor, protocol, base_url, auth, managed_by, created_at, updated_at)
     values ('dear', 'openai', 'openai-chat', 'https://x.test', 'none', 'operator', $1, $1)`,
    [new Date(START)],
  );
  clock.advance(86_400_000);
  await look();
  expect((await told('payment.play_money')).map(({ data }) => data)).toEqual([{ accounts: 1, amount: '5' }]);
});

it('invoices that the tax office waits for, two days before the time is over', async () => {
  const until = '2030-05-20';
  const waiting = { invoicesToSend: async () => ({ count: 3, until }) };
  const daysBefore = (days: number) =>
    clock.advance(Date.parse(`${until}T12:00:00+03:30`) - days * 86_400_000 - clock.now());
  daysBefore(3);
  await look(waiting);
  expect(await told('invoices.unsent')).toEqual([]);
  daysBefore(2);
  await look(waiting);
  expect((await told('invoices.unsent')).map(({ data }) => data)).toEqual([{ count: 3, until }]);
});
