/**
 * npm run bench:beside -- OTHER_CHECKOUT [--workload "chat small"] [--slices 60] [--warmup 150]
 *
 * What a change costs: this checkout and another one (the state before the change) answer the same requests in short slices in
 * turn, and the processor time of each process is added up by thread. A busy moment of the machine hits all of them, so rounds of
 * thousands of requests, which differ by 20 % on a shared host, are not needed. Each checkout runs twice: how much its two
 * processes differ is how much of a difference means nothing. The other checkout needs `npm ci` and is built when it starts. Threads
 * have names since Node 24; before that only the event loop and the whole are told apart.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { numberOf, textOf } from './arguments.mjs';
import { startGateway } from './gateway.mjs';
import { drive } from './measure.mjs';
import { start, stopEverything } from './processes.mjs';
import { table } from './report.mjs';
import { WORKLOADS } from './workloads.mjs';

const CONCURRENCY = 16;
const SLICE_REQUESTS = 400;
/**
 * By then a process has proved its books for the first time, which takes a second of the database's thread: in one process it would
 * fall into a slice that counts, and in the next before it.
 */
const PROVEN_MS = 80_000;
const HERE = fileURLToPath(new URL('..', import.meta.url));

const other = process.argv[2];
if (other === undefined || other.startsWith('--')) throw new Error('name the other checkout');
const wanted = textOf('--workload', 'chat small');
const slices = numberOf('--slices', 60);
const warmup = numberOf('--warmup', 150);
const workload = WORKLOADS.find(({ name }) => name.includes(wanted));
if (workload === undefined)
  throw new Error(`no workload '${wanted}', but: ${WORKLOADS.map(({ name }) => name).join('; ')}`);
const requests = Math.max(CONCURRENCY, Math.round(SLICE_REQUESTS * workload.weight));

/** Processor time of a process so far, in microseconds, by kind of thread. */
function timesOf(pid) {
  const times = { whole: 0, loop: 0, database: 0, engine: 0 };
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const read = (file) => readFileSync(`/proc/${pid}/task/${thread}/${file}`, 'utf8');
    try {
      const us = Number(read('schedstat').split(' ')[0]) / 1_000;
      const name = read('comm');
      times.whole += us;
      if (thread === String(pid)) times.loop += us;
      else if (name.startsWith('V8')) times.engine += us;
      else if (name.startsWith('Worker')) times.database += us;
    } catch {
      // It has ended since the list was made.
    }
  }
  return times;
}

/** Another one begins each turn, because the first of a turn finds the caches as its predecessor left them. */
async function takeTurns(servers, turns) {
  for (let turn = 0; turn < turns; turn++) {
    for (let at = 0; at < servers.length; at++) {
      const server = servers[(at + turn) % servers.length];
      await drive(server, workload, { requests, warmup: 0, concurrency: CONCURRENCY });
    }
  }
  for (const server of servers) await server.idle();
}

try {
  const upstream = await start('upstream.mjs');
  const servers = [];
  for (const [name, checkout] of [
    ['other', other],
    ['this', HERE],
    ['other again', other],
    ['this again', HERE],
  ]) {
    const script = resolve(checkout, 'server/bin/start.mjs');
    servers.push(await startGateway({ name, upstreamPort: upstream.port, script }));
  }
  const startedAt = Date.now();
  await takeTurns(servers, warmup);
  await setTimeout(Math.max(0, startedAt + PROVEN_MS - Date.now()));
  const before = servers.map(({ pids }) => timesOf(pids[0]));
  await takeTurns(servers, slices);
  const rows = servers.map(({ name, pids }, at) => {
    const after = timesOf(pids[0]);
    const each = (kind) => ((after[kind] - before[at][kind]) / requests / slices).toFixed(1);
    return [name, each('whole'), each('loop'), each('database'), each('engine')];
  });
  console.log(`${workload.name}, ${slices} slices of ${requests} requests each, µs per request`);
  console.log(table(['checkout', 'whole process', 'event loop', 'database thread', 'engine helper'], rows));
} finally {
  await stopEverything();
}
