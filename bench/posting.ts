/**
 * How fast closed requests go into the books: the poster's own statement on records as the gateway writes them. Bundled and run
 * by run.mjs as a process of its own, since it measures the processor time of all its threads.
 *   argv: <data directory> <rows> <batch> [database url]
 */
import { systemClock } from '../server/src/core/clock.ts';
import { POST_NEW } from '../server/src/ledger/ledger-sql.ts';
import { migrate, openDatabase } from '../server/src/platform/db/index.ts';
import { preparePartitions } from '../server/src/requestlog/index.ts';
import { batchOf } from './posted-records.ts';

const [dataDir = '', rows = '10000', batch = '500', databaseUrl] = process.argv.slice(2);
const quiet = () => undefined;
const log = { info: quiet, warn: quiet, error: quiet, debug: quiet };

const db = await openDatabase({ databaseUrl, dataDir, log, clock: systemClock, progress: quiet } as never);
await migrate(db);
await preparePartitions(db, systemClock.now());
const size = Number(batch);
const batches = Math.ceil(Number(rows) / size);
const texts = () => batchOf(size, () => ({ account: 'bench', key: 'main' }));
const post = (lines: Buffer) => POST_NEW.rows(db, [lines]);
for (let i = 0; i < 4; i++) await post(texts());
const prepared = Array.from({ length: batches }, texts);
const cpu = process.cpuUsage();
const begun = systemClock.monotonicMs();
for (const lines of prepared) await post(lines);
const used = process.cpuUsage(cpu);
const seconds = (systemClock.monotonicMs() - begun) / 1000;
const posted = batches * size;
console.log(
  JSON.stringify({
    rows: posted,
    rowsPerSecond: Math.round(posted / seconds),
    cpuUsPerRow: Number(((used.user + used.system) / posted).toFixed(1)),
  }),
);
await db.close();
