/**
 * What a request costs in admission (reserve, settle, posted), in memory and on Redis, with the eight limit checks of a fully
 * ruled key: our own processor time and that of Redis. Not a test.
 *   npx esbuild bench/admission.ts --bundle --platform=node --format=esm --packages=external \
 *     --alias:@dargah/core=./packages/core/src --loader:.lua=text --outfile=server/dist/bench-admission.mjs
 *   node server/dist/bench-admission.mjs [redis://127.0.0.1:6379 | redis-cluster://127.0.0.1:7001 [keys [parallel]]]
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Admission,
  createClusterAdmission,
  createMemoryAdmission,
  createRedisAdmission,
  type Hold,
  type LimitCheck,
  type PostedUpdate,
  type ReserveRequest,
} from '../server/src/admission/index.ts';
import { systemClock } from '../server/src/core/clock.ts';
import { money } from '../server/src/core/money.ts';
import { createRedis, isRedisCluster, type RedisClient } from '../server/src/platform/redis/index.ts';

const KEYS = 1_000;
const CHARGES_PER_POSTING = 200;
const VENDOR_MS = 2;
const nothingPosted = () => Promise.resolve(new Map());

const requests: ReserveRequest[] = Array.from({ length: KEYS }, (_, i) => ({
  requestId: `req_${i}`,
  checks: claimsOf(i),
  money: { want: money(1_000n), least: money(100n) },
}));

function claimsOf(i: number): LimitCheck[] {
  const limit = money(10n ** 15n);
  const cap = (id: string): LimitCheck => ({ kind: 'budget', name: 'cap', id: `cap:${id}`, home: `${i}`, limit });
  return [
    { kind: 'window', name: 'key-requests', id: `rpm:key:${i}`, home: `${i}`, limit: 1e9, amount: 1 },
    { kind: 'window', name: 'account-requests', id: `rpm:account:${i}`, home: `${i}`, limit: 1e9, amount: 1 },
    cap(`key:${i}:daily:2026-11-15`),
    cap(`key:${i}:monthly:1405-08`),
    cap(`account:${i}:daily:2026-11-15`),
    cap(`account:${i}:monthly:1405-08`),
    { kind: 'budget', name: 'wallet', id: `wallet:${i}`, home: `${i}`, limit },
    { kind: 'window', name: 'key-tokens', id: `tpm:key:${i}`, home: `${i}`, limit: 1e9, amount: 100 },
  ];
}

function settleAll(admission: Admission, holds: Hold[]): number {
  const startedAt = performance.now();
  for (const hold of holds) admission.settle(hold, { spent: money(0n), tokens: 50 });
  return performance.now() - startedAt;
}

async function measureMemory(rounds: number): Promise<void> {
  const admission = createMemoryAdmission({ clock: systemClock, loadPosted: nothingPosted });
  let reserveMs = 0;
  let settleMs = 0;
  for (let round = 0; round < rounds; round++) {
    const holds: Hold[] = [];
    const startedAt = performance.now();
    for (const request of requests) {
      const result = await admission.reserve(request);
      if (result.ok) holds.push(result.hold);
    }
    reserveMs += performance.now() - startedAt;
    settleMs += settleAll(admission, holds);
  }
  const each = (ms: number): string => ((ms * 1_000) / (rounds * KEYS)).toFixed(2);
  console.log(`memory: take ${each(reserveMs)} µs, settle ${each(settleMs)} µs`);
}

/** Books what was settled as the poster does: many charges at once, one report per budget. */
class Books {
  readonly #admission: Admission;
  readonly #rows = new Map<string, { posted: bigint; version: bigint; release: bigint }>();
  #unposted = 0;

  constructor(admission: Admission) {
    this.#admission = admission;
  }

