/**
 * Replicas that die at random moments around taking, settling, posting and beating, on a real Redis: nothing they charged is
 * spent a second time, and nothing is locked once they are back.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Admission } from '../../src/admission/index.ts';
import { money } from '../../src/core/money.ts';
import { redisMissing, startRedis } from '../services/redis.ts';
import { type Chance, seeded } from '../simulation/seeded.ts';
import { request, wallet } from './check-fixtures.ts';
import { everybody, Fleet, WAIT_LIMITS } from './fleet.ts';
import { HandClock } from './hand-clock.ts';

const DEATHS = 50;
const SEED = 20_261_117;
const WALLET = 3_000n;
const HELD = 100n;
const HEARTBEAT_MS = 10_000;
/** Taken, journaled, settled, and a share of postings and heartbeats. */
const MOMENTS_PER_REQUEST = 5;

class Killed extends Error {}

/** A replica's process on paper: the journal is what it leaves behind. */
class PaperReplica {
  readonly admission: Admission;
  readonly #world: World;
  readonly #client: number;
  journal: bigint[];
  #dead = false;
  #momentsLeft = Number.POSITIVE_INFINITY;

  constructor(world: World, replicaId: string, journal: bigint[] = []) {
    this.#world = world;
    this.#client = world.fleet.clients.length;
    this.journal = journal;
    const { clock } = world;
    this.admission = world.fleet.launch({ replicaId, clock, time: 'given', heartbeatMs: HEARTBEAT_MS });
  }

  diesAfter(moments: number): void {
    this.#momentsLeft = moments;
  }

