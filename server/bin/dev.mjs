/**
 * The server for a developer: builds it and the web pages, starts it with an inspector, and writes its log for people.
 * A change of the server starts it again; a change of the web pages shows in the open browser, and the server goes on.
 * `npm run dev -- --inspect=0` chooses a free port for the inspector.
 */
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { buildIfStale } from './build.mjs';
import { openWebBuild } from './watch-web.mjs';

const folders = (...paths) => paths.map((path) => fileURLToPath(new URL(path, import.meta.url)));
const ofServer = folders('../src', '../packages', '../../packages');
const ofWeb = folders('../../web/src', '../../packages/core');
const program = fileURLToPath(new URL('run-built.mjs', import.meta.url));
const SETTLE_MS = 100;
const LEVELS = { 10: 'trace', 20: 'debug', 30: 'info ', 40: 'warn ', 50: 'ERROR', 60: 'FATAL' };

let server;
let restarting = false;
let changedMeanwhile = false;

async function start() {
  try {
    await buildIfStale();
  } catch (error) {
    // esbuild has said what is wrong; the next change may mend it.
    console.error(error instanceof Error ? error.message : error);
    return;
  }
  const inspect = process.argv.slice(2).find((word) => word.startsWith('--inspect')) ?? '--inspect';
  const child = spawn(process.execPath, [inspect, program], {
    stdio: ['inherit', 'pipe', 'inherit'],
    env: { DARGAH_LOG_LEVEL: 'debug', ...process.env },
  });
  createInterface({ input: child.stdout }).on('line', (line) => console.log(readable(line)));
  child.on('exit', (code) => {
    if (server === child && code !== null && code !== 0)
      console.log(`the server ended with ${code}; waiting for a change`);
  });
  server = child;
}

/** `12:03:44.120 info  message  field=value …`; a line that is no log entry stays as it is. */
function readable(line) {
  if (!line.startsWith('{')) return line;
  try {
    const { level, time, msg, pid: _pid, hostname: _hostname, err, ...fields } = JSON.parse(line);
    const at = new Date(time).toISOString().slice(11, 23);
    const rest = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
    return [at, LEVELS[level] ?? level, msg, rest.join(' '), err?.stack ?? ''].filter((part) => part !== '').join('  ');
  } catch {
    return line;
  }
}

async function restart() {
  changedMeanwhile = restarting;
  if (restarting) return;
  restarting = true;
  const old = server;
  if (old && old.exitCode === null) {
    const ended = new Promise((resolve) => old.once('exit', resolve));
    // As Ctrl+C would: nobody's proxy has to be waited for.
    old.kill('SIGINT');
    await ended;
  }
  await start();
  restarting = false;
  if (changedMeanwhile) await restart();
}

/** Calls once for several changes at a time, with their names: an editor writes several files at once. */
function onChange(watched, act) {
  let waiting;
  let names = [];
  const changed = (_event, name) => {
    names.push(name ?? '');
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const seen = names;
      names = [];
      act(seen);
    }, SETTLE_MS);
  };
  for (const folder of watched) watch(folder, { recursive: true }, changed);
}

const buildWeb = await openWebBuild();
async function showWeb(changed) {
  const began = performance.now();
  try {
    await buildWeb(changed);
    console.log(`the web pages were built in ${Math.round(performance.now() - began)} ms`);
  } catch (error) {
    // esbuild has said what is wrong; the next change may mend it.
    if (!error?.errors) console.error(error);
  }
}

onChange(ofServer, () => restart());
onChange(ofWeb, showWeb);
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    server?.once('exit', () => process.exit(0));
    if (!server?.kill(signal)) process.exit(0);
  });
}
await showWeb();
await start();
