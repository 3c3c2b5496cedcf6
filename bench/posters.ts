/**
 * Several posters on one PostgreSQL whose books are large. Bundled and run by posting.mjs as a process of its own.
 *   argv: <database url> <charges to post, 0 to fill the books only> <charges present, several with commas> <posters, several with commas>
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS } from '@dargah/core/time-spans.ts';
import { systemClock } from '../server/src/core/clock.ts';
import { POST_NEW } from '../server/src/ledger/ledger-sql.ts';
import { sqlState } from '../server/src/platform/db/failures.ts';
import { type Database, migrate, openDatabase } from '../server/src/platform/db/index.ts';
import { preparePartitions } from '../server/src/requestlog/index.ts';
import { batchOf } from './posted-records.ts';

const [databaseUrl = '', charges = '40000', presents = '300000', counts = '1,2,4'] = process.argv.slice(2);
const BATCH = 500;
const ACCOUNTS = 5_000;
const STEP = 100_000;
/** As many ticks of the processor's clock a second as Linux tells in /proc. */
const TICKS_PER_SECOND = 100;
/** A backend tells what it wrote at most once a second. */
const STATISTICS_MS = 1_500;
const STATEMENT_TIMEOUT = '57014';
const WATCH_MS = 10;
/** The text of a statement is cut before it names a table, so posters are told by the pool that they use. */
const WAITS = `
select coalesce(wait_event_type || ' ' || wait_event
  || coalesce((select ' ' || max(relation::regclass::text) from pg_locks where pg_locks.pid = activity.pid and locktype = 'tuple'), ''), 'running') as wait
from pg_stat_activity activity
where state = 'active' and application_name like 'dargah %' and application_name <> 'dargah reports' and pid <> pg_backend_pid()`;
const HALF_AN_HOUR_MS = 1_800_000;
const quiet = () => undefined;
const log = { info: quiet, warn: quiet, error: quiet, debug: quiet };

const db = await openDatabase({ databaseUrl, dataDir: '', log, clock: systemClock, progress: quiet } as never);
await migrate(db);
const now = systemClock.now();
await preparePartitions(db, now - 2 * DAY_MS, 4);

let present = await filled(db);
for (const wanted of presents.split(',').map(Number)) {
  await fill(db, present, wanted);
  present = Math.max(present, wanted);
  if (Number(charges) === 0) continue;
  for (const posters of counts.split(',').map(Number)) console.log(JSON.stringify(await measure(posters)));
}
await db.close();

/** How many of `fill` there are: books of an earlier run are gone on with. */
async function filled(books: Database): Promise<number> {
  const [row] = await books.query<{ last: string | null }>(
    "select max(id) as last from ledger_transfer where id like 'req_0%'",
  );
  return Number((row?.last ?? '0').replace('req_', ''));
}

/**
 * Charges of earlier days, with their rows of the log: the newest 300,000 of them, since older ones leave it. In the order of
 * accounts, whose index is then written page by page.
 */
async function fill({ report }: Database, from: number, to: number): Promise<void> {
  const run = (text: string) => report.call(db, (tx) => tx.query(text), { for: 'job', timeoutMs: HALF_AN_HOUR_MS });
  await run('alter table ledger_transfer disable trigger user');
  for (let at = from + 1; at <= to; at += STEP) {
    const last = Math.min(to, at + STEP - 1);
    const made = `to_timestamp(${now - DAY_MS} / 1000.0) + n * interval '1 millisecond'`;
    await run(`
      insert into ledger_transfer (id, debit, credit, amount, kind, account_id, request_id, price_version, created_at)
      select 'req_0' || lpad(n::text, 24, '0'), 'wallet:acc_' || n % ${ACCOUNTS}, 'revenue', 780000, 'charge', 'acc_' || n % ${ACCOUNTS},
        'req_0' || lpad(n::text, 24, '0'), 'price_1', ${made} from generate_series(${at}, ${last}) as n order by n % ${ACCOUNTS}, n`);
    if (at > 300_000) continue;
    await run(`
      insert into request_log (id, created_at, account_id, key_id, endpoint, model, stream, price_version, day, state, status, provider,
        counters, held, cost, provider_cost, duration_ms, input_tokens, output_tokens, detail)
      select 'req_0' || lpad(n::text, 24, '0'), ${made}, 'acc_' || n % ${ACCOUNTS}, 'key_' || n % ${ACCOUNTS}, 'chat.completions',
        'maker/model-' || n % 12, false, 'price_1', (${made})::date, 'completed', 200, 'provider-1',
        '*:daily:2026-11-17 *:monthly:1405-08 *:total:total', 900000, 780000, 600000, 800, 1200, 300,
        '{"usage":["upstream",{"inputFresh":900,"output":300}]}' from generate_series(${at}, ${last}) as n`);
  }
  await run('alter table ledger_transfer enable trigger user');
  // As books are that grew over months: what upkeep has to do with so many new rows at once would be measured with the charges.
  await db.session((session) => session.query('vacuum analyze'));
  await run('checkpoint');
}