  /** Everything between two of these happens, or nothing of it. A few turns of the event loop may pass. */
  async #moment(): Promise<void> {
    for (let turns = this.#world.chance.below(4); turns > 0; turns--) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#dead) throw new Killed();
    }
    if (--this.#momentsLeft <= 0) this.kill();
    if (this.#dead) throw new Killed();
  }

  kill(): void {
    if (this.#dead) return;
    this.#dead = true;
    // What is in the socket may arrive or not; nothing follows it.
    this.#world.fleet.clients[this.#client]?.disconnect();
  }

  /** False when the wallet refused it. */
  async serve(budget: string): Promise<boolean> {
    const reserved = await this.admission.reserve(request([wallet(budget)], HELD));
    if (!reserved.ok) return false;
    await this.#moment();
    const cost = HELD - BigInt(this.#world.chance.below(40));
    this.journal.push(cost);
    await this.#moment();
    this.admission.settle(reserved.hold, { spent: money(cost), tokens: undefined });
    await this.#moment();
    return true;
  }

  /** As the poster does: the ledger, the journal's mark, then admission. */
  async post(budget: string): Promise<void> {
    const batch = this.journal.reduce((sum, cost) => sum + cost, 0n);
    if (batch === 0n) return;
    const { posted, version } = this.#world.post(budget, batch);
    this.journal = [];
    await this.#moment();
    const update = { budget: `wallet:${budget}`, posted: money(posted), version, release: money(batch) };
    this.admission.posted([update]);
    await this.#moment();
  }

  async heartbeat(): Promise<void> {
    await this.admission.replicas();
    await this.#moment();
  }
}

class World {
  readonly fleet: Fleet;
  readonly clock = new HandClock();
  readonly chance: Chance;

  constructor(fleet: Fleet, chance: Chance) {
    this.fleet = fleet;
    this.chance = chance;
  }

  post(budget: string, amount: bigint): { posted: bigint; version: bigint } {
    const { ledger } = this.fleet;
    const before = ledger.rows.get(`wallet:${budget}`) ?? { posted: 0n, version: 0n };
    const after = { posted: before.posted + amount, version: before.version + 1n };
    ledger.write(`wallet:${budget}`, after.posted, after.version);
    return after;
  }

  /** What the ledger has booked and what waits in journals, of dead replicas too. */
  spent(budget: string, replicas: PaperReplica[]): bigint {
    const booked = WALLET + (this.fleet.ledger.rows.get(`wallet:${budget}`)?.posted ?? 0n);
    return replicas.reduce((sum, { journal }) => sum + journal.reduce((all, cost) => all + cost, 0n), booked);
  }
}

/** What the victim does until it is killed: requests at once, postings and heartbeats between them. */
async function liveUntilKilled(victim: PaperReplica, budget: string, requests: number): Promise<void> {
  const deeds = Array.from({ length: requests }, async (_, i) => {
    await victim.serve(budget);
    if (i % 3 === 0) await victim.post(budget);
    if (i % 4 === 0) await victim.heartbeat();
  });
  for (const { status, reason } of (await Promise.allSettled(deeds)) as PromiseRejectedResult[])
    if (status === 'rejected' && !(reason instanceof Killed)) throw reason;
  victim.kill();
}

async function spendAll(replicas: PaperReplica[], budget: string): Promise<void> {
  const going = replicas.map(async (replica) => {
    while (await replica.serve(budget)) if (replica.journal.length > 4) await replica.post(budget);
    await replica.post(budget);
  });
  await Promise.all(going);
}

/** Heartbeats of the survivors go on; that of the dead ends. */
async function heartbeatsEnd(world: World, survivors: PaperReplica[]): Promise<void> {
  for (let halves = 0; halves < 3; halves++) {
    world.clock.advance(HEARTBEAT_MS * 0.6);
    for (const survivor of survivors) await survivor.heartbeat();
  }
  await vi.waitFor(() => {
    for (const { admission } of survivors) expect(admission.health()).toEqual({ mode: 'redis', replicas: 2 });
  }, WAIT_LIMITS);
}

describe.skipIf(redisMissing())(`${DEATHS} deaths of replicas`, () => {
  let world: World;
  beforeAll(async () => {
    world = new World(new Fleet(await startRedis()), seeded(SEED));
  });
  afterAll(() => world?.fleet.end());

  it('overspend nothing and lock nothing', { timeout: 600_000 }, async () => {
    const { chance } = world;
    const survivors = [new PaperReplica(world, 'first'), new PaperReplica(world, 'second')];
    let victim = new PaperReplica(world, 'victim');
    let chargedBeforePosted = 0;
    for (let death = 0; death < DEATHS; death++) {
      const budget = `a${death}`;
      world.fleet.ledger.write(`wallet:${budget}`, -WALLET);
      await everybody(
        [...survivors, victim].map(({ admission }) => admission),
        'redis',
      );
      for (const survivor of survivors) await survivor.serve(budget);
      const requests = 1 + chance.below(12);
      victim.diesAfter(1 + chance.below(requests * MOMENTS_PER_REQUEST));
      await liveUntilKilled(victim, budget, requests);
      if (victim.journal.length > 0) chargedBeforePosted++;
      const back = chance.happens(70);
      if (back) {
        await heartbeatsEnd(world, survivors);
        await spendAll(survivors, budget);
        expect(world.spent(budget, [...survivors, victim]), `death ${death}`).toBeLessThanOrEqual(WALLET);
      }
      // It starts again on the same directory: its journal is posted before anything else.
      victim = new PaperReplica(world, 'victim', victim.journal);
      await everybody([victim.admission], 'redis');
      await victim.post(budget);
      await victim.admission.recovered();
      await spendAll([...survivors, victim], budget);
      expect(world.spent(budget, [...survivors, victim]), `death ${death}`).toBeLessThanOrEqual(WALLET);
      await vi.waitFor(async () => {
        const state = (await survivors[0]?.admission.budgets([wallet(budget)]))?.get(`wallet:${budget}`);
        expect(state?.held).toBe(0n);
        // Whoever was refused while another still held more than it then spent does not ask again.
        expect(-(state?.posted ?? 0n)).toBeLessThan(3n * HELD);
      }, WAIT_LIMITS);
    }
    // The moments were those that matter: many died with charges that only their journal had.
    expect(chargedBeforePosted).toBeGreaterThan(DEATHS / 4);
  });
});
