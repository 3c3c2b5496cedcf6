/**
 * The proof of large books, on PostgreSQL and on the embedded database: what an upgrade seals, a night, the light proof, a whole
 * one, what the header of a page waits while that runs, and how long each report takes. `--past`: so many charges of sealed days more.
 *   npm run bench:books [-- --rows 300000 --past 10000000 --only postgres --what reports]
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIfStale } from '../server/bin/build.mjs';
import { numberOf, textOf } from './arguments.mjs';
import { bundle } from './bundle.mjs';
import { stopEverything } from './processes.mjs';
import { servicesInstalled, startServices } from './services.mjs';

const rows = numberOf('--rows', 300_000);
const past = numberOf('--past', 0);
const only = textOf('--only', 'both');
const what = textOf('--what', 'all');
const HALF_AN_HOUR_MS = 1_800_000;

async function prove(databaseUrl) {
  const script = bundle('books');
  const dataDir = await mkdtemp(join(tmpdir(), 'dargah-bench-books-'));
  try {
    const args = [script, dataDir, String(rows), what, String(past), ...(databaseUrl ? [databaseUrl] : [])];
    return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', timeout: HALF_AN_HOUR_MS }));
  } finally {
    await rm(dataDir, { recursive: true, force: true });
    await rm(script, { force: true });
  }
}

const shown = ({ ms, rows: read, slices }) => `${(ms / 1000).toFixed(1)} s (${read} rows, ${slices} slices)`;

function print({
  database,
  requests,
  past: before,
  history,
  night,
  lightMs,
  profit,
  whole,
  header,
  coldHeader,
  reports,
}) {
  console.log(
    `\n${database}, ${requests} requests of 30 days, 5,000 accounts, 20,000 orders, ${before} charges before`,
  );
  console.log(`  history sealed at the first start   ${shown(history)}`);
  for (const [name, ms] of Object.entries(reports)) console.log(`  ${name.padEnd(36)}${ms} ms`);
  if (what === 'reports') return;
  console.log(`  one night                           ${shown(night)}`);
  console.log(`  light proof, each of five           ${lightMs.join(', ')} ms`);
  const { openMs, ...ofProfit } = profit;
  console.log(`  profit, open day read anew          ${openMs} ms`);
  for (const [name, { ms, bytes }] of Object.entries(ofProfit))
    console.log(`  profit, ${name.padEnd(28)}${ms} ms, ${(bytes / 1000).toFixed(1)} KB`);
  if (!whole) return;
  console.log(`  whole proof                         ${shown(whole)}`);
  console.log(`  header during it, p50 / p99         ${header.p50} / ${header.p99} ms (${header.reads} reads)`);
  console.log(`  the same with nothing in memory     ${coldHeader.p50} / ${coldHeader.p99} ms`);
}

await buildIfStale();
try {
  if (only !== 'embedded' && servicesInstalled()) {
    const services = await startServices();
    print(await prove(services.env.DATABASE_URL));
  }
  if (only !== 'postgres') print(await prove(undefined));
} finally {
  await stopEverything();
}
