/** What staff is told without looking: each provoked, each once a day over all replicas. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { money, ZERO } from '../../src/core/money.ts';
import { noticeMessage } from '../../src/notices/events.ts';
import { createNotices, type Notices, type StaffFacts, StaffWatch } from '../../src/notices/index.ts';
import { preparePartitions } from '../../src/requestlog/index.ts';
import { HandClock } from '../admission/hand-clock.ts';
import { type Bookkeeping, keepBooks } from '../ledger/bookkeeping.ts';
import { record, START, startRecord } from '../ledger/request-fixture.ts';
import { failure, setUpHealth } from '../routing/fixtures.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';

const OPEN_MS = 120_000;
const PROVEN = { verdict: 'proven', provedAt: new Date(START), reason: null, failing: [] };
const clock = new HandClock(START);
let temporary: TemporaryDatabase;
let desk: Bookkeeping;
let notices: Notices;
let facts: StaffFacts;

beforeAll(async () => {
  temporary = await openTemporaryDatabase();
  const { db } = temporary;
  await preparePartitions(db, START);
  desk = await keepBooks(db);
  notices = createNotices({ db, clock, randomBytes, recipients: async () => ({ email: [], sms: [] }) });
  facts = {
    routes: () => [],
    journal: () => desk.journal.health(),
    journalMax: { records: 20, bytes: 1_000_000 },
    missingReplicas: () => [],
    heldByMissing: async () => [],
    books: async () => PROVEN,
    invoicesToSend: async () => ({ count: 0, until: null }),
  };
}, OPEN_MS);
afterAll(async () => {
  await desk.close();
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

it('a credential that a provider refuses, and a route that does not answer', async () => {
  const refused = setUpHealth();
  await refused.run(failure('credential'));
  await look({ routes: () => refused.health.snapshot() });
  const away = setUpHealth();
  await away.run(failure('connect'), 3);
  await look({ routes: () => away.health.snapshot() });
  const dead = await told('provider.credential_dead');
  expect(dead.map(({ data }) => data)).toEqual([expect.objectContaining({ provider: expect.any(String) })]);
  expect((await told('provider.breaker_open')).map(({ data }) => data)).toEqual([
    expect.objectContaining({ cause: 'connect' }),
  ]);
  // It is news again on another day.
  clock.advance(86_400_000);
  await look({ routes: () => away.health.snapshot() });
  expect(await told('provider.breaker_open')).toHaveLength(2);
});

it('a journal that the database does not take', async () => {
  await look();
  expect(await told('journal.growing')).toEqual([]);
  await desk.journal.open(startRecord('req_wait1'));
  await desk.journal.close(record('req_wait1'));
  await desk.journal.open(startRecord('req_wait2'));
  await desk.journal.close(record('req_wait2'));
  await look();
  expect((await told('journal.growing')).map(({ data }) => data)).toEqual([{ depth: 2, most: 20 }]);
  await desk.poster.drain(30_000);
});

it('a journal whose few records take much room', async () => {
  clock.advance(86_400_000);
  const before = (await told('journal.growing')).length;
  await look({ journal: () => ({ depth: 1, bytes: 50_000 }) });
  expect(await told('journal.growing')).toHaveLength(before);
  await look({ journal: () => ({ depth: 1, bytes: 50_001 }) });
  expect(await told('journal.growing')).toHaveLength(before + 1);
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

it('books that do not prove, each check once a day, with the run that found it', async () => {
  clock.advance(86_400_000);
  const failing = [{ check: 'balances', name: 'every balance is the sum', detail: '1 fault', run: 'prf_1' }];
  await look({ books: async () => ({ ...PROVEN, verdict: 'disagree', failing }) });
  const notes = await told('books.unproved');
  expect(notes.map(({ data, link }) => [data['id'], link])).toEqual([
    ['balances', '/operator/ledger/proofs?run=prf_1'],
  ]);
  expect(noticeMessage('books.unproved', notes[0]?.data ?? {}).text.fa).toContain(
    'هر موجودی، جمع گردش‌های همان حساب است',
  );
});

it('books whose proof does not end, with the reason', async () => {
  clock.advance(86_400_000);
  await look({ books: async () => ({ ...PROVEN, verdict: 'unproven', reason: 'statement timeout' }) });
  const [note, ...more] = await told('books.unfinished');
  expect(more).toEqual([]);
  expect(noticeMessage('books.unfinished', note?.data ?? {}).text.en).toBe(
    'No proof of the books has ended since 15 November 2026 (statement timeout).',
  );
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
