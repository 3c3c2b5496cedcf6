/**
 * npm run bench [-- --quick] [--json FILE] [--peers] [--full] [--only comparison|extremes]
 *
 * Loopback only. A fake provider, a bare proxy as yardstick and the gateway with everything on do the same work in turns, so that
 * what a busy machine does to one it does to all: read the ratios. Processor time is that of whole process trees, database included.
 *   --quick   fewer requests, concurrency 16 only    --peers  also Portkey (npm), LiteLLM, Bifrost, GoModel (PATH)
 *   --full    10 million log rows instead of 200,000
 */
import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import { buildIfStale } from '../server/bin/build.mjs';
import {
  firstTokenAdded,
  fullDatabase,
  memoryAfter,
  PACED,
  postingSpeed,
  slowStreams,
  startTimes,
} from './extremes.mjs';
import { startGateway } from './gateway.mjs';
import { compare } from './measure.mjs';
import { startPeers } from './peers.mjs';
import { start, stopEverything } from './processes.mjs';
import { COMPARISON_HEAD, comparisonRows, table } from './report.mjs';
import { servicesInstalled, startServices } from './services.mjs';
import { WORKLOADS } from './workloads.mjs';

const has = (flag) => process.argv.includes(flag);
const argumentOf = (flag) => (has(flag) ? process.argv[process.argv.indexOf(flag) + 1] : undefined);
const quick = has('--quick');
const only = argumentOf('--only');
const TERMS = quick
  ? { concurrencies: [16], requests: 2_000, warmup: 10_000, rounds: 5 }
  : { concurrencies: [1, 16, 128], requests: 3_000, warmup: 20_000, rounds: 5 };

const SETTLING_MS = 5_000;

async function comparison(servers) {
  const results = [];
  for (const workload of WORKLOADS) {
    for (const concurrency of TERMS.concurrencies) {
      const asked = servers.filter(({ serves }) => serves?.(workload) ?? true);
      const count = (number) => Math.max(concurrency * 4, Math.round(number * workload.weight));
      const terms = { requests: count(TERMS.requests), warmup: count(TERMS.warmup), rounds: TERMS.rounds, concurrency };
      const found = await compare(asked, workload, terms);
      const entry = {
        workload: workload.name,
        concurrency,
        servers: asked.filter(({ name }) => found.has(name)).map(({ name }) => ({ name, result: found.get(name) })),
      };
      results.push(entry);
      for (const row of comparisonRows(entry)) console.log(`  ${row.join('  ')}`);
    }
  }
  return results;
}

async function extremes(upstreamPort, yardstick, embedded, services) {
  const results = {};
  const note = async (name, work) => {
    results[name] = await work();
    console.log(`  ${name} ${JSON.stringify(results[name])}`);
  };
  // The other servers were started a moment ago and are still compiling.
  await new Promise((resolve) => setTimeout(resolve, SETTLING_MS));
  await note('start', () => startTimes(upstreamPort));
  await note('first token, paced', () => firstTokenAdded(yardstick, embedded, quick ? 100 : 300));
  await note('posting, embedded', () => postingSpeed(quick ? 5_000 : 20_000));
  if (services)
    await note('posting, PostgreSQL', () => postingSpeed(quick ? 5_000 : 20_000, services.env.DATABASE_URL));
  // Before the streams, because a burst of thousands leaves memory behind.
  await note('memory', () => memoryAfter(embedded, quick ? 20_000 : 100_000));
  await note('slow streams', () => slowStreams(embedded, quick ? 1_000 : 5_000));
  if (services) {
    const size = has('--full') ? { keys: 100_000, rows: 10_000_000 } : { keys: 100_000, rows: 200_000 };
    await note('full database', () =>
      fullDatabase({ upstreamPort, services, ...size, requests: quick ? 3_000 : 8_000 }),
    );
  }
  return results;
}

async function main() {
  await buildIfStale();
  const upstream = await start('upstream.mjs');
  const bare = await start('bare-proxy.mjs', { env: { UPSTREAM: `http://127.0.0.1:${upstream.port}` } });
  const models = ['slow-250', PACED];
  const embedded = await startGateway({ name: 'gateway', upstreamPort: upstream.port, models });
  const services = servicesInstalled() ? await startServices() : undefined;
  if (!services) console.log('PostgreSQL or Redis is not installed: the embedded database only');
  const shared = { name: 'gateway, PostgreSQL+Redis', upstreamPort: upstream.port, models };
  const large = services && (await startGateway({ ...shared, env: services.env, extraPids: services.pids }));
  const peers = has('--peers') ? await startPeers(upstream.port) : [];
  const yardstick = { name: 'bare proxy', port: bare.port, pids: [bare.pid] };
  const report = {
    date: new Date().toISOString(),
    machine: {
      cpus: os.cpus().length,
      model: os.cpus()[0]?.model,
      memoryGb: Math.round(os.totalmem() / 2 ** 30),
      node: process.version,
      load: os.loadavg(),
    },
  };
  if (only !== 'extremes') {
    report.comparison = await comparison([yardstick, embedded, ...(large ? [large] : []), ...peers]);
    console.log(`\n${table(COMPARISON_HEAD, report.comparison.flatMap(comparisonRows))}\n`);
  }
  await large?.stop();
  for (const peer of peers) await peer.stop();
  if (only !== 'comparison') report.extremes = await extremes(upstream.port, yardstick, embedded, services);
  await embedded.stop();
  await services?.stop();
  const file = argumentOf('--json');
  if (file) await writeFile(file, `${JSON.stringify(report, null, 2)}\n`);
}

try {
  await main();
} finally {
  await stopEverything();
}