  charge(hold: Hold, spent: bigint): void {
    for (const budget of hold.budgets) {
      const row = this.#rows.get(budget) ?? { posted: 0n, version: 0n, release: 0n };
      this.#rows.set(budget, { ...row, release: row.release + spent });
    }
    if (++this.#unposted === CHARGES_PER_POSTING) this.#post();
  }

  #post(): void {
    this.#unposted = 0;
    const updates: PostedUpdate[] = [];
    for (const [budget, row] of this.#rows) {
      if (row.release === 0n) continue;
      const posted = row.posted + row.release;
      updates.push({ budget, posted: money(posted), version: row.version + 1n, release: money(row.release) });
      this.#rows.set(budget, { posted, version: row.version + 1n, release: 0n });
    }
    this.#admission.posted(updates);
  }
}

/** Over all nodes: their processor time, and how many scripts they ran. */
async function workOf(redis: RedisClient): Promise<{ us: number; calls: number }> {
  const nodes = 'nodes' in redis ? redis.nodes('master') : [redis];
  const told = await Promise.all(
    nodes.map(async (node) => (await node.info('cpu')) + (await node.info('commandstats'))),
  );
  const sum = (name: string): number =>
    told.reduce((all, info) => all + Number(new RegExp(`${name}([0-9.]+)`).exec(info)?.[1] ?? 0), 0);
  const us = (sum('used_cpu_user:') + sum('used_cpu_sys:')) * 1e6;
  return { us, calls: sum('cmdstat_evalsha:calls=') };
}

async function measureRedis(url: string, keys: number, parallel: number, total: number): Promise<void> {
  const redis = createRedis({ url });
  const watch = createRedis({ url });
  await once(watch, 'ready');
  const isCluster = isRedisCluster(url);
  const admission = (isCluster ? createClusterAdmission : createRedisAdmission)({
    redis,
    clock: systemClock,
    replicaId: 'bench',
    loadPosted: nothingPosted,
    keyPrefix: isCluster ? `bench-${process.pid}-${keys}-${parallel}:` : `{bench-${process.pid}-${keys}-${parallel}}:`,
    deadlineMs: 5_000,
  });
  for (const request of requests.slice(0, keys)) await admission.reserve(request);
  const books = new Books(admission);
  const latencies: number[] = [];
  const run = async (count: number): Promise<void> => {
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < count) {
        const request = requests[next++ % keys] as ReserveRequest;
        const reservedAt = performance.now();
        const result = await admission.reserve(request);
        latencies.push(performance.now() - reservedAt);
        if (!result.ok) throw new Error(`refused by ${result.failed.id}`);
        // As long as a quick vendor takes, so that reservations and settlements of different requests mix as they
        // really do.
        await sleep(VENDOR_MS);
        admission.settle(result.hold, { spent: money(300n), tokens: 50 });
        books.charge(result.hold, 300n);
      }
    };
    await Promise.all(Array.from({ length: parallel }, worker));
  };
  // Warm up until the code is compiled.
  await run(total / 2);
  latencies.length = 0;
  const before = await workOf(watch);
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  await run(total);
  const elapsedMs = performance.now() - startedAt;
  const used = process.cpuUsage(cpu);
  const after = await workOf(watch);
  const [redisUs, calls] = [after.us - before.us, after.calls - before.calls];
  latencies.sort((a, b) => a - b);
  const at = (share: number): string =>
    ((latencies[Math.floor(latencies.length * share)] as number) * 1_000).toFixed(0);
  console.log(
    `${isCluster ? 'cluster' : 'redis'}, ${keys} keys, ${parallel} parallel: ${((total / elapsedMs) * 1_000).toFixed(0)} requests/s, ` +
      `take p50 ${at(0.5)} µs, p99 ${at(0.99)} µs; processor time per request: own ` +
      `${((used.user + used.system) / total).toFixed(1)} µs, Redis ${(redisUs / total).toFixed(1)} µs; ${(calls / total).toFixed(2)} calls; ` +
      `mode ${admission.health().mode}`,
  );
  await admission.close();
  watch.disconnect();
}

await measureMemory(100);
await measureMemory(300);
const [url, onlyKeys, onlyParallel] = process.argv.slice(2);
if (url !== undefined) {
  for (const keys of onlyKeys ? [Number(onlyKeys)] : [4, KEYS])
    for (const parallel of onlyParallel ? [Number(onlyParallel)] : [4, 16, 64])
      await measureRedis(url, keys, parallel, 20_000);
}
