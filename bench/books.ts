/**
 * How long the proof of large books takes: history sealed after an upgrade, a night, the light proof, a whole one, and what a
 * page's header waits meanwhile. Bundled and run by books.mjs as a process of its own.
 *   argv: <data directory> <requests> <all | reports> <charges of the past> [database url]
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import { systemClock } from '../server/src/core/clock.ts';
import { firstIdAt } from '../server/src/core/ids.ts';
import { type BooksProofs, createBooksProofs, type ProofRun } from '../server/src/ledger/index.ts';
import { homeDay, startOfDay } from '../server/src/ledger/seal/home-days.ts';
import { createProfitReports } from '../server/src/payments/index.ts';
import { type Database, migrate, openDatabase, tendTables } from '../server/src/platform/db/index.ts';
import { createSecretBox } from '../server/src/platform/secrets.ts';
import { preparePartitions } from '../server/src/requestlog/index.ts';
import { timeReports } from './book-reports.ts';

const [dataDir = '', requests = '300000', what = 'all', past = '0', databaseUrl] = process.argv.slice(2);
const COUNT = Number(requests);
/** Charges of sealed days whose requests are no longer in the log. */
const PAST = Number(past);
const DAYS = 30;
const ACCOUNTS = 5_000;
const ORDERS = 20_000;
const STEP = 20_000;
const quiet = () => undefined;
const log = { info: quiet, warn: quiet, error: quiet, debug: quiet };

const today = startOfDay(homeDay(systemClock.now()));
const first = today - DAYS * DAY_MS;
const everyMs = Math.floor((DAYS * DAY_MS) / COUNT);
const AT = `(${first} + n::bigint * ${everyMs})`;
/** `firstIdAt` as an SQL expression. */
const ID = `'req_' || (select string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', (${AT} >> (5 * place) & 31)::int + 1, 1), '' order by place desc)
  from generate_series(0, 8) as place) || lpad(n::text, 16, '0')`;

async function fill(db: Database): Promise<void> {
  await preparePartitions(db, first - DAY_MS, DAYS + 2);
  for (let from = 1; from <= COUNT; from += STEP) {
    const to = Math.min(COUNT, from + STEP - 1);
    await db.query(`
      insert into request_log (id, created_at, account_id, key_id, endpoint, model, stream, price_version, day, state, status, provider,
        counters, held, cost, provider_cost, duration_ms, input_tokens, output_tokens, detail)
      select ${ID}, to_timestamp(${AT} / 1000.0), 'acc_' || n % ${ACCOUNTS}, 'key_' || n % ${ACCOUNTS}, 'chat.completions', 'maker/model-' || n % 12,
        false, 'price_1', to_timestamp(${AT} / 1000.0)::date, 'completed', 200, 'provider-' || n % 4,
        '*:daily:' || to_timestamp(${AT} / 1000.0)::date || ' *:monthly:1405-08 *:total:total', 900000, 780000 + n % 1000, 600000, 800, 1200, 300,
        '{"usage":["upstream",{"inputFresh":900,"cacheRead":300,"output":300}],"attempts":[["provider-1","maker/model@provider-1","cred","ok",200,1,400,800]]}'
      from generate_series(${from}, ${to}) as n`);
  }
  // Filling is not a request, so its statements may take longer than those of the service.
  await db.report(
    (tx) =>
      tx.query(`
    insert into ledger_transfer (id, debit, credit, amount, kind, account_id, request_id, price_version, created_at)
    select id, 'wallet:' || account_id, 'revenue', cost, 'charge', account_id, id, price_version, created_at from request_log order by id;
    insert into ledger_transfer (id, debit, credit, amount, kind, created_at)
    select 'supply:' || provider || ':' || min(id) || ':' || home_day(min(created_at)), 'costs', 'provider:' || provider, sum(provider_cost), 'provider-cost', max(created_at)
    from request_log group by provider, floor(extract(epoch from created_at) / 60), home_day(created_at);
    insert into account (id, name, rules, calendar, created_at, updated_at)
    select 'acc_' || n, 'account ' || n, '{}', '{}', to_timestamp(${first} / 1000.0), to_timestamp(${first} / 1000.0) from generate_series(0, ${ACCOUNTS - 1}) as n;
    insert into payment_order (id, account_id, gateway, amount, vat, units, unit, state, created_by, language, expires_at, created_at, updated_at)
    select 'ord_' || n, 'acc_' || n % ${ACCOUNTS}, 'zarinpal', 1000000000, 0, 1, 'IRR', 'credited', 'bench', 'fa', at, at, at
    from (select n, to_timestamp((${first} + n::bigint * ${Math.floor((DAYS * DAY_MS) / ORDERS)}) / 1000.0) as at from generate_series(1, ${ORDERS}) as n) as made;
    insert into ledger_transfer (id, debit, credit, amount, kind, account_id, created_at)
    select 'topup:' || id, 'gateway:zarinpal', 'wallet:' || account_id, amount, 'top-up', account_id, created_at from payment_order;
    insert into ledger_account (id, posted, version)
    select id, sum(amount), 1 from (
      select debit as id, -amount as amount from ledger_transfer union all select credit, amount from ledger_transfer) as leg group by id;
    insert into spend_counter (id, spent, version)
    select budget, sum(cost), 1 from request_log cross join spend_counters(counters, key_id, account_id) as budget group by budget;
    insert into usage_daily (account_id, day, key_id, model, requests, input_tokens, output_tokens, cost)
    select account_id, day, key_id, model, count(*), sum(input_tokens), sum(output_tokens), sum(cost) from request_log group by 1, 2, 3, 4`),
    { for: 'job', timeoutMs: 1_200_000 },
  );
  if (db.kind === 'postgres') await db.report((tx) => tx.query('analyze'), { for: 'job', timeoutMs: 1_200_000 });
  else await tendTables(db);
}

