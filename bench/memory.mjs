/**
 * npm run bench:memory -- [--chats 100000] [--streams 5000] [--only embedded] [--quick]
 *
 * Where the gateway's memory is: idle after its start, after so many small chats, after so many slow streams that were open at once.
 * The process as the system sees it, and what the engine says of its main thread right after a full collection (through the
 * inspector): live objects, room that the heap holds beside them, buffers outside of it. What is left over is code, threads and
 * the embedded database. `--quick` asks for a fiftieth of the requests. The servers of PostgreSQL and Redis are not counted.
 */
import { readFileSync } from 'node:fs';
import { WebSocket } from 'undici';
import { numberOf, textOf } from './arguments.mjs';
import { startGateway } from './gateway.mjs';
import { drive } from './measure.mjs';
import { start, stopEverything } from './processes.mjs';
import { table } from './report.mjs';
import { servicesInstalled, startServices } from './services.mjs';
import { streamOf, WORKLOADS } from './workloads.mjs';

const QUICK = process.argv.includes('--quick');
const chats = numberOf('--chats', QUICK ? 2_000 : 100_000);
const streams = numberOf('--streams', QUICK ? 100 : 5_000);
const only = textOf('--only', '');
const SLOW = streamOf(20, 100);
const SETTLED_MS = 3_000;
/** A process of the load has three minutes, which on a busy machine are not enough for all. */
const PORTION = 20_000;
const INSPECTOR_PORT = numberOf('--inspector-port', 9_377);
const MB = 1024 * 1024;

/** Kilobytes by field of the kernel's own account of the process, in megabytes. */
function mapped(pid) {
  const read = (file, field) =>
    Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/${file}`, 'utf8'))?.[1] ?? 0) / 1024;
  return { rss: read('status', 'VmRSS'), peak: read('status', 'VmHWM'), files: read('status', 'RssFile') };
}

async function openInspector(port) {
  const [target] = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json();
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error('the inspector does not answer'));
  });
  const waiting = new Map();
  socket.onmessage = ({ data }) => {
    const { id, result } = JSON.parse(data);
    waiting.get(id)?.(result);
  };
  let sent = 0;
  const ask = (method, params = {}) =>
    new Promise((resolve) => {
      waiting.set(++sent, resolve);
      socket.send(JSON.stringify({ id: sent, method, params }));
    });
  return { ask, close: () => socket.close() };
}

/** Before the collection, because that is what an operator sees; then what of it is alive. */
async function look(pid, inspector) {
  await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
  const seen = mapped(pid);
  await inspector.ask('HeapProfiler.collectGarbage');
  const expression = 'JSON.stringify(process.memoryUsage())';
  const { result } = await inspector.ask('Runtime.evaluate', { expression });
  const { heapUsed, heapTotal, external, arrayBuffers } = JSON.parse(result.value);
  const after = mapped(pid);
  const rest = after.rss - (heapTotal + external) / MB - after.files;
  return [
    seen.rss,
    seen.peak,
    after.rss,
    heapUsed / MB,
    (heapTotal - heapUsed) / MB,
    external / MB,
    arrayBuffers / MB,
    after.files,
    rest,
  ];
}

async function measured(name, upstreamPort, env) {
  const nodeArgs = [`--inspect=127.0.0.1:${INSPECTOR_PORT}`];
  const server = await startGateway({ name, upstreamPort, env, models: [SLOW.model], nodeArgs });
  const inspector = await openInspector(INSPECTOR_PORT);
  const rows = [];
  const note = async (when) => {
    const figures = await look(server.pids[0], inspector);
    rows.push([name, when, ...figures.map((figure) => figure.toFixed(0))]);
  };
  await note('idle');
  for (let left = chats; left > 0; left -= PORTION)
    await drive(server, WORKLOADS[0], { requests: Math.min(left, PORTION), warmup: 0, concurrency: 16 });
  await server.idle();
  await note(`after ${chats} chats`);
  await drive(server, SLOW, { requests: streams, warmup: 0, concurrency: streams });
  await server.idle();
  await note(`after ${streams} streams at once`);
  inspector.close();
  await server.stop();
  return rows;
}

try {
  const upstream = await start('upstream.mjs');
  const rows = [];
  if (!'embedded'.startsWith(only)) console.log('embedded: left out');
  else rows.push(...(await measured('embedded', upstream.port, {})));
  if (servicesInstalled() && 'postgres'.startsWith(only)) {
    const { env } = await startServices();
    rows.push(...(await measured('PostgreSQL+Redis', upstream.port, env)));
  }
  console.log(`Node ${process.versions.node}, megabytes of the gateway's process`);
  const heads = ['rss', 'peak', 'rss, collected', 'live', 'room', 'outside', 'of it buffers', 'files', 'rest'];
  console.log(table(['database', 'when', ...heads], rows));
} finally {
  await stopEverything();
}
process.exit(0);
