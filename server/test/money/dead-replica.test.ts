/**
 * A replica answers, is killed at once and stays dead beyond its heartbeat: a wallet for thirty answers gives no more than thirty,
 * and all of it can be spent when the replica is back. `DEATHS=50` is the whole; the moments come from a seed.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Replica } from '../harness/replica.ts';
import { eventually } from '../services/eventually.ts';
import { seeded } from '../simulation/seeded.ts';
import { ask, exactAnswer, keyView, tomanFor } from './fixed-price.ts';
import { proveAudit } from './prove-books.ts';
import { everyReplicaIs, everythingPosted, type ReplicaFleet, servicesMissing, startFleet } from './replica-fleet.ts';

const DEATHS = Number(process.env['DEATHS'] ?? 2);
const SEED = 20_261_117;
const ANSWERS = 30;
const AT_ONCE = 10;
const DEATH_MS = 300_000;
const keyOf = (death: number) => `dg-dead-${death}`;

describe.skipIf(servicesMissing())('a wallet whose replica dies', () => {
  let fleet: ReplicaFleet;
  beforeAll(async () => {
    const accounts = Array.from({ length: DEATHS }, (_, death) => ({
      id: `dead-${death}`,
      name: `Dead ${death}`,
      balance: tomanFor(ANSWERS),
      keys: [{ id: `dead-${death}`, key: keyOf(death) }],
    }));
    fleet = await startFleet({ replicas: 3, accounts });
    fleet.vendor.always(exactAnswer());
  }, 300_000);
  afterAll(() => fleet?.end());

  /** Whole answers; a request that breaks off with its replica is none. */
  async function askAtOnce(replica: Replica, key: string, onAnswered: () => void = () => undefined): Promise<number> {
    const asked = Array.from({ length: AT_ONCE }, async () => {
      try {
        const response = await ask(replica.origin, key);
        await response.text();
        if (response.status !== 200) return 0;
        onAnswered();
        return 1;
      } catch {
        return 0;
      }
    });
    return (await Promise.all(asked)).reduce<number>((sum, one) => sum + one, 0);
  }

  /** Until everybody is refused. */
  async function spendAll(replicas: Replica[], key: string): Promise<number> {
    let answered = 0;
    for (let more = 1; more > 0; answered += more) {
      const rounds = await Promise.all(replicas.map((replica) => askAtOnce(replica, key)));
      more = rounds.reduce((sum, one) => sum + one, 0);
    }
    return answered;
  }

  it(`gives no more than it has, in ${DEATHS} deaths`, { timeout: DEATHS * DEATH_MS }, async () => {
    const chance = seeded(SEED);
    for (let death = 0; death < DEATHS; death++) {
      const key = keyOf(death);
      const victim = chance.pick(fleet.replicas);
      const survivors = fleet.replicas.filter((replica) => replica !== victim);
      let left = 1 + chance.below(AT_ONCE);
      let killed: Promise<void> | undefined;
      let answered = await askAtOnce(victim, key, () => {
        if (--left === 0) killed = victim.kill();
      });
      await (killed ?? victim.kill());
      await everyReplicaIs(survivors, 'redis', survivors.length);
      answered += await spendAll(survivors, key);
      expect(answered, `death ${death}`).toBeLessThanOrEqual(ANSWERS);
      await victim.start();
      await everyReplicaIs(fleet.replicas, 'redis', fleet.replicas.length);
      await everythingPosted(fleet.replicas);
      answered += await spendAll(fleet.replicas, key);
      expect(answered, `death ${death}`).toBeLessThanOrEqual(ANSWERS);
      await everythingPosted(fleet.replicas);
      // What was charged for answers that broke off is the only thing missing, and nothing is held any more.
      await eventually(async () => {
        const { wallet } = await keyView(victim.origin, key);
        expect(wallet).toEqual({ balance: '0', held: '0', available: '0' });
      });
    }
    await proveAudit(fleet.books);
  });
});
