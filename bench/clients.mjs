/**
 * What a call to a provider costs with our client, with undici's `Pool.dispatch` and with Node's own client: first under the same
 * `Exchange` in one process, then in whole gateways that differ in nothing else. Processor time, not time on the clock: it may run
 * on a busy machine. All take turns; the least and the median of the rounds are given, and the median of the differences within
 * a round.
 *   node bench/clients.mjs [rounds] [rounds of gateways]      another Node: npx -p node@24 node bench/clients.mjs
 */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildIfStale } from '../server/bin/build.mjs';
import { ownPackages } from '../server/bin/sources.mjs';
import { profileArguments } from '../server/bin/v8-profile.mjs';
import { startGateway } from './gateway.mjs';
import { measure } from './measure.mjs';
import { start, stopEverything } from './processes.mjs';
import { WORKLOADS } from './workloads.mjs';

const rounds = Number(process.argv[2] ?? 40);
const gatewayRounds = Number(process.argv[3] ?? 12);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const VARIANT = 'bench-main-undici.mjs';
const TERMS = [
  { name: 'small', workload: WORKLOADS[0], requests: 2_000, warmup: 6_000 },
  { name: 'stream', workload: WORKLOADS.find(({ stream }) => stream), requests: 160, warmup: 400 },
];

/** Where the sources say our pool, the bundle has undici's. */
const undiciInstead = {
  name: 'undici-instead',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/connection-pool\.ts$/ }, () => ({ path: here('undici-pool.ts') }));
  },
};

async function bundle(source, name, plugins = []) {
  const outfile = here(`../server/dist/${name}`);
  await build({
    entryPoints: [here(source)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    alias: ownPackages(here('..')),
    loader: { '.lua': 'text', '.md': 'text' },
    plugins,
    logLevel: 'error',
  });
  return outfile;
}

const least = (numbers) => Math.min(...numbers);
const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

function print(title, times) {
  console.log(title);
  for (const [name, all] of Object.entries(times)) {
    const more = all.map((us, round) => us - times.own[round]);
    const share = all.map((us, round) => (100 * (us - times.own[round])) / times.own[round]);
    const beside = name === 'own' ? '' : `   ${median(more).toFixed(1)} more (${median(share).toFixed(1)} %)`;
    console.log(`  ${name.padEnd(7)} ${least(all).toFixed(1)} / ${median(all).toFixed(1)}${beside}`);
  }
}

async function wholeGateways(upstreamPort) {
  const terms = { upstreamPort };
  const variant = { script: here('start-variant.mjs'), env: { DARGAH_BENCH_VARIANT: VARIANT } };
  const gateways = [
    await startGateway({ ...terms, name: 'own' }),
    await startGateway({ ...terms, ...variant, name: 'undici' }),
    await startGateway({ ...terms, name: 'node', env: { DARGAH_UPSTREAM_CLIENT: 'node' } }),
  ];
  for (const { name, workload, requests, warmup } of TERMS) {
    const times = Object.fromEntries(gateways.map((gateway) => [gateway.name, []]));
    for (let round = 0; round < gatewayRounds; round++) {
      for (let turn = 0; turn < gateways.length; turn++) {
        const gateway = gateways[(turn + round) % gateways.length];
        const order = { requests, concurrency: 16, warmup: round === 0 ? warmup : 0 };
        times[gateway.name].push((await measure(gateway, workload, order)).cpuUs);
      }
    }
    print(`${name}, a request of the whole gateway`, times);
  }
  for (const gateway of gateways) await gateway.stop();
}

const made = [];
try {
  await buildIfStale();
  const script = await bundle('clients.ts', 'bench-clients.mjs');
  made.push(script, await bundle('../server/src/main.ts', VARIANT, [undiciInstead]));
  const upstream = await start('upstream.mjs');
  console.log(
    `Node ${process.versions.node}, processor µs (least / median of ${rounds} and ${gatewayRounds} rounds in turn)`,
  );
  const args = [...profileArguments(), script, String(upstream.port), String(rounds)];
  const found = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 1_800_000 }));
  for (const [workload, times] of Object.entries(found)) print(`${workload}, a call under the same Exchange`, times);
  await wholeGateways(upstream.port);
} finally {
  for (const file of made) rmSync(file, { force: true });
  await stopEverything();
}
