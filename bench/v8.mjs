/**
 * What the flags of the engine give: the gateway without any, with the whole profile, and with the profile but for one flag, side
 * by side in turn. Processor time per request (least and median of the rounds) and memory at the end.
 *   node bench/v8.mjs [rounds]           another Node: npx -p node@24 node bench/v8.mjs
 * Before a version has a profile: `node bench/v8.mjs 8 20` takes the flags of Node 20.
 */
import { buildIfStale } from '../server/bin/build.mjs';
import { profileOf } from '../server/bin/v8-profile.mjs';
import { startGateway } from './gateway.mjs';
import { measure } from './measure.mjs';
import { start, stopEverything } from './processes.mjs';
import { WORKLOADS } from './workloads.mjs';

const rounds = Number(process.argv[2] ?? 8);
const flags = profileOf(process.argv[3] ?? process.versions.node);
const CONCURRENCY = 16;
const TERMS = [
  { name: 'small', workload: WORKLOADS[0], requests: 2_000, warmup: 6_000 },
  { name: 'stream', workload: WORKLOADS.find(({ stream }) => stream), requests: 160, warmup: 400 },
];
const variants = [
  { name: 'no flags', flags: [] },
  { name: 'the profile', flags },
  ...flags.map((left) => ({ name: `without ${left}`, flags: flags.filter((flag) => flag !== left) })),
];

const least = (numbers) => Math.min(...numbers);
const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

try {
  await buildIfStale();
  const upstream = await start('upstream.mjs');
  const gateways = [];
  for (const { name, flags: own } of variants)
    gateways.push(await startGateway({ name, upstreamPort: upstream.port, env: { DARGAH_V8_FLAGS: own.join(' ') } }));
  console.log(
    `Node ${process.versions.node}, ${rounds} rounds in turn, processor µs per request (least / median), MB at the end`,
  );
  for (const { name, workload, requests, warmup } of TERMS) {
    const costs = gateways.map(() => []);
    const memory = gateways.map(() => 0);
    for (let round = 0; round < rounds; round++) {
      for (let turn = 0; turn < gateways.length; turn++) {
        const at = (turn + round) % gateways.length;
        const terms = { requests, concurrency: CONCURRENCY, warmup: round === 0 ? warmup : 0 };
        const { cpuUs, rssMb } = await measure(gateways[at], workload, terms);
        costs[at].push(cpuUs);
        memory[at] = rssMb;
      }
    }
    console.log(name);
    for (const [at, gateway] of gateways.entries())
      console.log(
        `  ${gateway.name.padEnd(52)} ${least(costs[at]).toFixed(0)} / ${median(costs[at]).toFixed(0)}   ${memory[at].toFixed(0)} MB`,
      );
  }
  for (const gateway of gateways) await gateway.stop();
} finally {
  await stopEverything();
}
