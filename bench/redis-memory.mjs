/**
 * node bench/redis-memory.mjs [--accounts 100] [--keys 100] [--requests 5]
 *
 * What Redis holds for those who are active: memory before and after one request of each of many accounts (one key each, with
 * rates, caps and a wallet), of as many keys of one account, and after some more requests of each. Nothing is timed, so a busy
 * machine does not change the result.
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { buildIfStale } from '../server/bin/build.mjs';
import { numberOf } from './arguments.mjs';
import { start, stopEverything } from './processes.mjs';
import { table } from './report.mjs';
import { startServices } from './services.mjs';

const SCRIPT = fileURLToPath(new URL('../server/bin/start.mjs', import.meta.url));
const accounts = numberOf('--accounts', 100);
const keys = numberOf('--keys', 100);
const requests = numberOf('--requests', 5);
const CALLERS = 4;
const MAX_TRIES = 60;
const caps = (toman) => ({ daily: toman, monthly: toman, total: toman });

function configOf(upstreamPort) {
  const key = (name) => ({ id: name, key: `dg-${name}`, rules: { rpm: 600, tpm: 900_000, caps: caps(10_000) } });
  const account = (id, names) => ({
    id,
    balance: 1_000_000,
    rules: { rpm: 100_000, caps: caps(900_000) },
    keys: names.map(key),
  });
  return {
    providers: [
      {
        id: 'bench',
        protocol: 'openai-chat',
        base_url: `http://127.0.0.1:${upstreamPort}/v1`,
        api_key: 'provider-secret',
      },
    ],
    models: [
      { id: 'bench/chat', routes: [{ provider: 'bench', model: 'bench' }], price: { input: 15_000, output: 60_000 } },
    ],
    accounts: [
      account('first', ['first']),
      ...numbers(accounts).map((at) => account(`account-${at}`, [`own-${at}`])),
      account(
        'crowd',
        numbers(keys).map((at) => `crowd-${at}`),
      ),
    ],
    settings: { discovery: false },
  };
}

function numbers(count) {
  return Array.from({ length: count }, (_, at) => at + 1);
}

async function answered(port, name) {
  const reply = await fetch(`http://127.0.0.1:${port}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer dg-${name}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'bench/chat', max_tokens: 20, messages: [{ role: 'user', content: 'hi' }] }),
  });
  await reply.arrayBuffer();
  return reply.status === 200;
}

async function ask(port, names) {
  const waiting = [...names];
  const caller = async () => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      // On a busy machine Redis may seem away for a moment, and the gateway then asks callers to come again.
      for (let tries = 1; !(await answered(port, name)); tries++) {
        if (tries === MAX_TRIES) throw new Error(`${name} was refused ${tries} times`);
        await sleep(1_000);
      }
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

function redisOf(url) {
  const run = (...args) => execFileSync('redis-cli', ['-u', url, ...args], { encoding: 'utf8' });
  /** Redis’s own count for each entry: its name, its value and what finds it. */
  const bytes = `local sum = 0
    for _, name in ipairs(redis.call('KEYS', '*')) do sum = sum + redis.call('MEMORY', 'USAGE', name, 'SAMPLES', 0) end
    return sum`;
  return { bytes: () => Number(run('EVAL', bytes, '0')), entries: () => Number(run('DBSIZE')) };
}

async function main() {
  await buildIfStale();
  const folder = await mkdtemp(join(tmpdir(), 'dargah-bench-'));
  const upstream = await start('upstream.mjs');
  const services = await startServices();
  const redis = redisOf(services.env.REDIS_URL);
  // Many accounts are made at the start, and the safety of these books is nobody's concern.
  const hurry = ['-c', 'alter system set synchronous_commit = off', '-c', 'select pg_reload_conf()'];
  execFileSync('psql', [services.env.DATABASE_URL, ...hurry], { stdio: 'ignore' });
  const config = join(folder, 'bench.yaml');
  await writeFile(config, JSON.stringify(configOf(upstream.port)));
  const gateway = await start(SCRIPT, {
    env: { PORT: '0', DARGAH_CONFIG: config, DARGAH_DATA_DIR: folder, DARGAH_LOG_LEVEL: 'warn', ...services.env },
    ready: /listens on http:\/\/[^:]+:(\d+)/,
  });
  const rows = [];
  // The scripts and the gateway's own connections are not memory of accounts.
  await ask(gateway.port, ['first']);
  const own = numbers(accounts).map((at) => `own-${at}`);
  const crowd = numbers(keys).map((at) => `crowd-${at}`);
  const again = [...own, ...crowd].flatMap((name) => Array(requests).fill(name));
  for (const [what, names, count] of [
    ['an active account with one key', own, accounts],
    ['one more active key of an account', crowd, keys],
    [`the same after ${requests} more requests of each`, again, accounts + keys],
  ]) {
    const before = [redis.bytes(), redis.entries()];
    await ask(gateway.port, names);
    rows.push([what, count, ((redis.bytes() - before[0]) / count).toFixed(0), (redis.entries() - before[1]) / count]);
  }
  console.log(
    table(
      ['for each', 'measured with', 'bytes of Redis', 'entries'],
      rows.map((row) => row.map(String)),
    ),
  );
  await gateway.stop();
  await services.stop();
  await rm(folder, { recursive: true, force: true });
}

try {
  await main();
} finally {
  await stopEverything();
}
