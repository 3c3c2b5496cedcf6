/** One measurement: load in a process of its own, processor time of the served processes before and after. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { cpuUs, rssMb } from './processes.mjs';

const LIMIT_MS = 180_000;
/** Long enough for what a request leaves behind (posting, garbage collection) to be counted with it. */
const AFTERMATH_MS = 400;
const BUSY = 16;

export async function measure(server, workload, { requests, concurrency, warmup = 0 }) {
  if (warmup > 0) await warmUp(server, workload, { warmup, concurrency });
  await server.idle?.();
  const before = cpuUs(server.pids);
  const times = await drive(server, workload, { requests, warmup: 0, concurrency });
  await new Promise((resolve) => setTimeout(resolve, AFTERMATH_MS));
  await server.idle?.();
  return { ...times, cpuUs: (cpuUs(server.pids) - before) / requests, rssMb: rssMb(server.pids) };
}

/**
 * With one caller an engine takes minutes to warm up, so the code paths of a single caller are compiled in a second
 * run.
 */
async function warmUp(server, workload, { warmup, concurrency }) {
  await drive(server, workload, { requests: 0, warmup, concurrency: Math.max(BUSY, concurrency) });
  if (concurrency < BUSY) await drive(server, workload, { requests: 0, warmup: Math.ceil(warmup / 4), concurrency });
}

export async function drive(server, { path, body, headers, firstToken }, { requests, warmup, concurrency }) {
  const order = {
    port: server.port,
    path: server.pathOf?.(path) ?? path,
    body,
    requests,
    warmup,
    concurrency,
    firstToken,
  };
  order.headers = { authorization: `Bearer ${server.key ?? 'none'}`, ...headers, ...server.headers };
  const script = fileURLToPath(new URL('load.mjs', import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'pipe'] });
  // Over standard input, because an argument may not be longer than 128 KB.
  child.stdin.end(JSON.stringify(order));
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  let out = '';
  let err = '';
  child.stdout.on('data', (text) => (out += text));
  child.stderr.on('data', (text) => (err += text));
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  if (code !== 0) throw new Error(`load on ${server.name} failed (${code}): ${err.slice(0, 1_500)}`);
  return JSON.parse(out);
}

/**
 * Servers take turns, so that a busy moment of the machine hits all of them. Each round is compared with the yardstick (the
 * first server) of the same round; of everything the median of the rounds counts. A peer that fails is left out with a word; a
 * failure of our own ends the benchmark.
 */
export async function compare(servers, workload, { rounds, ...terms }) {
  const results = new Map();
  const failed = new Set();
  for (let round = 0; round < rounds; round++) {
    let yardstick;
    for (const server of servers) {
      if (failed.has(server)) continue;
      try {
        const count = (number) => Math.max(terms.concurrency * 4, Math.round(number * (server.share ?? 1)));
        const warmup = round === 0 && terms.warmup > 0 ? count(terms.warmup) : 0;
        const result = await measure(server, workload, { ...terms, requests: count(terms.requests), warmup });
        yardstick ??= result;
        const beside = { cpuRatio: result.cpuUs / yardstick.cpuUs, rpsRatio: result.rps / yardstick.rps };
        results.set(server.name, [...(results.get(server.name) ?? []), { ...result, ...beside }]);
      } catch (error) {
        if (!server.isPeer) throw error;
        console.log(
          `  ${server.name} failed at ${workload.name}: ${/Error: (HTTP\/1\.1 [^\r\n]+)/.exec(error.message)?.[1] ?? error}`,
        );
        failed.add(server);
        results.delete(server.name);
      }
    }
  }
  return new Map([...results].map(([name, runs]) => [name, medianOf(runs)]));
}

export function medianOf(runs) {
  const median = {};
  for (const field of Object.keys(runs[0])) {
    const sorted = runs.map((run) => run[field]).sort((a, b) => a - b);
    median[field] = sorted[sorted.length >> 1];
  }
  return median;
}
