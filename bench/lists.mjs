/**
 * Lists of many rows on PostgreSQL: how long each filter of each list takes.
 *   npm run bench:lists [-- --requests 10000000 --orders 1000000 --accounts 100000]
 */
import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { buildIfStale } from '../server/bin/build.mjs';
import { numberOf } from './arguments.mjs';
import { bundle } from './bundle.mjs';
import { stopEverything } from './processes.mjs';
import { servicesInstalled, startServices } from './services.mjs';

const sizes = {
  requests: numberOf('--requests', 10_000_000),
  orders: numberOf('--orders', 1_000_000),
  accounts: numberOf('--accounts', 100_000),
  days: 31,
};
const TWO_HOURS_MS = 7_200_000;

function measure(databaseUrl) {
  const script = bundle('lists');
  try {
    const args = [script, JSON.stringify(sizes), databaseUrl];
    return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', timeout: TWO_HOURS_MS }));
  } finally {
    void rm(script, { force: true });
  }
}

if (!servicesInstalled()) throw new Error('PostgreSQL is not installed');
await buildIfStale();
try {
  const { env } = await startServices();
  const { looks, seedMs } = measure(env.DATABASE_URL);
  console.log(`\n${JSON.stringify(sizes)}, made in ${(seedMs / 1000).toFixed(0)} s`);
  for (const { name, indexed, p50, worst, rows, backTo } of looks)
    console.log(
      `  ${name.padEnd(34)} ${indexed ? 'index' : 'walk '}  p50 ${String(p50).padStart(5)} ms  worst ${String(worst).padStart(5)} ms  ${rows} rows${backTo === null ? '' : `, searched back to ${backTo}`}`,
    );
} finally {
  await stopEverything();
}
