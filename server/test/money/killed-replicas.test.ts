/** kill -9 at random moments under load, ten of them, thirty in the long run: no answer without its charge, no charge twice, no hold left behind. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amount } from '../harness/long.ts';
import type { Replica } from '../harness/replica.ts';
import { seeded } from '../simulation/seeded.ts';
import { Customers, type Moment } from './customers.ts';
import { exactAnswer } from './fixed-price.ts';
import { proveAudit, proveCharges, proveNothingHeld } from './prove-books.ts';
import { everythingPosted, type ReplicaFleet, servicesMissing, startFleet } from './replica-fleet.ts';

const KILLS = amount(10, 30);
const SEED = 20_261_115;
const OPENING = 1_000_000;
const KEY = 'dg-survivor';

describe.skipIf(servicesMissing())('kill -9 under load', () => {
  let fleet: ReplicaFleet;
  beforeAll(async () => {
    fleet = await startFleet({
      replicas: 2,
      accounts: [{ id: 'survivor', name: 'Survivor', balance: OPENING, keys: [{ id: 'survivor', key: KEY }] }],
    });
    fleet.vendor.always(exactAnswer());
  });
  afterAll(() => fleet?.end());

  it(`${KILLS} times, restarted each time`, { timeout: 1_800_000 }, async () => {
    const chance = seeded(SEED);
    const moments = new Countdown();
    const customers = new Customers({
      origin: (customer) => (fleet.replicas[customer % fleet.replicas.length] as Replica).origin,
      key: KEY,
      count: 4,
      onMoment: (moment) => moments.pass(moment),
    });
    for (let kill = 0; kill < KILLS; kill++) {
      const victim = chance.pick(fleet.replicas);
      await moments.after(1 + chance.below(25), chance.pick(['asked', 'headers', 'answered']));
      await victim.kill();
      await victim.start();
    }
    const purchases = await customers.stop();
    await everythingPosted(fleet.replicas);
    await proveCharges(fleet.db, purchases);
    await proveNothingHeld(
      fleet.db,
      fleet.replicas.map((replica) => replica.origin),
      KEY,
      OPENING,
    );
    await proveAudit(fleet.books);
    // The load was real, and the kills hit it.
    expect(customers.answered).toBeGreaterThan(KILLS);
    expect(purchases.some((purchase) => !purchase.whole)).toBe(true);
  });
});

/** Resolves when a moment of the chosen kind has passed so many times. */
class Countdown {
  #kind: Moment = 'asked';
  #left = 0;
  #resolve: () => void = () => undefined;

  after(count: number, kind: Moment): Promise<void> {
    this.#kind = kind;
    this.#left = count;
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  pass(moment: Moment): void {
    if (moment === this.#kind && --this.#left === 0) this.#resolve();
  }
}
