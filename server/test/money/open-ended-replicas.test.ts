/**
 * Requests without `max_tokens` on three replicas, random numbers of them at once, against one small wallet and one small cap:
 * each holds what it may say before it says it, so that together they spend no more than there is.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer } from '../fake-vendor/index.ts';
import type { Replica } from '../harness/replica.ts';
import { eventually } from '../services/eventually.ts';
import { seeded } from '../simulation/seeded.ts';
import { ask, exactAnswer, keyView } from './fixed-price.ts';
import { proveAudit } from './prove-books.ts';
import { everythingPosted, type ReplicaFleet, servicesMissing, startFleet } from './replica-fleet.ts';

const REPLICAS = 3;
const OUTPUT_TOMAN = 0.06;
const STEP = 512;
const LONG = 3_000;
const WORDS = Array.from({ length: LONG }, () => 'the').join(' ');
/** Far longer than anything asked before. */
const long = answer({ text: WORDS, usage: { input: 8, output: LONG } });
const SMALL = 1_000;
const SEEDS = [11, 12];

const account = (id: string, balance: number, rules: object = {}) => ({
  id,
  name: id,
  balance,
  keys: [{ id, key: `dg-${id}-key`, rules }],
});

describe.skipIf(servicesMissing())('answers without a limit of their own, on three replicas', () => {
  let fleet: ReplicaFleet;
  beforeAll(async () => {
    fleet = await startFleet({
      replicas: REPLICAS,
      settings: { max_event_loop_lag_ms: 600_000 },
      // A model that shows all it thinks.
      configure: (defaults) => ({
        ...defaults,
        models: (defaults['models'] as object[]).map((model) => ({ ...model, capabilities: ['streaming'] })),
      }),
      accounts: SEEDS.flatMap((seed) => [
        account(`wallet-${seed}`, SMALL),
        account(`capped-${seed}`, 1_000_000, { caps: { daily: SMALL } }),
      ]),
    });
  }, 300_000);
  afterAll(() => fleet?.end());

  const open = (index: number, key: string) =>
    ask((fleet.replicas[index % REPLICAS] as Replica).origin, key, { max_tokens: undefined, stream: true });

  /** Short answers first, so that little is held; then long ones, random numbers at once, and some whose reader leaves. */
  async function storm(key: string, seed: number): Promise<void> {
    const chance = seeded(seed);
    fleet.vendor.reset();
    fleet.vendor.always(exactAnswer());
    for (let i = 0; i < 12; i++) await (await open(i, key)).arrayBuffer();
    fleet.vendor.always(long);
    for (let left = 90; left > 0; ) {
      const together = Math.min(left, 1 + chance.below(45));
      left -= together;
      await Promise.all(
        Array.from({ length: together }, async (_, i) => {
          const response = await open(i, key);
          if (chance.happens(15)) await response.body?.cancel();
          else await response.text();
        }),
      );
    }
    await everythingPosted(fleet.replicas);
  }

  it.each(SEEDS)('the wallet does not fall below zero (%i)', { timeout: 240_000 }, async (seed) => {
    const key = `dg-wallet-${seed}-key`;
    await storm(key, seed);
    await eventually(async () => {
      const { wallet } = await keyView((fleet.replicas[0] as Replica).origin, key);
      expect(wallet.held).toBe('0');
      expect(Number(wallet.balance)).toBeGreaterThanOrEqual(0);
      expect(Number(wallet.balance)).toBeLessThan(SMALL / 2);
    });
    await proveAudit(fleet.books);
  });

  it.each(SEEDS)('the cap is not passed by more than a step (%i)', { timeout: 240_000 }, async (seed) => {
    const key = `dg-capped-${seed}-key`;
    await storm(key, seed);
    await eventually(async () => {
      const { caps } = await keyView((fleet.replicas[0] as Replica).origin, key);
      expect(caps[0]?.held).toBe('0');
      expect(Number(caps[0]?.spent)).toBeLessThanOrEqual(SMALL + STEP * OUTPUT_TOMAN);
      expect(Number(caps[0]?.spent)).toBeGreaterThan(SMALL / 2);
    });
    await proveAudit(fleet.books);
  });
});
