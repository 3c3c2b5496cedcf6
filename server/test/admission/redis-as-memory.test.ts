/** The same long, random life on Redis and in memory: every answer must be the same, to the millisecond and the micro-toman. */
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Admission,
  createMemoryAdmission,
  createRedisAdmission,
  type Hold,
  type ReserveResult,
} from '../../src/admission/index.ts';
import { money } from '../../src/core/money.ts';
import { createRedis } from '../../src/platform/redis/index.ts';
import { type RedisService, redisMissing, startRedis } from '../services/redis.ts';
import { admitted, cap, request, requests, tokens, wallet } from './check-fixtures.ts';
import { HandClock } from './hand-clock.ts';
import { PaperLedger } from './paper-ledger.ts';
import { seeded } from './seeded.ts';

describe.skipIf(redisMissing())('Redis counts as memory does', () => {
  let service: RedisService;
  let worlds = 0;
  beforeAll(async () => {
    service = await startRedis();
  });
  afterAll(() => service.stop());

  async function onRedis(clock: HandClock, ledger: PaperLedger): Promise<Admission> {
    const redis = createRedis({ url: service.url });
    await once(redis, 'ready');
    return createRedisAdmission({
      redis,
      clock,
      time: 'given',
      replicaId: 'only',
      loadPosted: ledger.load,
      keyPrefix: `{twin-${++worlds}}:`,
      heartbeatMs: 86_400_000,
      deadlineMs: 10_000,
      // Nothing is leased: in memory there is nobody to be cut off from.
      leasedPart: Number.POSITIVE_INFINITY,
    });
  }

  it.each([1, 2, 3, 4])('through life %i', async (seed) => {
    const random = seeded(seed);
    const clock = new HandClock();
    const ledger = new PaperLedger();
    ledger.write('wallet:a', -40_000n);
    const twins = [createMemoryAdmission({ clock, loadPosted: ledger.load }), await onRedis(clock, ledger)] as const;
    const running: [Hold, Hold][] = [];
    const steps = [0, 1, 7, 250, 999, 1_000, 1_001, 3_500, 20_000];
    for (let step = 0; step < 700; step++) {
      // Now and then long enough for whole windows to end, and sometimes backwards.
      clock.advance(step % 90 === 89 ? 61_000 : step % 70 === 69 ? -2_500 : (steps[random(steps.length)] as number));
      // Requests that come at once leave in one call. Those of one key check the same, and all share the wallet.
      const together = Array.from({ length: 1 + random(4) }, () => ({
        key: random(2) === 0 ? 'k' : 'm',
        of: random(8),
      }));
      const asked = () =>
        together.map(({ key, of }) => {
          const limit = of === 0 ? 20_000n : 30_000n;
          const checks = [requests(key, 14), cap(key, limit), wallet('a'), tokens(key, 2_000, 10 * of + (step % 300))];
          return request(checks, 900n, 100n);
        });
      const here: ReserveResult[] = [];
      for (const one of asked()) here.push(await twins[0].reserve(one));
      const there = await Promise.all(asked().map((one) => twins[1].reserve(one)));
      expect(there.map(described), `step ${step}`).toEqual(here.map(described));
      for (const [at, one] of here.entries()) {
        const other = there[at];
        if (one.ok && other?.ok) running.push([one.hold, other.hold]);
      }
      while (running.length > random(8)) {
        const [pair] = running.splice(random(running.length), 1);
        const actual = { spent: money(BigInt(random(1_200))), tokens: random(5) === 0 ? undefined : random(400) };
        pair?.forEach((hold, i) => {
          (twins[i] as Admission).settle(hold, actual);
        });
        if (pair && random(2) === 0) post(ledger, twins, actual.spent, pair[0].budgets);
      }
    }
    expect(twins[1].health().mode).toBe('redis');
    await Promise.all(twins.map((twin) => twin.close()));
  });

  it('also when thousands of settlements leave at once', async () => {
    const admission = await onRedis(new HandClock(), new PaperLedger());
    const each = Array.from({ length: 2_500 }, (_, i) => [cap(`c${i}`, 100n), tokens(`k${i}`, 100, 60)] as const);
    const reserve = () => Promise.all(each.map((checks) => admission.reserve(request([...checks], 60n))));
    const results = await reserve();
    expect(admitted(results)).toBe(each.length);
    for (const result of results) if (result.ok) admission.settle(result.hold, { spent: money(30n), tokens: 40 });
    const posted = each.map(([{ id }]) => ({ budget: id, posted: money(35n), version: 1n, release: money(30n) }));
    admission.posted(posted);
    await admission.reserve(request([]));
    const second = await reserve();
    expect(admitted(second)).toBe(each.length);
    const budgets = await admission.budgets(each.map(([check]) => check));
    for (const budget of budgets.values()) expect(budget).toEqual({ limit: 100n, posted: 35n, held: 60n });
    expect(admission.health().mode).toBe('redis');
    await admission.close();
  });
});

function post(ledger: PaperLedger, twins: readonly Admission[], spent: bigint, budgets: readonly string[]): void {
  for (const id of budgets) {
    const { posted, version } = ledger.rows.get(id) ?? { posted: 0n, version: 0n };
    ledger.write(id, posted + spent, version + 1n);
    for (const twin of twins) {
      twin.posted([{ budget: id, posted: money(posted + spent), version: version + 1n, release: money(spent) }]);
    }
  }
}

function described(result: Awaited<ReturnType<Admission['reserve']>>): unknown {
  const windows = [...result.windows];
  if (result.ok) return { grant: result.hold.amount, windows };
  return { failed: result.failed.id, retry: result.retryAfterMs, available: result.available, windows };
}
