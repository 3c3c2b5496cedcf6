/**
 * node bench/several.mjs [--most 2] [--requests 6000] [--rounds 5]
 *
 * What several processes on one machine give, all on one PostgreSQL and one Redis: requests a second together, and processor
 * time per request (gateways, PostgreSQL and Redis each). The numbers take turns, so that a busy moment of the machine hits
 * all of them. The callers and the provider run on the same cores: on a small machine they are part of the limit.
 */
import os from 'node:os';
import { buildIfStale } from '../server/bin/build.mjs';
import { numberOf } from './arguments.mjs';
import { startGateway } from './gateway.mjs';
import { drive, medianOf } from './measure.mjs';
import { cpuUs, start, stopEverything } from './processes.mjs';
import { table } from './report.mjs';
import { startServices } from './services.mjs';
import { WORKLOADS } from './workloads.mjs';

const most = numberOf('--most', 2);
const requests = numberOf('--requests', 6_000);
const rounds = numberOf('--rounds', 5);
const WARMUP = 20_000;
/** Of all callers together. */
const CONCURRENCY = 32;
const [small] = WORKLOADS;

async function round(gateways, services) {
  const each = Math.ceil(requests / gateways.length);
  const order = { requests: each, warmup: 0, concurrency: Math.ceil(CONCURRENCY / gateways.length) };
  const costs = () => [gateways.flatMap(({ pids }) => pids), services.pids].map((pids) => cpuUs(pids));
  for (const gateway of gateways) await gateway.idle();
  const before = costs();
  const begun = performance.now();
  const answers = await Promise.all(gateways.map((gateway) => drive(gateway, small, order)));
  const seconds = (performance.now() - begun) / 1_000;
  for (const gateway of gateways) await gateway.idle();
  const [own, shared] = costs().map((cost, at) => (cost - before[at]) / (each * gateways.length));
  return {
    // The slowest caller's own time, without the start of its process.
    rps: Math.min(...answers.map(({ rps }) => rps)) * gateways.length,
    seconds,
    p50: Math.max(...answers.map(({ p50 }) => p50)),
    p99: Math.max(...answers.map(({ p99 }) => p99)),
    own,
    shared,
  };
}

async function main() {
  await buildIfStale();
  const upstream = await start('upstream.mjs');
  const services = await startServices();
  const gateways = [];
  for (let at = 1; at <= most; at++)
    gateways.push(await startGateway({ name: `gateway ${at}`, upstreamPort: upstream.port, env: services.env }));
  for (const gateway of gateways)
    await drive(gateway, small, { requests: 0, warmup: WARMUP, concurrency: CONCURRENCY });
  const runs = gateways.map(() => []);
  for (let turn = 0; turn < rounds; turn++)
    for (let count = 1; count <= most; count++) runs[count - 1].push(await round(gateways.slice(0, count), services));
  const rows = runs.map((found, at) => {
    const { rps, p50, p99, own, shared } = medianOf(found);
    return [at + 1, Math.round(rps), Math.round(own), Math.round(shared), p50.toFixed(1), p99.toFixed(1)];
  });
  const head = ['processes', 'requests/s', 'gateway µs/request', 'PostgreSQL+Redis µs/request', 'p50 ms', 'p99 ms'];
  const [cpu] = os.cpus();
  console.log(`${os.cpus().length} × ${cpu?.model}, Node ${process.version}, load ${os.loadavg()[0]?.toFixed(1)}\n`);
  console.log(
    table(
      head,
      rows.map((row) => row.map(String)),
    ),
  );
  for (const gateway of gateways) await gateway.stop();
  await services.stop();
}

try {
  await main();
} finally {
  await stopEverything();
}
