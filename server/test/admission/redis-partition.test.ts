/**
 * One of three replicas is cut off from Redis and the others are not. It spends what it had leased before; nobody spends that
 * again, nothing is lost of it, and while Redis answers nobody is refused for it.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Admission, Hold, ReserveRequest } from '../../src/admission/index.ts';
import { money } from '../../src/core/money.ts';
import { createRedis } from '../../src/platform/redis/index.ts';
import { redisMissing, startRedis } from '../services/redis.ts';
import { startTcpLink, type TcpLink } from '../services/tcp-link.ts';
import { seeded } from '../simulation/seeded.ts';
import { cap, request, requests, tokens, wallet } from './check-fixtures.ts';
import { everybody, Fleet, held, leased, leasesOf, orUnavailable, WAIT_LIMITS } from './fleet.ts';
import { HandClock } from './hand-clock.ts';

const REPLICAS = 3;

describe.skipIf(redisMissing())('a replica cut off from Redis', () => {
  let fleet: Fleet;
  let links: TcpLink[];
  beforeEach(async () => {
    const service = await startRedis();
    const { hostname: host, port } = new URL(service.url);
    links = await Promise.all(Array.from({ length: REPLICAS }, () => startTcpLink({ host, port: Number(port) })));
    fleet = new Fleet(service);
  });
  afterEach(async () => {
    await fleet.end();
    await Promise.all(links.map((link) => link.close()));
  });

  async function start(options: Parameters<Fleet['launch']>[0] = {}): Promise<Admission[]> {
    const all = links.map(({ port }) =>
      fleet.launch({
        redis: createRedis({ url: `redis://127.0.0.1:${port}` }),
        // Nobody is taken for dead because the machine is busy, unless a test is about that.
        heartbeatMs: 3_600_000,
        leaseWaitMs: 3_000,
        ...options,
      }),
    );
    await vi.waitFor(() => {
      for (const one of all) expect(one.health()).toEqual({ mode: 'redis', replicas: REPLICAS });
    }, WAIT_LIMITS);
    return all;
  }

  it.each(['cut', 'silence'] as const)(
    'by a %s wire spends its lease; all together exactly what there is',
    async (how) => {
      fleet.ledger.write('wallet:a', -1_000n);
      const all = await start({ deadlineMs: 1_000 });
      const [first, ...others] = all as [Admission, ...Admission[]];
      const make = () => request([requests('k', 1_000), cap('c', 2_000n), wallet('a')], 10n);
      for (const one of all) expect(await tries(one, 1, make)).toBe(1);
      for (const counter of ['wallet:a', 'rpm:k', cap('c', 0n).id]) await leased(fleet, all, counter);
      links[0]?.[how]();
      const alone = await tries(first, 60, make);
      expect(first.health().mode).toBe('degraded');
      // A twelfth of what was left, and not one request more.
      expect(alone).toBeGreaterThanOrEqual(6);
      expect(alone).toBeLessThanOrEqual(8);
      expect(await tries(others[0] as Admission, 60, make)).toBe(60);
      const rest = await tries(others[1] as Admission, 60, make);
      expect(3 + alone + 60 + rest).toBeLessThanOrEqual(100);
      links[0]?.mend();
      await everybody(all, 'redis');
      // Back again, nothing of its lease is lost.
      await vi.waitFor(async () => {
        for (const one of all) expect(await held(one)).toBe(BigInt(3 + alone + 60 + rest) * 10n);
      }, WAIT_LIMITS);
      expect(3 + alone + 60 + rest + (await tries(first, 60, make))).toBe(100);
    },
  );

  it('keeps rates: no window admits more than its limit, whoever is cut off', async () => {
    const all = await start();
    const make = () => request([requests('k', 120), tokens('k', 60_000, 100)]);
    for (const one of all) expect(await tries(one, 3, make)).toBe(3);
    for (const counter of ['rpm:k', 'tpm:k']) await leased(fleet, all, counter);
    links[1]?.cut();
    const alone = await tries(all[1] as Admission, 120, make);
    expect(alone).toBeGreaterThan(0);
    let total = 9 + alone;
    for (const one of [all[0], all[2]]) total += await tries(one as Admission, 120, make);
    expect(total).toBeLessThanOrEqual(120);
    links[1]?.mend();
    await everybody(all, 'redis');
    expect(total + (await tries(all[1] as Admission, 120, make))).toBe(120);
  });

  it('is not the reason for a refusal while all are there: what is leased comes back', async () => {
    fleet.ledger.write('wallet:a', -1_000n);
    const all = await start();
    const make = () => request([requests('k', 200), wallet('a')], 10n);
    for (const one of all) expect(await tries(one, 1, make)).toBe(1);
    await leased(fleet, all, 'wallet:a');
    // One request that needs nearly all of it, and then one that needs the rest.
    expect((await all[0]?.reserve(request([wallet('a')], 900n)))?.ok).toBe(true);
    expect((await all[1]?.reserve(request([wallet('a')], 70n)))?.ok).toBe(true);
    expect((await all[2]?.reserve(request([wallet('a')], 1n)))?.ok).toBe(false);
    await vi.waitFor(async () => expect(await leasesOf(fleet, 'wallet:a')).toEqual([]), WAIT_LIMITS);
    const results = await Promise.all(
      Array.from({ length: 300 }, (_, i) => (all[i % REPLICAS] as Admission).reserve(request([requests('k', 200)]))),
    );
    expect(results.filter(({ ok }) => ok)).toHaveLength(200 - 3);
  });

  it('has no lease where little is left, and none of what it no longer uses', async () => {
    const clock = new HandClock();
    fleet.ledger.write('wallet:a', -1_000n);
    fleet.ledger.write('wallet:poor', -300n);
    const all = await start({ clock, time: 'given' });
    for (const one of all) {
      expect(await tries(one, 1, () => request([wallet('a')], 10n))).toBe(1);
      expect(await tries(one, 1, () => request([wallet('poor')], 10n))).toBe(1);
    }
    await leased(fleet, all, 'wallet:a');
    expect(await leasesOf(fleet, 'wallet:poor')).toEqual([]);
    clock.advance(60_000);
    await vi.waitFor(async () => expect(await leasesOf(fleet, 'wallet:a')).toEqual([]), WAIT_LIMITS);
  });

  it('has what still runs counted beside its lease when its heartbeat has ended', async () => {
    fleet.ledger.write('wallet:a', -1_000n);
    const all = await start({ heartbeatMs: 2_000 });
    const [first, second] = all as [Admission, Admission, Admission];
    const running = await first.reserve(request([wallet('a')], 50n));
    expect(running.ok).toBe(true);
    for (const one of all) expect(await tries(one, 1, () => request([wallet('a')], 1n))).toBe(1);
    await leased(fleet, all, 'wallet:a');
    links[0]?.cut();
    await vi.waitFor(() => expect(second.health().replicas).toBe(2), WAIT_LIMITS);
    const alone = await tries(first, 100, () => request([wallet('a')], 1n));
    let rest = 0;
    for (const one of [all[1], all[2]]) rest += await tries(one as Admission, 1_000, () => request([wallet('a')], 1n));
    expect(50 + 3 + alone + rest).toBeLessThanOrEqual(1_000);
  });

  it.each([1, 2, 3, 4])(
    'never passes the wallet in a random history of partitions, and loses nothing of it (%i)',
    async (seed) => {
      const chance = seeded(seed);
      fleet.ledger.write('wallet:a', -20_000n);
      const all = await start({ deadlineMs: 300 });
      const books = new Bookkeeping(all, fleet);
      for (let step = 0; step < 260; step++) {
        const at = chance.below(REPLICAS);
        const act = chance.below(100);
        if (act < 55) await books.reserve(at, BigInt(10 + chance.below(90)));
        else if (act < 75) books.settle(chance.below(1_000));
        else if (act < 88) books.post(chance.below(1_000));
        else if (act < 92) links[at]?.[chance.pick(['cut', 'silence'] as const)]();
        else links[at]?.mend();
        expect(books.gone).toBeLessThanOrEqual(20_000n);
      }
      for (const link of links) link.mend();
      await everybody(all, 'redis');
      await vi.waitFor(async () => expect(await held(all[0] as Admission)).toBe(books.outstanding), WAIT_LIMITS);
      // The last toman can be spent, and no other.
      const left = 20_000n - books.gone;
      expect((await all[chance.below(REPLICAS)]?.reserve(request([wallet('a')], left + 1n)))?.ok).toBe(false);
      if (left > 0n) expect((await all[chance.below(REPLICAS)]?.reserve(request([wallet('a')], left)))?.ok).toBe(true);
    },
    120_000,
  );
});

/** How many takes, at most so many, were admitted until one was refused or met a spent lease. */
async function tries(one: Admission, count: number, make: () => ReserveRequest): Promise<number> {
  let admitted = 0;
  while (admitted < count && (await orUnavailable(one.reserve(make())))?.ok) admitted++;
  return admitted;
}