/** As a year leaves them: charges of sealed days, without their requests. Before `fill`, which adds up balances. */
async function fillPast(db: Database): Promise<void> {
  const firstDay = homeDay(first);
  await db.query('alter table ledger_transfer disable trigger user');
  for (let from = 1; from <= PAST; from += 1_000_000) {
    const to = Math.min(PAST, from + 999_999);
    await db.report(
      (tx) =>
        tx.query(`
      insert into ledger_transfer (id, debit, credit, amount, kind, account_id, request_id, price_version, created_at)
      select 'req_0' || lpad(n::text, 24, '0'), 'wallet:acc_' || n % ${ACCOUNTS}, 'revenue', 780000, 'charge', 'acc_' || n % ${ACCOUNTS},
        'req_0' || lpad(n::text, 24, '0'), 'price_1', to_timestamp(${first - 365 * DAY_MS} / 1000.0 + n * ${(364 * DAY_MS) / 1000 / Math.max(1, PAST)})
      from generate_series(${from}, ${to}) as n`),
      { for: 'job', timeoutMs: 1_200_000 },
    );
  }
  await db.report(
    (tx) =>
      tx.query(`
    alter table ledger_transfer enable trigger user;
    insert into usage_daily (account_id, day, key_id, model, requests, input_tokens, output_tokens, cost)
    select account_id, '${firstDay}'::date - 1, 'past', 'past', count(*), 0, 0, sum(amount) from ledger_transfer group by 1;
    insert into ledger_balance (id, day, moved, posted, charged)
    select id, '${firstDay}'::date - 1, sum(amount), sum(amount), sum(charged) from (
      select debit as id, -amount as amount, amount as charged from ledger_transfer union all select credit, amount, 0 from ledger_transfer) as leg group by id;
    insert into request_log_horizon (kept_from) values (to_timestamp(${first} / 1000.0));
    insert into ledger_clock (open_from, sealed_to, unsealed_at, unsealed_id, chain_key)
    values ('${firstDay}', '${firstDay}'::date - 1, to_timestamp(${startOfDay(firstDay)} / 1000.0), '${firstIdAt('req', startOfDay(firstDay) - 5 * MINUTE_MS)}', '${secrets.seal(Buffer.alloc(32, 3).toString('base64url'))}')`),
    { for: 'job', timeoutMs: 1_200_000 },
  );
}

