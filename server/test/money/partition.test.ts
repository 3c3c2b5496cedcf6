/**
 * One of three replicas loses Redis and the other two do not, under load: wallet, cap and rate hold over all three together,
 * what the lost one had leased comes back with it, and the books agree.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Replica } from '../harness/replica.ts';
import { eventually } from '../services/eventually.ts';
import { Customers } from './customers.ts';
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
const PAYS_FOR = 300;
const CAP_FOR = 240;
const RPM = 150;

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
        account('parted-wallet', tomanFor(PAYS_FOR)),
        account('parted-cap', 1_000_000, { caps: { daily: tomanFor(CAP_FOR) } }),
        account('parted-rate', 1_000_000, { rpm: RPM }),
      ],
    });
    fleet.vendor.always(exactAnswer());
  }, 300_000);
  afterAll(() => fleet?.end());

  const customersOf = (key: string) =>
    new Customers({
      origin: (customer) => (fleet.replicas[customer % REPLICAS] as Replica).origin,
      key,
      count: 2 * REPLICAS,
    });
  const refused = (customers: Customers, status: number) =>
    customers.purchases.filter((purchase) => purchase.status === status).length;

  /** Cut in the middle of the load and mended before its end; then on until nothing more is given. */
  async function part(id: string, how: 'cut' | 'silence', lastStatus: number): Promise<Customers> {
    const customers = customersOf(`dg-${id}-key`);
    await eventually(() => expect(customers.answered).toBeGreaterThan(10));
    await walletLeased(fleet, id, REPLICAS);
    const lost = fleet.replicas[1] as Replica;
    fleet.links[1]?.[how]();
    await eventually(async () => expect((await readinessOf(lost)).admission.mode).toBe('degraded'));
    const meanwhile = customers.answered;
    await eventually(() => expect(customers.answered).toBeGreaterThan(meanwhile));
    fleet.links[1]?.mend();
    await everyReplicaIs(fleet.replicas, 'redis', REPLICAS);
    const before = refused(customers, lastStatus);
    await eventually(() => expect(refused(customers, lastStatus) - before).toBeGreaterThan(20));
    const purchases = await customers.stop();
    for (const { status, whole } of purchases) expect(whole ? 200 : status).toBeOneOf([200, 402, 429, 503]);
    await everythingPosted(fleet.replicas);
    await proveCharges(fleet.db, purchases);
    await proveAudit(fleet.books);
    return customers;
  }

  it.each(['cut', 'silence'] as const)(
    '%s: the wallet pays for exactly what is in it',
    { timeout: 240_000 },
    async (how) => {
      if (how === 'silence') await topUp(tomanFor(PAYS_FOR));
      const customers = await part('parted-wallet', how, 402);
      expect(customers.answered).toBe(PAYS_FOR);
      for (const { origin } of fleet.replicas) {
        await eventually(async () => {
          expect((await keyView(origin, 'dg-parted-wallet-key')).wallet).toEqual({
            balance: '0',
            held: '0',
            available: '0',
          });
        });
      }
    },
  );

  it('the cap is spent to its end and not passed', { timeout: 240_000 }, async () => {
    const customers = await part('parted-cap', 'cut', 402);
    expect(customers.answered).toBe(CAP_FOR);
  });

  it('the rate admits no more than its limit in a minute', { timeout: 240_000 }, async () => {
    const customers = await part('parted-rate', 'cut', 429);
    const rows = await fleet.db.query<{ most: bigint }>(
      `select max(together) as most from (
         select count(*) over (order by created_at range between current row and interval '59 seconds' following) as together
           from request_log where key_id = 'parted-rate' and state = 'completed') spans`,
    );
    expect(customers.answered).toBeGreaterThan(10);
    expect(Number(rows[0]?.most)).toBeLessThanOrEqual(RPM);
  });

  async function topUp(toman: number): Promise<void> {
    const amount = BigInt(Math.round(toman * 1e6));
    await fleet.books.transfer({
      id: 'refill',
      kind: 'top-up',
      accountId: 'parted-wallet',
      amount: amount as Parameters<typeof fleet.books.transfer>[0]['amount'],
    });
    for (const { origin } of fleet.replicas) {
      await eventually(async () => {
        expect(Number((await keyView(origin, 'dg-parted-wallet-key')).wallet.available)).toBe(toman);
      });
    }
  }
});
