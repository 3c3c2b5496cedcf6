/**
 * Posts a day of requests and moves it into an archive. Bundled and run by moving.mjs as a process of its own.
 *   argv: <database url> <archive url> <rows>
 */
import { DAY_MS } from '@dargah/core/time-spans.ts';
import { systemClock } from '../server/src/core/clock.ts';
import { POST_NEW } from '../server/src/ledger/ledger-sql.ts';
import { type Database, migrate, openDatabase } from '../server/src/platform/db/index.ts';
import {
  createArchiveMover,
  createDatabaseArchive,
  dropOldPartitions,
  openClickHouseArchive,
  preparePartitions,
} from '../server/src/requestlog/index.ts';
import { batchOf } from './posted-records.ts';

const [databaseUrl = '', archiveUrl = '', rows = '300000'] = process.argv.slice(2);
const BATCH = 500;
const ACCOUNTS = 5_000;
const HALF_AN_HOUR_MS = 1_800_000;
const quiet = () => undefined;
const log = { info: quiet, warn: quiet, error: quiet, debug: quiet };
const open = (url: string): Promise<Database> =>
  openDatabase({ databaseUrl: url, dataDir: '', log, clock: systemClock });

const isClickHouse = archiveUrl.startsWith('http');
const archive = isClickHouse ? await openClickHouseArchive(archiveUrl) : createDatabaseArchive(() => open(archiveUrl));
const db = await open(databaseUrl);
await migrate(db);
const now = systemClock.now();
const day = new Date(now).toISOString().slice(0, 10);
const part = `request_log_${day.replaceAll('-', '')}`;
await preparePartitions(db, now);
let serial = 0;
const who = () => {
  const n = serial++ % ACCOUNTS;
  return { account: `acc_${n}`, key: `key_${n}`, providerCost: 600_000n };
};
for (let posted = 0; posted < Number(rows); posted += BATCH) await POST_NEW.rows(db, [batchOf(BATCH, who)]);
await db.report((tx) => tx.query('analyze'), { for: 'job', timeoutMs: HALF_AN_HOUR_MS });
await db.query(
  `insert into ledger_clock (open_from, sealed_to, unsealed_at, unsealed_id, chain_key)
   values (home_day($1), home_day($1) - 1, $1, '', '')`,
  [new Date(now + 2 * DAY_MS)],
);
const [size] = await db.query<{ bytes: number }>(`select pg_total_relation_size('${part}')::float8 as bytes`);
await archive.prepare();

const cpu = process.cpuUsage();
const began = systemClock.monotonicMs();
const mover = createArchiveMover({ db, archive, owner: 'bench' });
if (!(await mover.copied(day, part))) throw new Error('the day was not copied');
const copied = systemClock.monotonicMs();
const dropped = await dropOldPartitions(db, now + 3 * DAY_MS, 1, mover);
if (!dropped.includes(part)) throw new Error('the day was not dropped');
const used = process.cpuUsage(cpu);
const perRow = (bytes: number | undefined) => bytes && Math.round(bytes / Number(rows));
console.log(
  JSON.stringify({
    to: isClickHouse ? 'ClickHouse (chdb)' : 'PostgreSQL',
    copySeconds: (copied - began) / 1_000,
    dropSeconds: (systemClock.monotonicMs() - copied) / 1_000,
    processUs: used.user + used.system,
    logBytes: perRow(size?.bytes),
    archiveBytes: perRow(await bytesOfArchive()),
  }),
);
await archive.close();
await db.close();

async function bytesOfArchive(): Promise<number | undefined> {
  if (isClickHouse) {
    const query = `select sum(bytes_on_disk) from system.parts where active and table = 'dargah_request_log'`;
    const answer = await fetch(archiveUrl.replace('default@', ''), { method: 'POST', body: query });
    return Number(await answer.text());
  }
  const held = await open(archiveUrl);
  const [found] = await held.query<{ bytes: number }>(
    `select pg_total_relation_size('request_log_archive')::float8 as bytes`,
  );
  await held.close();
  return found?.bytes;
}