/** What was really held, spent and posted, whatever any replica believes. */
class Bookkeeping {
  readonly #all: Admission[];
  readonly #fleet: Fleet;
  readonly #running: { one: Admission; hold: Hold }[] = [];
  readonly #unposted: { one: Admission; spent: bigint }[] = [];
  #posted = 0n;

  constructor(all: Admission[], fleet: Fleet) {
    this.#all = all;
    this.#fleet = fleet;
  }

  get outstanding(): bigint {
    const held = this.#running.reduce((sum, { hold }) => sum + hold.amount, 0n);
    return this.#unposted.reduce((sum, { spent }) => sum + spent, held);
  }

  get gone(): bigint {
    return this.outstanding + this.#posted;
  }

  async reserve(at: number, amount: bigint): Promise<void> {
    const one = this.#all[at] as Admission;
    const result = await orUnavailable(one.reserve(request([wallet('a')], amount, 5n)));
    if (result?.ok) this.#running.push({ one, hold: result.hold });
  }

  settle(which: number): void {
    const [ended] = this.#running.splice(which % Math.max(1, this.#running.length), 1);
    if (ended === undefined) return;
    const spent = ended.hold.amount / BigInt(1 + (which % 3));
    ended.one.settle(ended.hold, { spent: money(spent), tokens: undefined });
    this.#unposted.push({ one: ended.one, spent });
  }

  post(which: number): void {
    const [charge] = this.#unposted.splice(which % Math.max(1, this.#unposted.length), 1);
    if (charge === undefined) return;
    this.#posted += charge.spent;
    const version = (this.#fleet.ledger.rows.get('wallet:a')?.version ?? 0n) + 1n;
    const posted = this.#posted - 20_000n;
    this.#fleet.ledger.write('wallet:a', posted, version);
    charge.one.posted([{ budget: 'wallet:a', posted: money(posted), version, release: money(charge.spent) }]);
  }
}
