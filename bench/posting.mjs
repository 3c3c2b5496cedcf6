/**
 * Charges a second on one PostgreSQL: the posters' own statement, with so many charges in the books already, by one, two and four
 * posters at once; rows written, WAL and processor time of a charge. `--full` has ten million charges in the books.
 *   npm run bench:posting [-- --present 300000 --charges 40000 --full]
 *
 * Ten million take a while to make. With `--database <url>` the books of that PostgreSQL server are used and kept, and filling them
 * goes on where an earlier run ended: `--charges 0` only fills.
 */
import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { createInterface } from 'node:readline';
import { buildIfStale } from '../server/bin/build.mjs';
import { numberOf } from './arguments.mjs';
import { bundle } from './bundle.mjs';
import { stopEverything } from './processes.mjs';
import { servicesInstalled, startServices } from './services.mjs';

const charges = numberOf('--charges', 40_000);
const presents = [numberOf('--present', 300_000), ...(process.argv.includes('--full') ? [10_000_000] : [])];
const given = process.argv.indexOf('--database');
const POSTERS = [1, 2, 4];
const AN_HOUR_MS = 3_600_000;
const DAY_SECONDS = 86_400;

function print({ present, posters, perSecond, rows, walBytes, databaseUs, processUs, late, waited }) {
  const daily = ((perSecond * DAY_SECONDS) / 1e6).toFixed(0);
  console.log(
    `${String(present).padStart(9)} present, ${posters} posters: ${String(perSecond).padStart(6)} charges/s (${daily} million a day); of a charge ` +
      `${rows} rows, ${walBytes} bytes of WAL, ${databaseUs} µs of PostgreSQL, ${processUs} µs of the poster`,
  );
  if (late > 0) console.log(`          ${late} batches ran into the statement's limit and were posted again`);
  const shares = Object.entries(waited).filter(([, percent]) => percent > 0);
  console.log(`          seen: ${shares.map(([wait, percent]) => `${wait} ${percent} %`).join(', ')}`);
}

if (given < 0 && !servicesInstalled()) throw new Error('PostgreSQL is not installed');
await buildIfStale();
const script = bundle('posters');
const services = given < 0 ? await startServices() : undefined;
try {
  const args = [
    script,
    services?.env.DATABASE_URL ?? process.argv[given + 1],
    String(charges),
    presents.join(','),
    POSTERS.join(','),
  ];
  // Told as they come: a run over ten million charges takes long, and what it found is not lost when it fails.
  const running = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], timeout: AN_HOUR_MS });
  for await (const line of createInterface({ input: running.stdout })) print(JSON.parse(line));
  console.log(
    `load of the machine at the end: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(', ')}`,
  );
} finally {
  await services?.stop();
  await rm(script, { force: true });
  await stopEverything();
}
