/**
 * How long a day of the request log takes to move into its archive: rows as the gateway writes them, to another PostgreSQL database
 * and to ClickHouse's own engine (chdb for python, where it is installed; DARGAH_TEST_PYTHON names the interpreter).
 *   npm run bench:moving [-- --rows 300000]
 */
import { spawn, spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { buildIfStale } from '../server/bin/build.mjs';
import { numberOf } from './arguments.mjs';
import { bundle } from './bundle.mjs';
import { cpuUs, stopEverything } from './processes.mjs';
import { servicesInstalled, startServices } from './services.mjs';

const rows = numberOf('--rows', 300_000);
const python = process.env.DARGAH_TEST_PYTHON ?? 'python3';
const FRONT = fileURLToPath(new URL('../server/test/services/chdb-http.py', import.meta.url));

async function startClickHouse() {
  if (spawnSync(python, ['-c', 'import chdb']).status !== 0) return undefined;
  const child = spawn(python, [FRONT], { stdio: ['pipe', 'pipe', 'inherit'] });
  // By lines: Python may write one line in several pieces.
  const port = await new Promise((resolve, reject) => {
    child.once('exit', (code, signal) => reject(new Error(`the engine of ClickHouse ended with ${signal ?? code}`)));
    createInterface(child.stdout).on('line', (said) => {
      const found = /^listening (\d+)$/.exec(said)?.[1];
      if (found) resolve(found);
    });
  });
  return { pid: child.pid, url: `http://default@127.0.0.1:${port}/default`, stop: () => child.stdin.end() };
}

async function makeDatabase(url, name) {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const made = new URL(url);
  made.pathname = `/${name}`;
  return String(made);
}

async function move(script, log, archive, pids) {
  const before = cpuUs(pids);
  const child = spawn(process.execPath, [script, log, archive, String(rows)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  for await (const part of child.stdout) said += part;
  const found = JSON.parse(said);
  const perRow = (us) => (us / rows).toFixed(0);
  console.log(
    `${rows} rows to ${found.to}: ${found.copySeconds.toFixed(1)} s to copy and compare, ${found.dropSeconds.toFixed(1)} s with the day locked, ` +
      `${perRow(found.processUs)} µs of the gateway a row; ${found.logBytes} bytes a row in the log, ${found.archiveBytes ?? 'unknown'} in the archive ` +
      `(all of it with what was posted before: ${((cpuUs(pids) - before) / 1e6).toFixed(0)} s of the databases)`,
  );
}

if (!servicesInstalled()) throw new Error('PostgreSQL is not installed');
await buildIfStale();
const script = bundle('moving');
const services = await startServices();
const clickHouse = await startClickHouse();
try {
  const url = services.env.DATABASE_URL;
  await move(script, await makeDatabase(url, 'log_one'), await makeDatabase(url, 'archive'), services.pids);
  if (clickHouse) await move(script, await makeDatabase(url, 'log_two'), clickHouse.url, [clickHouse.pid]);
  else console.log('chdb is not installed: no figures of ClickHouse');
  const load = loadavg().map((one) => one.toFixed(1));
  console.log(`load of the machine at the end: ${load.join(', ')}`);
} finally {
  clickHouse?.stop();
  await services.stop();
  await rm(script, { force: true });
  await stopEverything();
}