async function measure(posters: number): Promise<object> {
  const batches = Math.ceil(Number(charges) / BATCH);
  let serial = 0;
  // Each account comes as often as any other; a batch of 500 is of 500 accounts.
  const who = () => {
    const n = serial++ % ACCOUNTS;
    return { account: `acc_${n}`, key: `key_${n}`, providerCost: 600_000n };
  };
  const prepared = Array.from({ length: batches + posters * 2 }, () => batchOf(BATCH, who));
  let late = 0;
  const post = async () => {
    const lines = prepared.pop();
    if (!lines) return;
    try {
      await POST_NEW.rows(db, [lines]);
    } catch (error) {
      if (sqlState(error) !== STATEMENT_TIMEOUT) throw error;
      // As the poster does: nothing of it is in the books, and it comes again.
      late++;
      prepared.push(lines);
    }
  };
  // Connections are made and the statement is prepared.
  for (let warm = 0; warm < 2; warm++) await Promise.all(Array.from({ length: posters }, post));
  const before = await reading();
  const began = systemClock.monotonicMs();
  const waits = watchWaits();
  await Promise.all(
    Array.from({ length: posters }, async () => {
      while (prepared.length > 0) await post();
    }),
  );
  const seconds = (systemClock.monotonicMs() - began) / 1_000;
  const waited = await waits.ended();
  const after = await reading();
  const posted = batches * BATCH;
  const perCharge = (name: keyof typeof after) => (after[name] - before[name]) / posted;
  return {
    present,
    posters,
    perSecond: Math.round(posted / seconds),
    rows: Number(perCharge('rows').toFixed(2)),
    walBytes: Math.round(perCharge('walBytes')),
    databaseUs: Math.round(perCharge('databaseUs')),
    processUs: Math.round(perCharge('processUs')),
    late,
    waited,
  };
}

/** What posters were seen waiting for, in shares of how often one was seen: a lock with the table of its row, a write, a commit. */
function watchWaits(): { ended(): Promise<Record<string, number>> } {
  const seen = new Map<string, number>();
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      for (const { wait } of await db.query<{ wait: string }>(WAITS)) seen.set(wait, (seen.get(wait) ?? 0) + 1);
      await sleep(WATCH_MS);
    }
  })();
  return {
    async ended() {
      isOver = true;
      await watching;
      const all = [...seen.values()].reduce((sum, count) => sum + count, 0);
      const shares = [...seen].sort((a, b) => b[1] - a[1]).map(([wait, n]) => [wait, Math.round((n / all) * 100)]);
      return Object.fromEntries(shares);
    },
  };
}

async function reading() {
  await sleep(STATISTICS_MS);
  const [row] = await db.query<{ wal: string; rows: string; pid: number }>(`
    select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text as wal, pg_backend_pid() as pid,
      (select sum(n_tup_ins + n_tup_upd) from pg_stat_user_tables)::text as rows`);
  const { user, system } = process.cpuUsage();
  return {
    walBytes: Number(row?.wal ?? 0),
    rows: Number(row?.rows ?? 0),
    databaseUs: processorTimeOfServer(row?.pid ?? 0),
    processUs: user + system,
  };
}

/** Of the server that this backend belongs to and of all its processes. */
function processorTimeOfServer(backend: number): number {
  const server = fieldsOf(backend)?.parent;
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => fieldsOf(Number(name)));
  const own = all.filter((one) => one !== undefined && (one.parent === server || one.pid === server));
  const ticks = own.reduce((sum, one) => sum + (one?.ticks ?? 0), 0);
  return (ticks / TICKS_PER_SECOND) * 1e6;
}

function fieldsOf(pid: number): { pid: number; parent: number; ticks: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may hold blanks; the parent is the second field after it, the times the twelfth and thirteenth.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return { pid, parent: fields[1] ?? 0, ticks: (fields[11] ?? 0) + (fields[12] ?? 0) };
  } catch {
    return undefined;
  }
}
