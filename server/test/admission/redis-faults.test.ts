/** One long run through every kind of fault: afterwards Redis must hold exactly what the replicas and the books say. */
import { describe, expect, it, vi } from 'vitest';
import type { Admission, Hold } from '../../src/admission/index.ts';
import { money } from '../../src/core/money.ts';
import { redisMissing } from '../services/redis.ts';
import { request, requests, wallet } from './check-fixtures.ts';
import { eachWithFleet, everybody, orUnavailable, WAIT_LIMITS } from './fleet.ts';
import { seeded } from './seeded.ts';

describe.skipIf(redisMissing())('replicas through faults', () => {
  const fleet = eachWithFleet();

  it('agree with the books after every kind of fault, under load that settles and posts', async () => {
    fleet().ledger.write('wallet:a', -10_000n);
    const all = await fleet().start(3, { deadlineMs: 400 });
    const running: { one: Admission; hold: Hold }[] = [];
    const unposted: { one: Admission; spent: bigint }[] = [];
    const random = seeded(7);
    const step = async (): Promise<void> => {
      const one = all[random(3)] as Admission;
      const act = random(4);
      if (act < 2) {
        const asked = request([requests('k', 1_000_000), wallet('a')], BigInt(20 + random(80)), 10n);
        const result = await orUnavailable(one.reserve(asked));
        if (result?.ok) running.push({ one, hold: result.hold });
      } else if (act === 2) {
        const [ended] = running.splice(random(running.length), 1);
        if (ended === undefined) return;
        const spent = ended.hold.amount / BigInt(1 + random(3));
        ended.one.settle(ended.hold, { spent: money(spent), tokens: undefined });
        unposted.push({ one: ended.one, spent });
      } else {
        const [charge] = unposted.splice(random(unposted.length), 1);
        if (charge === undefined) return;
        const { posted, version } = fleet().ledger.rows.get('wallet:a') as { posted: bigint; version: bigint };
        const credit = random(4) === 0 ? 200n : 0n;
        fleet().ledger.write('wallet:a', posted + charge.spent - credit, version + 1n);
        charge.one.posted([
          {
            budget: 'wallet:a',
            posted: money(posted + charge.spent - credit),
            version: version + 1n,
            release: money(charge.spent),
          },
        ]);
      }
    };
    const faults: (() => Promise<void>)[] = [
      async () => fleet().service.flush(),
      async () => {
        await fleet().service.kill();
        for (let i = 0; i < 60; i++) await step();
        await fleet().service.start();
      },
      async () => {
        fleet().service.freeze();
        for (let i = 0; i < 60; i++) await step();
        fleet().service.thaw();
      },
      async () => fleet().clients[1]?.disconnect(true),
    ];
    for (const fault of [...faults, ...faults]) {
      for (let i = 0; i < 80; i++) await step();
      await Promise.all([fault(), ...Array.from({ length: 20 }, step)]);
      await everybody(all, 'redis');
      const outstanding =
        running.reduce((sum, { hold }) => sum + hold.amount, 0n) + unposted.reduce((sum, { spent }) => sum + spent, 0n);
      const row = fleet().ledger.rows.get('wallet:a');
      await vi.waitFor(async () => {
        for (const one of all) {
          const state = (await one.budgets([wallet('a')])).get('wallet:a');
          expect(state).toEqual({ limit: 0n, posted: row?.posted, held: outstanding });
        }
      }, WAIT_LIMITS);
    }
  }, 90_000);
});
