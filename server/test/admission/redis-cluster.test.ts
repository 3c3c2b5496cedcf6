/**
 * Admission on a real cluster of three nodes: the promises of the port, accounts on all nodes, a node that dies and comes back empty,
 * and one whose replica takes over.
 */
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Admission, createClusterAdmission, type ReserveRequest } from '../../src/admission/index.ts';
import type { RedisAdmissionOptions } from '../../src/admission/redis/options.ts';
import { PARTITION_TAGS, partitionOf } from '../../src/admission/redis/partitions.ts';
import { systemClock } from '../../src/core/clock.ts';
import { money } from '../../src/core/money.ts';
import { createRedis } from '../../src/platform/redis/index.ts';
import { admissionConformance } from '../conformance/admission.suite.ts';
import { redisMissing } from '../services/redis.ts';
import { type RedisCluster, startRedisCluster } from '../services/redis-cluster.ts';
import { admitted, request } from './check-fixtures.ts';
import { everybody, orUnavailable, WAIT_LIMITS } from './fleet.ts';
import { PaperLedger } from './paper-ledger.ts';

const NODES = 3;
const WALLET = 1_000n;

/** All limits of an account's request, each named after the account. */
function requestOf(account: string, want = 10n, requestsPerMinute = 1_000): ReserveRequest {
  const cap = { kind: 'budget', name: 'cap', id: `cap:key:${account}:daily:2026-11-15`, limit: money(5_000n) } as const;
  return request(
    [
      {
        kind: 'window',
        name: 'key-requests',
        id: `rpm:key:${account}`,
        home: account,
        limit: requestsPerMinute,
        amount: 1,
      },
      { ...cap, home: account },
      { kind: 'budget', name: 'wallet', id: `wallet:${account}`, home: account, limit: money(0n) },
    ],
    want,
  );
}

class ClusterFleet {
  readonly cluster: RedisCluster;
  readonly ledger = new PaperLedger();
  readonly #admissions: Admission[] = [];

  constructor(cluster: RedisCluster) {
    this.cluster = cluster;
  }

  async start(count: number, options: Partial<RedisAdmissionOptions> = {}): Promise<Admission[]> {
    const all = Array.from({ length: count }, (_, i) =>
      createClusterAdmission({
        redis: createRedis({ url: this.cluster.url }),
        clock: systemClock,
        replicaId: `replica-${i}`,
        loadPosted: this.ledger.load,
        deadlineMs: 5_000,
        heartbeatEveryMs: 200,
        // Nobody is taken for dead because the machine is busy.
        heartbeatMs: 3_600_000,
        settleMs: 1_500,
        leaseWaitMs: 3_000,
        ...options,
      }),
    );
    this.#admissions.push(...all);
    await vi.waitFor(() => {
      for (const one of all) expect(one.health()).toEqual({ mode: 'redis', replicas: count });
    }, WAIT_LIMITS);
    return all;
  }

