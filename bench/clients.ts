/**
 * Clients for providers under the same `Exchange`, in one process, in turn: ours (`server/packages/http-client`), undici's
 * `Pool.dispatch` and Node's own. Prints processor time of this process per call as JSON. Started by clients.mjs.
 *   node bench-clients.mjs <port of the fake provider> <rounds>
 */
import { type ClientPool, ConnectionPool, destinationOf, NodePool } from '../server/packages/http-client/src/index.ts';
import { systemClock } from '../server/src/core/clock.ts';
import { DeadlineSweep } from '../server/src/platform/upstream/deadline-sweep.ts';
import { Exchange } from '../server/src/platform/upstream/exchange.ts';
import type { UpstreamCall, UpstreamReply } from '../server/src/platform/upstream/port.ts';
import { ConnectionPool as UndiciPool } from './undici-pool.ts';

const CONCURRENCY = 16;
const CONNECTIONS = 64;
const [port, roundsText] = process.argv.slice(2);
const origin = `http://127.0.0.1:${port}`;
const rounds = Number(roundsText);

const messages = [
  { role: 'system', content: 'You are a helpful assistant.' },
  { role: 'user', content: 'Say hello to me in one short sentence, please.' },
];
const WORKLOADS = [
  { name: 'small', calls: 1_600, body: JSON.stringify({ model: 'bench', messages, max_tokens: 50 }) },
  { name: 'stream', calls: 96, body: JSON.stringify({ model: 'bench', messages, max_tokens: 300, stream: true }) },
];

const destination = destinationOf(new URL(origin));
const clients = [
  { name: 'own', pool: new ConnectionPool(destination, CONNECTIONS) },
  { name: 'undici', pool: new UndiciPool(destination, CONNECTIONS) },
  { name: 'node', pool: new NodePool(destination, CONNECTIONS) },
];
const sweep = new DeadlineSweep(systemClock);

function send(pool: Pick<ClientPool, 'dispatch'>, body: string): Promise<UpstreamReply> {
  return new Promise((resolve, reject) => {
    const call: UpstreamCall = {
      pool: 'bench',
      url: `${origin}/v1/chat/completions`,
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer provider-secret' },
      body,
      connectMs: 5_000,
      headersMs: 60_000,
      idleMs: 60_000,
    };
    const exchange = new Exchange(call, 'bench', sweep, systemClock.monotonicMs(), { resolve, reject });
    pool.dispatch(call, '/v1/chat/completions', exchange);
  });
}

/** Small answers are read whole, streams chunk by chunk, as the gateway does. */
async function ask(pool: Pick<ClientPool, 'dispatch'>, body: string, isStream: boolean): Promise<void> {
  const reply = await send(pool, body);
  if (!isStream) {
    await reply.text(1_000_000);
    return;
  }
  for (let chunk = await reply.read(); chunk !== null; chunk = await reply.read());
}

/** Microseconds of processor time per call. */
async function slice(pool: Pick<ClientPool, 'dispatch'>, { name, calls, body }: (typeof WORKLOADS)[number]) {
  const before = process.cpuUsage();
  let left = calls;
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (left-- > 0) await ask(pool, body, name === 'stream');
    }),
  );
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

const found: Record<string, Record<string, number[]>> = {};
for (const workload of WORKLOADS) {
  const times: Record<string, number[]> = Object.fromEntries(clients.map(({ name }) => [name, []]));
  // Compiled before anything counts; then another one begins every round.
  for (let round = -3; round < rounds; round++) {
    for (let turn = 0; turn < clients.length; turn++) {
      const { name, pool } = clients[(turn + Math.max(0, round)) % clients.length] as (typeof clients)[number];
      const us = await slice(pool, workload);
      if (round >= 0) times[name]?.push(us);
    }
  }
  found[workload.name] = times;
}
for (const { pool } of clients) await pool.destroy(new Error('over'));
process.stdout.write(`${JSON.stringify(found)}\n`);
