/**
 * One of three replicas loses Redis and the other two do not: wallet, cap and rate hold over all three together, what the lost
 * one had leased comes back with it, and the books agree.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Replica } from '../harness/replica.ts';
import { eventually } from '../services/eventually.ts';
import { buyUntilRefused, type Purchase } from './customers.ts';
import { exactAnswer, keyView, tomanFor } from './fixed-price.ts';
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

const REPLICAS = 3;
const PAYS_FOR = 120;
const RPM = 120;
/** Each replica is used before the cut, or it would have leased nothing. */
const BEFORE = 4;

const account = (id: string, balance: number, rules: object = {}) => ({
  id,
  name: id,
  balance,
  keys: [{ id, key: `dg-${id}-key`, rules }],
});

describe.skipIf(servicesMissing())('one of three replicas is cut off from Redis', () => {
  let fleet: ReplicaFleet;
  beforeAll(async () => {
    fleet = await startFleet({
      replicas: REPLICAS,
      linked: true,
      accounts: [
        account('wallet-cut', tomanFor(PAYS_FOR)),
        account('wallet-silence', tomanFor(PAYS_FOR)),
        account('parted-cap', 1_000_000, { caps: { daily: tomanFor(PAYS_FOR) } }),
        account('parted-rate', 1_000_000, { rpm: RPM }),
      ],
    });
    fleet.vendor.always(exactAnswer());
  }, 300_000);
  afterAll(() => fleet?.end());

  const wholeOf = (purchases: Purchase[]) => purchases.filter(({ whole }) => whole).length;

  /** All that was bought, before, during and after the partition, each time until nothing more is given; at last `enough`. */
  async function part(id: string, how: 'cut' | 'silence', enough: number): Promise<Purchase[]> {
    const key = `dg-${id}-key`;
    const [first, lost, third] = fleet.replicas as [Replica, Replica, Replica];
    const purchases: Purchase[] = [];
    await walletLeased(fleet, id, REPLICAS, async () => {
      for (const { origin } of fleet.replicas) purchases.push(...(await buyUntilRefused(origin, key, BEFORE)));
    });
    expect(wholeOf(purchases)).toBe(purchases.length);
    fleet.links[1]?.[how]();
    await eventually(async () => expect((await readinessOf(lost)).admission.mode).toBe('degraded'));
    const alone = await buyUntilRefused(lost.origin, key, PAYS_FOR);
    expect(wholeOf(alone)).toBeGreaterThan(0);
    expect(wholeOf(alone)).toBeLessThan(PAYS_FOR / 4);
    purchases.push(...alone);
    for (const { origin } of [first, third]) purchases.push(...(await buyUntilRefused(origin, key, PAYS_FOR)));
    fleet.links[1]?.mend();
    await everyReplicaIs(fleet.replicas, 'redis', REPLICAS);
    // On a busy machine a replica may lose Redis once more: it says 503 then, or its lease is missing for a moment.
    await eventually(async () => {
      const again: Purchase[] = [];
      for (const { origin } of fleet.replicas) {
        const bought = await buyUntilRefused(origin, key, PAYS_FOR);
        purchases.push(...bought);
        again.push(...bought.slice(-1));
      }
      expect(again.map(({ status }) => status)).not.toContain(503);
      expect(wholeOf(purchases)).toBeGreaterThanOrEqual(enough);
    });
    await everythingPosted(fleet.replicas);
    await proveCharges(fleet.db, purchases);
    await proveAudit(fleet.books);
    return purchases;
  }

  it.each(['cut', 'silence'] as const)(
    '%s: the wallet pays for exactly what is in it',
    {
      timeout: 300_000,
    },
    async (how) => {
      const purchases = await part(`wallet-${how}`, how, PAYS_FOR);
      expect(wholeOf(purchases)).toBe(PAYS_FOR);
      for (const { whole, status } of purchases) expect(whole ? 200 : status).toBeOneOf([200, 402, 503]);
      for (const { origin } of fleet.replicas) {
        await eventually(async () => {
          const { wallet } = await keyView(origin, `dg-wallet-${how}-key`);
          expect(wallet).toEqual({ balance: '0', held: '0', available: '0' });
        });
      }
    },
  );

  it('the cap is spent to its end and not passed', { timeout: 300_000 }, async () => {
    expect(wholeOf(await part('parted-cap', 'cut', PAYS_FOR))).toBe(PAYS_FOR);
  });

  it('the rate admits no more than its limit in a minute', { timeout: 300_000 }, async () => {
    const purchases = await part('parted-rate', 'cut', 0);
    for (const { whole, status } of purchases) expect(whole ? 200 : status).toBeOneOf([200, 429, 503]);
    const [row] = await fleet.db.query<{ most: bigint }>(
      `select max(together) as most from (
         select count(*) over (order by created_at range between current row and interval '59 seconds' following) as together
           from request_log where key_id = 'parted-rate' and state = 'completed') spans`,
    );
    expect(Number(row?.most)).toBeLessThanOrEqual(RPM);
  });
});