interface Timed {
  ms: number;
  rows?: number;
  slices?: number;
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> {
  const began = performance.now();
  const result = await work();
  return { ms: Math.round(performance.now() - began), result };
}

function ofRun(ms: number, run: ProofRun | undefined): Timed {
  const wrong = run?.checks.filter(({ result }) => result === 'failed') ?? [];
  if (run?.state !== 'ended' || wrong.length > 0)
    throw new Error(JSON.stringify(run, (_, value) => (typeof value === 'bigint' ? Number(value) : value)));
  return { ms, rows: Number(run.rowsRead), slices: Number(run.slices) };
}

const db = await openDatabase({ databaseUrl, dataDir, log, clock: systemClock });
await migrate(db);
const secrets = createSecretBox(Buffer.alloc(32, 1));
if (PAST > 0) await fillPast(db);
const filled = await timed(() => fill(db));
let behindMs = DAY_MS;
const clock = { now: () => systemClock.now() - behindMs, monotonicMs: () => systemClock.monotonicMs() };
const running: Promise<unknown>[] = [];
const make = () =>
  createBooksProofs({
    db,
    clock,
    randomBytes,
    secrets,
    replicaId: 'bench',
    busy: () => false,
    pause: (ms) => sleep(ms),
    detach: (work) => running.push(work),
  });
const proofs = make();
const due = async () => (await proofs.due())?.();
const last = async () => (await proofs.list({ limit: 1 }))?.items[0];

const history = await timed(due);
const sealedHistory = ofRun(history.ms, await last());
if (what === 'reports') {
  console.log(
    JSON.stringify({
      database: db.kind,
      requests: COUNT,
      past: PAST,
      history: sealedHistory,
      reports: await timeReports(db, systemClock),
    }),
  );
  await db.close();
  process.exit();
}
behindMs = 0;
const nightly = await timed(due);
const night = ofRun(nightly.ms, await last());
const lights: number[] = [];
for (let n = 1; n <= 5; n++) {
  behindMs = -n * 300 * MINUTE_MS;
  lights.push((await timed(due)).ms);
}

/** First without what is kept for a minute, then with it. */
const profit = createProfitReports(db, clock);
const days = (count: number) => ({ first: homeDay(today - count * DAY_MS), last: homeDay(today) });
const asked = {
  monthsOfAYear: { by: 'month', days: days(365) },
  accountsOf30Days: { by: 'account', days: days(30) },
  modelsOf30Days: { by: 'model', days: days(30) },
} as const;
const open = await timed(() => profit.read(asked.modelsOf30Days));
const reports: Record<string, { ms: number; bytes: number }> = {};
for (const [name, query] of Object.entries(asked)) {
  const runs = [];
  for (let n = 0; n < 7; n++) runs.push(await timed(() => profit.read(query)));
  runs.sort((a, b) => a.ms - b.ms);
  const bytes = JSON.stringify(runs[0]?.result, (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  ).length;
  reports[name] = { ms: runs[3]?.ms ?? 0, bytes };
}

async function wholeWithHeaders() {
  const [warm, cold]: [number[], number[]] = [[], []];
  let isOver = false;
  const header = (of: BooksProofs) => timed(() => of.state().then(() => undefined));
  const reading = (async () => {
    while (!isOver) {
      warm.push((await header(proofs)).ms);
      // A new one each time has nothing in memory, as a process that has just started.
      cold.push((await header(make())).ms);
      await sleep(50);
    }
  })();
  const proved = await timed(async () => {
    const { id } = await proofs.start('bench');
    await Promise.all(running);
    return proofs.find(id);
  });
  isOver = true;
  await reading;
  return { whole: ofRun(proved.ms, proved.result), header: percentiles(warm), coldHeader: percentiles(cold) };
}

function percentiles(reads: number[]) {
  reads.sort((a, b) => a - b);
  const part = (share: number) => reads[Math.min(reads.length - 1, Math.floor(reads.length * share))];
  return { reads: reads.length, p50: part(0.5), p99: part(0.99) };
}

// Before the reports, for which a year of days is made up that nobody has sealed.
const wholly = PAST === 0 ? await wholeWithHeaders() : {};
console.log(
  JSON.stringify({
    database: db.kind,
    requests: COUNT,
    past: PAST,
    fillMs: filled.ms,
    history: sealedHistory,
    night,
    lightMs: lights,
    profit: { openMs: open.ms, ...reports },
    reports: await timeReports(db, systemClock),
    ...wholly,
  }),
);
await db.close();
