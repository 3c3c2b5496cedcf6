/**
 * How fast closed requests go into the books: the poster's own statement on records as the gateway writes them. Bundled and run
 * by run.mjs as a process of its own, since it measures the processor time of all its threads.
 *   argv: <data directory> <rows> <batch> [database url]
 */
import { randomBytes } from 'node:crypto';
import { systemClock } from '../server/src/core/clock.ts';
import { makeId } from '../server/src/core/ids.ts';
import { money } from '../server/src/core/money.ts';
import type { Call } from '../server/src/gateway/call.ts';
import { startRecordOf } from '../server/src/gateway/settle/record.ts';
import type { KeySnapshot } from '../server/src/keys/index.ts';
import { seal, unsealed } from '../server/src/ledger/journal-lines.ts';
import { POST_NEW } from '../server/src/ledger/sql.ts';
import { migrate, openDatabase } from '../server/src/platform/db/index.ts';
import { encodeRecord, preparePartitions, type WrittenRequest } from '../server/src/requestlog/index.ts';

const [dataDir = '', rows = '10000', batch = '500', databaseUrl] = process.argv.slice(2);
const quiet = () => undefined;
const log = { info: quiet, warn: quiet, error: quiet, debug: quiet };
const COUNTERS = ['key:main', 'account:bench'].flatMap((owner) => [
  `cap:${owner}:daily:2026-11-15`,
  `cap:${owner}:monthly:1405-08`,
  `cap:${owner}:total:total`,
]);

function record(): WrittenRequest {
  const now = systemClock.now();
  const cost = money(780_000n);
  const id = makeId('req', now, randomBytes);
  const call = { id, receivedAt: now, endpoint: 'chat.completions', headers: {}, metadata: {} } as Call;
  const key = { id: 'main', account: { id: 'bench' } } as KeySnapshot;
  return {
    ...startRecordOf(call, key),
    model: 'bench/chat',
    held: money(3_450_000n),
    priceVersion: 'price_bench_chat_1',
    state: 'completed',
    errorCode: null,
    status: 200,
    usage: {
      buckets: { inputFresh: 20, output: 8 },
      source: 'upstream',
      raw: { prompt_tokens: 20, completion_tokens: 8, total_tokens: 28 },
    },
    cost,
    formula: [
      { bucket: 'inputFresh', units: 20, unitPrice: 15_000n, amount: money(300_000n) },
      { bucket: 'output', units: 8, unitPrice: 60_000n, amount: money(480_000n) },
    ],
    attempts: [
      {
        provider: 'bench',
        route: 'bench/chat@bench',
        credential: 'bench-1',
        outcome: 'ok',
        status: 200,
        startedAt: now,
        firstEventMs: 3,
        durationMs: 3,
        cause: null,
      },
    ],
    plan: ['1. bench/chat@bench: priority 1, weight 1, 12 running, first event 3 ms'],
    providerCost: null,
    provider: 'bench',
    firstEventMs: 3,
    durationMs: 3,
    counters: COUNTERS,
    retrievedTokens: 0,
    passages: [],
    warnings: [],
  };
}

const db = await openDatabase({ databaseUrl, dataDir, log, clock: systemClock, progress: quiet } as never);
await migrate(db);
await preparePartitions(db, systemClock.now());
const size = Number(batch);
const batches = Math.ceil(Number(rows) / size);
const texts = () => seal(Array.from({ length: size }, () => unsealed('C', encodeRecord(record())))).subarray(0, -1);
const post = (lines: Buffer) => db.query(POST_NEW, [lines], { name: 'post-new' });
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