  /** An account whose counters are on this node, with a wallet. */
  accountOn(node: number, name: string): string {
    for (let n = 0; ; n++) {
      const account = `${name}-${n}`;
      if (this.cluster.nodeOf(`{${PARTITION_TAGS[partitionOf(account)]}}`) !== node) continue;
      this.ledger.write(`wallet:${account}`, -WALLET);
      return account;
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#admissions.splice(0).map((admission) => admission.close()));
    await this.cluster.stop();
  }
}

async function tries(all: Admission[], count: number, make: () => ReserveRequest): Promise<number> {
  const results = Array.from({ length: count }, (_, i) =>
    orUnavailable((all[i % all.length] as Admission).reserve(make())),
  );
  return admitted((await Promise.all(results)).flatMap((result) => (result ? [result] : [])));
}

async function heldOf(admission: Admission, account: string): Promise<bigint> {
  const id = `wallet:${account}`;
  const states = await admission.budgets([{ kind: 'budget', name: 'wallet', id, home: account, limit: money(0n) }]);
  return states.get(id)?.held ?? -1n;
}

describe.skipIf(redisMissing())('on a cluster of three nodes', () => {
  let fleet: ClusterFleet;
  let worlds = 0;
  let modes: string[] = [];
  beforeAll(async () => {
    fleet = new ClusterFleet(await startRedisCluster());
  });
  afterAll(() => fleet?.end());
  afterEach(() => {
    expect(modes.filter((mode) => mode !== 'redis')).toEqual([]);
    modes = [];
  });

  admissionConformance('a cluster', async ({ clock, ledger }) => {
    const redis = createRedis({ url: fleet.cluster.url });
    await once(redis, 'ready');
    return createClusterAdmission({
      redis,
      clock,
      time: 'given',
      replicaId: 'only',
      loadPosted: ledger.load,
      keyPrefix: `world-${++worlds}:`,
      heartbeatMs: 86_400_000,
      deadlineMs: 10_000,
      onMode: (mode) => modes.push(mode),
    });
  });

  it('counts each account on one node, and accounts on all of them', async () => {
    const all = await fleet.start(2);
    const accounts = Array.from({ length: 60 }, (_, n) => `spread-${n}`);
    for (const account of accounts) fleet.ledger.write(`wallet:${account}`, -WALLET);
    const granted = await Promise.all(accounts.map((account) => tries(all, 150, () => requestOf(account))));
    expect(granted).toEqual(accounts.map(() => 100));
    for (let node = 0; node < NODES; node++)
      expect(fleet.cluster.ask(node, 'keys', '*wallet:spread-*').trim().split('\n').length).toBeGreaterThan(5);
  });

  it('refuses a reservation over counters of two accounts', async () => {
    const [one] = await fleet.start(1, { keyPrefix: 'two:' });
    const [first, second] = [requestOf('one'), requestOf('two')];
    expect(() => one?.reserve({ ...first, checks: [...first.checks, ...second.checks] })).toThrow('two');
  });
});

describe.skipIf(redisMissing())('a node of a cluster that dies', () => {
  let fleet: ClusterFleet;
  beforeAll(async () => {
    fleet = new ClusterFleet(await startRedisCluster({ withReplica: true }));
  });
  afterAll(() => fleet?.end());

  it('leaves other accounts alone; its own are served from leases, and exactly again when it is back empty', async () => {
    const all = await fleet.start(3, { keyPrefix: 'empty:' });
    const [here, elsewhere] = [fleet.accountOn(1, 'here'), fleet.accountOn(2, 'elsewhere')];
    for (const account of [here, elsewhere]) expect(await tries(all, 9, () => requestOf(account))).toBe(9);
    await leasedBy(fleet, 3, `{${PARTITION_TAGS[partitionOf(here)]}}:empty:4:b:wallet:${here}`, 1);
    await fleet.cluster.kill(1);
    const alone = await tries(all, 150, () => requestOf(here));
    // All three together have a quarter of what was left.
    expect(alone).toBeGreaterThan(0);
    expect(alone).toBeLessThanOrEqual(24);
    expect(all[0]?.health().mode).toBe('degraded');
    expect(await tries(all, 150, () => requestOf(elsewhere))).toBe(91);
    await fleet.cluster.start(1);
    await everybody(all, 'redis');
    expect(await heldOf(all[0] as Admission, here)).toBe(BigInt(9 + alone) * 10n);
    expect(9 + alone + (await tries(all, 150, () => requestOf(here)))).toBe(100);
  });

  it('is followed by its replica: what that did not hear of is told again before anybody is served', async () => {
    const all = await fleet.start(3, { keyPrefix: 'follow:' });
    const account = fleet.accountOn(0, 'followed');
    const counter = `{${PARTITION_TAGS[partitionOf(account)]}}:follow:4:b:wallet:${account}`;
    expect(await tries(all, 30, () => requestOf(account))).toBe(30);
    await leasedBy(fleet, 3, counter, 0);
    // The replica loses the link: what follows only the master knows.
    fleet.cluster.ask(NODES, 'config', 'set', 'masterauth', 'wrong');
    fleet.cluster.ask(0, 'config', 'set', 'requirepass', '');
    fleet.cluster.ask(0, 'client', 'kill', 'type', 'replica');
    fleet.cluster.ask(0, 'config', 'set', 'min-replicas-to-write', '0');
    const more = await tries(all, 20, () => requestOf(account));
    expect(more).toBe(20);
    await fleet.cluster.kill(0);
    await vi.waitFor(() => expect(fleet.cluster.nodeOf(counter)).toBe(NODES), WAIT_LIMITS);
    await everybody(all, 'redis');
    const rest = await tries(all, 150, () => requestOf(account, 10n, 100_000));
    expect(30 + more + rest).toBeLessThanOrEqual(100);
    expect(await heldOf(all[0] as Admission, account)).toBe(BigInt(30 + more + rest) * 10n);
  });
});

/** Waits until so many replicas have leased something of a budget, as lua/counters.lua keeps it. */
async function leasedBy(fleet: ClusterFleet, replicas: number, counter: string, node: number): Promise<void> {
  const redis = createRedis({ url: `redis://127.0.0.1:${fleet.cluster.ports[node]}` });
  await once(redis, 'ready');
  try {
    await vi.waitFor(async () => {
      const text = (await redis.getBuffer(counter)) ?? Buffer.alloc(40);
      const leases = Array.from({ length: (text.length - 40) / 36 }, (_, i) => text.readDoubleLE(40 + 36 * i + 28));
      expect(leases.filter((amount) => amount > 0).length).toBe(replicas);
    }, WAIT_LIMITS);
  } finally {
    redis.disconnect();
  }
}
