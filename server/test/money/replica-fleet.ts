/** Several replicas as processes on one PostgreSQL and one Redis, and the test's own look into the books. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { type Books, createLedger } from '../../src/ledger/index.ts';
import { type Database, openDatabase } from '../../src/platform/db/index.ts';
import { createRedis } from '../../src/platform/redis/index.ts';
import { type FakeVendor, startFakeVendor } from '../fake-vendor/index.ts';
import { defaultConfig } from '../harness/default-config.ts';
import { buildProgram, type Program, Replica } from '../harness/replica.ts';
import { eventually } from '../services/eventually.ts';
import { freePort } from '../services/free-port.ts';
import { type PostgresService, postgresMissing, startPostgres } from '../services/postgres.ts';
import { type RedisService, redisMissing, startRedis } from '../services/redis.ts';
import { recordedLog } from '../services/silent-log.ts';
import { startTcpLink, type TcpLink } from '../services/tcp-link.ts';

const MAX_ROUNDS = 6;
/** On a busy machine even a Redis that is there may answer later than the product waits for it. */
const REDIS_DEADLINE_MS = 5_000;

export interface ReplicaFleet {
  vendor: FakeVendor;
  postgres: PostgresService;
  redis: RedisService;
  replicas: Replica[];
  /** By replica; empty where none were asked for. */
  links: TcpLink[];
  /** A connection of the test's own. */
  db: Database;
  books: Books;
  end(): Promise<void>;
}

export interface FleetOptions {
  replicas: number;
  accounts: object[];
  settings?: object;
  /** Changes what the gateways are configured with otherwise. */
  configure?: (defaults: Record<string, unknown>) => Record<string, unknown>;
  /** Each replica reaches Redis by a wire of its own, which a test can cut. */
  linked?: boolean;
  /** Each replica listens on an address of its own, all on one port, which stays the same. */
  fixedPort?: boolean;
}

export function servicesMissing(): boolean {
  // Both are asked, so that both say what is missing.
  return [postgresMissing(), redisMissing()].includes(true);
}

export async function startFleet(options: FleetOptions): Promise<ReplicaFleet> {
  const { replicas: count, accounts, settings = {}, configure = (defaults) => defaults } = options;
  // First: sources that do not build must not leave services running.
  const program = await buildProgram();
  const [vendor, postgres, redis] = await Promise.all([startFakeVendor(), startPostgres(), startRedis()]);
  const folder = await mkdtemp(join(tmpdir(), 'dargah-fleet-'));
  const databaseUrl = await postgres.createDatabase();
  // Customers here ask on against an empty wallet; too many refusals in a minute would hide the 402 behind a 429.
  const unhidden = { refusals_per_minute: 1_000_000 };
  const defaults = configure(defaultConfig(vendor));
  const config = {
    ...defaults,
    settings: { ...(defaults['settings'] as object), ...unhidden, ...settings },
    accounts,
  };
  const { hostname: host, port } = new URL(redis.url);
  const links = await Promise.all(
    Array.from({ length: options.linked ? count : 0 }, () => startTcpLink({ host, port: Number(port) })),
  );
  const ownPort = options.fixedPort ? await freePort() : undefined;
  const replicas = Array.from({ length: count }, (_, i) => {
    const link = links[i];
    const redisUrl = link ? `redis://127.0.0.1:${link.port}` : redis.url;
    const dataDir = join(folder, `replica-${i}`);
    const listensOn = ownPort === undefined ? {} : { listensOn: { host: `127.0.0.${i + 1}`, port: ownPort } };
    const place = { dataDir, databaseUrl, redisUrl, ...listensOn };
    return new Replica({ program, config, ...place, redisDeadlineMs: REDIS_DEADLINE_MS });
  });
  const parts: Parts = { folder, program, replicas, links, vendor, postgres, redis };
  try {
    await Promise.all(replicas.map((replica) => replica.start()));
    parts.db = await openDatabase({ databaseUrl, dataDir: folder, log: recordedLog(), clock: systemClock });
    await everyReplicaIs(replicas, 'redis', count);
  } catch (error) {
    await end(parts);
    throw error;
  }
  const { db } = parts;
  const books = createLedger({ db, clock: systemClock });
  return { vendor, postgres, redis, replicas, links, db, books, end: () => end(parts) };
}

interface Parts extends Pick<ReplicaFleet, 'replicas' | 'links' | 'vendor' | 'postgres' | 'redis'> {
  db?: Database;
  folder: string;
  program: Program;
}

async function end({ folder, program, replicas, links, db, vendor, postgres, redis }: Parts): Promise<void> {
  redis.thaw();
  await Promise.all(replicas.map((replica) => replica.kill()));
  await Promise.all(links.map((link) => link.close()));
  await db?.close();
  await Promise.all([vendor.close(), postgres.remove(), redis.stop(), program.remove()]);
  await rm(folder, { recursive: true, force: true });
}

export interface Readiness {
  status: string;
  database: string;
  admission: { mode: string; replicas: number };
  journal: { depth: number; accepting: boolean };
}

export async function readinessOf(replica: Replica): Promise<Readiness> {
  return (await (await fetch(`${replica.origin}/readyz`)).json()) as Readiness;
}

/** Waits until all replicas know each other, or have noticed that Redis is away. */
export function everyReplicaIs(replicas: Replica[], mode: 'redis' | 'degraded', count?: number): Promise<void> {
  return eventually(async () => {
    for (const replica of replicas) {
      const { admission } = await readinessOf(replica);
      const right = admission.mode === mode && (count === undefined || admission.replicas === count);
      if (!right) throw new Error(`a replica says ${JSON.stringify(admission)}`);
    }
  });
}

/** Waits until no charge is on its way to the database any more. */
export function everythingPosted(replicas: Replica[]): Promise<void> {
  return eventually(async () => {
    for (const replica of replicas) {
      const { journal } = await readinessOf(replica);
      if (journal.depth > 0) throw new Error(`${journal.depth} records wait`);
    }
  });
}

/**
 * Waits until Redis counts a lease of so many replicas in an account's wallet, as lua/counters.lua keeps it. Only a wallet in
 * use is leased from, so `use` is called again when a slow machine took longer than a lease lasts.
 */
export async function walletLeased(
  { redis }: ReplicaFleet,
  account: string,
  replicas: number,
  use: () => Promise<unknown>,
): Promise<void> {
  const client = createRedis({ url: redis.url });
  await once(client, 'ready');
  const leased = async () => {
    const budget = (await client.getBuffer(`{dargah}:4:b:wallet:${account}`)) ?? Buffer.alloc(0);
    let leases = 0;
    for (let share = 40; share < budget.length; share += 36) if (budget.readDoubleLE(share + 28) > 0) leases++;
    expect(leases).toBeGreaterThanOrEqual(replicas);
  };
  try {
    for (let round = 1; ; round++) {
      await use();
      try {
        await vi.waitFor(leased, { timeout: 5_000, interval: 10 });
        return;
      } catch (error) {
        if (round === MAX_ROUNDS) throw error;
      }
    }
  } finally {
    client.disconnect();
  }
}
