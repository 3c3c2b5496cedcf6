/** PostgreSQL and Redis go away under load and come back: requests go on, no charge is lost, nobody is restarted. */
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { createKeyService, type KeyService } from '../../src/keys/index.ts';
import { amount } from '../harness/long.ts';
import type { Replica } from '../harness/replica.ts';
import { eventually } from '../services/eventually.ts';
import { buyUntilRefused, Customers, type Purchase } from './customers.ts';
import { ask, exactAnswer, keyView, tomanFor } from './fixed-price.ts';
import { proveAudit, proveCharges } from './prove-books.ts';
import {
  everyReplicaIs,
  everythingPosted,
  type ReplicaFleet,
  readinessOf,
  servicesMissing,
  startFleet,
  walletLeased,
} from './replica-fleet.ts';

/** In every run but the long one a few seconds prove the same. */
const OUTAGE_MS = amount(2_500, 30_000);
const CUSTOMERS = 4;
/** Enough that something of it is leased, little enough that it is empty soon. */
const THIN = 150;

const account = (id: string, balance: number) => ({
  id,
  name: id,
  balance,
  keys: [{ id, key: `dg-${id}-key` }],
});

describe.skipIf(servicesMissing())('outages under load', () => {
  let fleet: ReplicaFleet;
  beforeAll(async () => {
    fleet = await startFleet({
      replicas: 2,
      accounts: [
        account('no-postgres', 1_000_000),
        account('no-redis', tomanFor(THIN)),
        account('frozen-redis', 1_000_000),
        account('paused', 1_000),
      ],
    });
    fleet.vendor.always(exactAnswer());
  });
  afterEach(async () => {
    await everythingPosted(fleet.replicas);
    await proveAudit(fleet.books);
  });
  afterAll(() => fleet?.end());

  const customersOf = (key: string) =>
    new Customers({
      origin: (customer) => (fleet.replicas[customer % fleet.replicas.length] as Replica).origin,
      key,
      count: CUSTOMERS,
    });
  const more = (customers: Customers, count: number) => {
    const wanted = customers.answered + count;
    return eventually(() => expect(customers.answered).toBeGreaterThanOrEqual(wanted));
  };

  it('PostgreSQL stops: known keys are served as ever, and every charge arrives later', {
    timeout: 120_000,
  }, async () => {
    const customers = customersOf('dg-no-postgres-key');
    await more(customers, 20);
    await fleet.postgres.stop();
    const stoppedAt = systemClock.monotonicMs();
    await more(customers, 20);
    await eventually(async () =>
      expect((await readinessOf(fleet.replicas[0] as Replica)).database).toBe('unreachable'),
    );
    await eventuallyPassed(stoppedAt + OUTAGE_MS);
    await fleet.postgres.start();
    await more(customers, 20);
    const purchases = await customers.stop();
    expect(purchases.filter((purchase) => !purchase.whole)).toEqual([]);
    await everythingPosted(fleet.replicas);
    await proveCharges(fleet.db, purchases);
  });

  it('Redis dies and comes back empty: the wallet is not overspent, and nobody is restarted', {
    timeout: 120_000,
  }, async () => {
    const key = 'dg-no-redis-key';
    const purchases: Purchase[] = [];
    const buyEverywhere = async (max: number) => {
      for (const { origin } of fleet.replicas) purchases.push(...(await buyUntilRefused(origin, key, max)));
      return purchases.filter(({ whole }) => whole).length;
    };
    let before = 0;
    await walletLeased(fleet, 'no-redis', fleet.replicas.length, async () => {
      before = await buyEverywhere(before === 0 ? 10 : 2);
    });
    await fleet.redis.kill();
    await everyReplicaIs(fleet.replicas, 'degraded');
    // From what they had leased; then they say that they cannot know.
    expect(await buyEverywhere(THIN)).toBeGreaterThan(before);
    expect(purchases.at(-1)?.status).toBe(503);
    await fleet.redis.start();
    await everyReplicaIs(fleet.replicas, 'redis', fleet.replicas.length);
    // On until the wallet is empty: what went wrong would show as more or fewer answers than it paid for. On a busy machine a
    // replica may lose Redis once more and say 503; nobody stops at that.
    await eventually(async () => expect(await buyEverywhere(THIN)).toBe(THIN));
    expect(purchases.at(-1)?.status).toBe(402);
    for (const { status, whole } of purchases) expect(whole ? 200 : status).toBeOneOf([200, 402, 503]);
    await everythingPosted(fleet.replicas);
    await proveCharges(fleet.db, purchases);
  });

  it('Redis is silent: requests go on from leases and nobody waits for it', { timeout: 120_000 }, async () => {
    const customers = customersOf('dg-frozen-redis-key');
    await walletLeased(fleet, 'frozen-redis', fleet.replicas.length, () => more(customers, 20));
    fleet.redis.freeze();
    await everyReplicaIs(fleet.replicas, 'degraded');
    await more(customers, 40);
    fleet.redis.thaw();
    await everyReplicaIs(fleet.replicas, 'redis', fleet.replicas.length);
    await more(customers, 20);
    const purchases = await customers.stop();
    expect(purchases.filter((purchase) => !purchase.whole)).toEqual([]);
    await everythingPosted(fleet.replicas);
    await proveCharges(fleet.db, purchases);
    await eventually(async () => {
      const { wallet } = await keyView((fleet.replicas[0] as Replica).origin, 'dg-frozen-redis-key');
      expect(wallet.held).toBe('0');
    });
  });

  const REFUSALS: [string, number, (keys: KeyService, id: string) => Promise<unknown>][] = [
    ['paused', 403, (keys, id) => keys.pause(id, true, 'test')],
    [
      'changed so that it may not do this',
      403,
      (keys, id) => keys.update(id, { rules: { endpoints: ['models'] } }, 'test'),
    ],
    ['revoked', 401, (keys, id) => keys.revoke(id, 'test')],
  ];
  it.each(REFUSALS)('a key %s anywhere is refused everywhere within a second', async (_what, status, withdraw) => {
    const keys = createKeyService({ db: fleet.db, clock: systemClock, randomBytes });
    const tookMs: number[] = [];
    for (let time = 0; time < 3; time++) {
      const { key, text } = await keys.create({ accountId: 'paused', name: 'to be withdrawn' }, 'test');
      for (const { origin } of fleet.replicas) expect((await ask(origin, text)).status).toBe(200);
      await withdraw(keys, key.id);
      const withdrawnAt = systemClock.monotonicMs();
      for (const { origin } of fleet.replicas) {
        await eventually(async () => expect((await ask(origin, text)).status).toBe(status));
      }
      tookMs.push(systemClock.monotonicMs() - withdrawnAt);
    }
    // A machine that is busy with something else only adds to it: the quickest tells how long we take.
    expect(Math.min(...tookMs)).toBeLessThan(1_000);
  });
});

/** An outage has a length; nothing else in these tests waits for the clock. */
function eventuallyPassed(instantMs: number): Promise<void> {
  const leftMs = Math.max(0, instantMs - systemClock.monotonicMs());
  return new Promise((resolve) => setTimeout(resolve, leftMs));
}
