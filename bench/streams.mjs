/**
 * node bench/streams.mjs [--before CHECKOUT] [--rounds 9] [--concurrency 16,128] [--spacing 4] [--together 1] [--only "50 chunks"]
 *
 * What streams and long prompts cost beside the bare proxy: the proxy, this checkout and (with `--before`) another one answer the
 * same requests in short slices in turn. Processor time of each process tree per request, least and median of the slices; the
 * ratio is that of the same figures of the proxy. Reads and writes are system calls per request: who is quicker reads less at once,
 * so they explain what the time does not. Another Node: node tools/nodes.mjs 24 prints where it is.
 */
import { resolve } from 'node:path';
import { numberOf, textOf } from './arguments.mjs';
import { startGateway } from './gateway.mjs';
import { drive } from './measure.mjs';
import { cpuUs, start, stopEverything, systemCalls } from './processes.mjs';
import { table } from './report.mjs';
import { promptOfSize, streamOf, translatedStreamOf, WORKLOADS } from './workloads.mjs';

const rounds = numberOf('--rounds', 9);
const before = textOf('--before', undefined);
const levels = textOf('--concurrency', '16,128').split(',').map(Number);
const only = new RegExp(textOf('--only', ''));
const SPACING_MS = numberOf('--spacing', 4);
const TOGETHER = numberOf('--together', 1);
const STREAMS = [50, 200].flatMap((chunks) => [[chunks], [chunks, SPACING_MS, TOGETHER]]);
const CASES = [
  ...STREAMS.map((terms) => ({ ...streamOf(...terms), requests: 20_000 / terms[0] })),
  ...STREAMS.map((terms) => ({ ...translatedStreamOf(...terms), requests: 20_000 / terms[0] })),
  { ...promptOfSize(32), requests: 600 },
  { ...promptOfSize(200), requests: 200 },
  { ...WORKLOADS[0], requests: 4_000 },
];
/** So many slices' worth of requests before the first that counts, until the engine has compiled what is busy. */
const WARM_SLICES = numberOf('--warm', 6);

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

async function slice(server, workload, concurrency) {
  const requests = Math.max(workload.requests, concurrency * 2);
  await server.idle?.();
  const from = cpuUs(server.pids);
  const before = systemCalls(server.pids);
  await drive(server, workload, { requests, warmup: 0, concurrency });
  const after = systemCalls(server.pids);
  await server.idle?.();
  const cost = (cpuUs(server.pids) - from) / requests;
  const [reads, writes] = ['reads', 'writes'].map((kind) => (after[kind] - before[kind]) / requests);
  return { cost, reads, writes };
}

async function compare(servers, workload, concurrency) {
  const slices = servers.map(() => []);
  const requests = workload.requests * WARM_SLICES;
  for (const server of servers) await drive(server, workload, { requests, warmup: 0, concurrency });
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < servers.length; turn++) {
      const at = (turn + round) % servers.length;
      slices[at].push(await slice(servers[at], workload, concurrency));
    }
  }
  const costs = slices.map((list) => list.map(({ cost }) => cost));
  const [bare] = costs;
  return servers.map(({ name }, at) => {
    const [least, middle] = [Math.min(...costs[at]), median(costs[at])];
    const beside = [least / Math.min(...bare), middle / median(bare)].map((ratio) => ratio.toFixed(2));
    const calls = ['reads', 'writes'].map((kind) => median(slices[at].map((one) => one[kind])).toFixed(1));
    return [name, least.toFixed(0), middle.toFixed(0), ...beside, ...calls];
  });
}

try {
  const upstream = await start('upstream.mjs');
  const bare = await start('bare-proxy.mjs', { env: { UPSTREAM: `http://127.0.0.1:${upstream.port}` } });
  const models = STREAMS.map((terms) => streamOf(...terms).model);
  const servers = [{ name: 'bare', port: bare.port, pids: [bare.pid] }];
  if (before !== undefined) {
    const script = resolve(before, 'server/bin/start.mjs');
    servers.push(await startGateway({ name: 'before', upstreamPort: upstream.port, models, script }));
  }
  servers.push(await startGateway({ name: 'this', upstreamPort: upstream.port, models }));
  console.log(`Node ${process.versions.node}, ${rounds} slices in turn, processor µs per request`);
  for (const workload of CASES) {
    if (!only.test(workload.name)) continue;
    for (const concurrency of levels) {
      const rows = await compare(servers, workload, concurrency);
      console.log(`${workload.name}, ${concurrency} at a time`);
      console.log(table(['server', 'least', 'median', '× least', '× median', 'reads', 'writes'], rows));
    }
  }
} finally {
  await stopEverything();
}
