/** Several replicas of admission on one Redis of their own, for tests that hurt it. */
import { once } from 'node:events';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import {
  type Admission,
  AdmissionUnavailable,
  createRedisAdmission,
  type ReserveRequest,
  type ReserveResult,
} from '../../src/admission/index.ts';
import type { RedisAdmissionOptions } from '../../src/admission/redis/options.ts';
import { systemClock } from '../../src/core/clock.ts';
import { createRedis, type RedisClient } from '../../src/platform/redis/index.ts';
import { type RedisService, startRedis } from '../services/redis.ts';
import { wallet } from './check-fixtures.ts';
import { PaperLedger } from './paper-ledger.ts';

/** Long enough for a busy machine; every wait ends as soon as its condition holds. */
export const WAIT_LIMITS = { timeout: 60_000, interval: 10 };

export class Fleet {
  readonly service: RedisService;
  readonly ledger = new PaperLedger();
  readonly clients: RedisClient[] = [];
  readonly #admissions: Admission[] = [];

  constructor(service: RedisService) {
    this.service = service;
  }

  /** One more replica, as it is right after its start. */
  launch(options: Partial<RedisAdmissionOptions> = {}): Admission {
    const redis = options.redis ?? createRedis({ url: this.service.url });
    const admission = createRedisAdmission({
      redis,
      clock: systemClock,
      replicaId: `replica-${this.clients.length}`,
      loadPosted: this.ledger.load,
      heartbeatEveryMs: 50,
      // A busy machine is not a slow Redis.
      deadlineMs: 5_000,
      settleMs: 1_500,
      ...options,
    });
    this.clients.push(redis);
    this.#admissions.push(admission);
    return admission;
  }

  /** Replicas that all know of each other. */
  async start(count: number, options: Partial<RedisAdmissionOptions> = {}): Promise<Admission[]> {
    const all = Array.from({ length: count }, () => this.launch(options));
    await vi.waitFor(() => {
      for (const one of all) expect(one.health()).toEqual({ mode: 'redis', replicas: count });
    }, WAIT_LIMITS);
    return all;
  }

  async end(): Promise<void> {
    this.service.thaw();
    await Promise.all(this.#admissions.map((admission) => admission.close()));
    await this.service.stop();
  }
}

/** A fresh fleet for every test. */
export function eachWithFleet(): () => Fleet {
  let fleet: Fleet | undefined;
  beforeEach(async () => {
    fleet = new Fleet(await startRedis());
  });
  afterEach(() => fleet?.end());
  return () => {
    if (fleet === undefined) throw new Error('no test is running');
    return fleet;
  };
}

export function everybody(all: Admission[], mode: 'redis' | 'degraded'): Promise<void> {
  return vi.waitFor(() => {
    for (const one of all) expect(one.health().mode).toBe(mode);
  }, WAIT_LIMITS);
}

export function spread(all: Admission[], count: number, make: () => ReserveRequest): Promise<ReserveResult[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => (all[i % all.length] as Admission).reserve(make())));
}

/** What all living replicas hold of `wallet:a`, as this one sees it. */
export async function held(admission: Admission): Promise<bigint> {
  return (await admission.budgets([wallet('a')])).get('wallet:a')?.held ?? -1n;
}

/** Undefined when what was leased is spent. */
export async function orUnavailable(reserved: ReturnType<Admission['reserve']>): Promise<ReserveResult | undefined> {
  try {
    return await reserved;
  } catch (error) {
    expect(error).toBeInstanceOf(AdmissionUnavailable);
    return undefined;
  }
}

/** Waits until Redis counts a lease of each of these replicas in a counter; what they have is in no answer of theirs. */
export function leased(fleet: Fleet, all: Admission[], counter: string): Promise<void> {
  return vi.waitFor(async () => expect((await leasesOf(fleet, counter)).length).toBe(all.length), WAIT_LIMITS);
}

/** As Redis keeps them: see lua/counters.lua. */
export async function leasesOf({ service }: Fleet, counter: string): Promise<number[]> {
  const isWindow = counter.startsWith('rpm:') || counter.startsWith('tpm:');
  const redis = createRedis({ url: service.url });
  await once(redis, 'ready');
  try {
    const text = await redis.getBuffer(`{dargah}:4:${isWindow ? 'w' : 'b'}:${counter}`);
    if (text === null) return [];
    const leases: number[] = [];
    const count = isWindow ? text.readDoubleLE(56) : (text.length - 40) / 36;
    for (let i = 0; i < count; i++) leases.push(text.readDoubleLE(isWindow ? 64 + 20 * i + 12 : 40 + 36 * i + 28));
    return leases.filter((amount) => amount > 0);
  } finally {
    redis.disconnect();
  }
}
