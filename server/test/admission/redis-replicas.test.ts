/** Several replicas on one Redis that is flushed, killed, frozen and restarted empty. */
import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { type Admission, AdmissionUnavailable, NO_LIMIT } from '../../src/admission/index.ts';
import { money } from '../../src/core/money.ts';
import type { RedisClient } from '../../src/platform/redis/index.ts';
import { redisMissing } from '../services/redis.ts';
import { admitted, cap, granted, request, requests, tokens, wallet } from './check-fixtures.ts';
import { eachWithFleet, everybody, held, leased, orUnavailable, spread, WAIT_LIMITS } from './fleet.ts';
import { HandClock } from './hand-clock.ts';

/** How long a replica may be silent. A busy machine must not be silent for as long, and a test waits for it. */
const DEAD_AFTER_MS = 2_000;

describe.skipIf(redisMissing())('replicas on one Redis', () => {
  const fleet = eachWithFleet();

  it('are exact together: wallet, cap and rate', async () => {
    fleet().ledger.write('wallet:a', -1_000n);
    fleet().ledger.write('wallet:rich', -1_000_000n);
    const all = await fleet().start(3);
    expect(admitted(await spread(all, 200, () => request([wallet('a')], 100n)))).toBe(10);
    expect(admitted(await spread(all, 200, () => request([cap('c', 70n), wallet('rich')], 10n)))).toBe(7);
    expect(admitted(await spread(all, 200, () => request([requests('k', 50)])))).toBe(50);
    for (const one of all) expect(await held(one)).toBe(1_000n);
  });

  it('keep the share of a replica that is silent, and count it once when it is back', async () => {
    fleet().ledger.write('wallet:a', -1_000n);
    const [first, second] = (await fleet().start(2, { heartbeatMs: DEAD_AFTER_MS })) as [Admission, Admission];
    granted(await first.reserve(request([wallet('a')], 300n)));
    granted(await second.reserve(request([wallet('a')], 500n)));
    expect(await held(second)).toBe(800n);
    // Cut off without a farewell: nothing of the first replica reaches Redis any more.
    fleet().clients[0]?.disconnect();
    await vi.waitFor(() => expect(second.health().replicas).toBe(1), WAIT_LIMITS);
    expect(await held(second)).toBe(800n);
    expect(admitted(await spread([second], 10, () => request([wallet('a')], 100n)))).toBe(2);
    // Back again, it registers what it still holds, under a new name.
    await fleet().clients[0]?.connect();
    await everybody([first, second], 'redis');
    expect(await held(second)).toBe(1_000n);
    expect((await first.reserve(request([wallet('a')], 1n))).ok).toBe(false);
  });

  it('keep what a dead replica charged, and what it held, until it has posted it or is forgotten', async () => {
    fleet().ledger.write('wallet:a', -1_000n);
    const [first, second] = (await fleet().start(2, { heartbeatMs: DEAD_AFTER_MS })) as [Admission, Admission];
    const settled = granted(await first.reserve(request([wallet('a')], 300n)));
    granted(await first.reserve(request([wallet('a')], 200n)));
    first.settle(settled.hold, { spent: money(250n), tokens: undefined });
    await vi.waitFor(async () => expect(await held(second)).toBe(450n), WAIT_LIMITS);
    // Killed with a charge in its journal that no other replica can see.
    fleet().clients[0]?.disconnect();
    await vi.waitFor(() => expect(second.health().replicas).toBe(1), WAIT_LIMITS);
    expect(await held(second)).toBe(450n);
    expect(admitted(await spread([second], 20, () => request([wallet('a')], 100n)))).toBe(5);
    const since = expect.any(Number);
    expect(second.missingReplicas()).toEqual([{ id: 'replica-0', since }]);
    expect(await second.replicas()).toEqual([
      { id: 'replica-1', living: true },
      { id: 'replica-0', living: false, since, outstanding: 450n, wallets: 1 },
    ]);
    expect(await second.forgetReplica('replica-1')).toBe(false);
    expect(await second.forgetReplica('replica-0')).toBe(true);
    expect(await held(second)).toBe(500n);
    expect(second.missingReplicas()).toEqual([]);
    expect(await second.forgetReplica('replica-0')).toBe(false);
  });

  it('count what an earlier life of a replica charged only once when it is back', async () => {
    fleet().ledger.write('wallet:a', -1_000n, 1n);
    const [first, second] = (await fleet().start(2, { heartbeatMs: DEAD_AFTER_MS })) as [Admission, Admission];
    const { hold } = granted(await first.reserve(request([wallet('a')], 300n)));
    first.settle(hold, { spent: money(300n), tokens: undefined });
    await vi.waitFor(async () => expect(await held(second)).toBe(300n), WAIT_LIMITS);
    fleet().clients[0]?.disconnect();
    await vi.waitFor(() => expect(second.health().replicas).toBe(1), WAIT_LIMITS);
    const again = fleet().launch({ replicaId: 'replica-0' });
    await everybody([again], 'redis');
    // It has posted its journal.
    fleet().ledger.write('wallet:a', -700n, 2n);
    again.posted([{ budget: 'wallet:a', posted: money(-700n), version: 2n, release: money(300n) }]);
    await again.recovered();
    await vi.waitFor(async () => expect(await held(second)).toBe(0n), WAIT_LIMITS);
    expect(admitted(await spread([again, second], 20, () => request([wallet('a')], 100n)))).toBe(7);
  });

  it('drop what an earlier life left also when its heartbeat has not ended, and when Redis was away meanwhile', async () => {
    fleet().ledger.write('wallet:a', -1_000n, 1n);
    // Restarted within the heartbeat: for Redis the killed process still lives.
    const [first, second] = (await fleet().start(2, { heartbeatMs: 3_600_000 })) as [Admission, Admission];
    const { hold } = granted(await first.reserve(request([wallet('a')], 300n)));
    granted(await first.reserve(request([wallet('a')], 100n)));
    first.settle(hold, { spent: money(300n), tokens: undefined });
    await vi.waitFor(async () => expect(await held(second)).toBe(400n), WAIT_LIMITS);
    fleet().clients[0]?.disconnect();
    const again = fleet().launch({ replicaId: 'replica-0', heartbeatMs: 3_600_000 });
    await everybody([again], 'redis');
    fleet().ledger.write('wallet:a', -700n, 2n);
    again.posted([{ budget: 'wallet:a', posted: money(-700n), version: 2n, release: money(300n) }]);
    await again.recovered();
    expect(await held(second)).toBe(0n);
    // Once more, and now the new process finds no Redis when it has recovered.
    granted(await again.reserve(request([wallet('a')], 50n)));
    fleet().clients[2]?.disconnect();
    const third = fleet().launch({ replicaId: 'replica-0', heartbeatMs: 3_600_000 });
    fleet().clients[3]?.disconnect();
    await third.recovered();
    expect(third.health().mode).toBe('degraded');
    expect(await held(second)).toBe(50n);
    await fleet().clients[3]?.connect();
    await vi.waitFor(async () => expect(await held(second)).toBe(0n), WAIT_LIMITS);
  });

  it('read the ledger before they drop a life: it may have posted what Redis never heard of', async () => {
    fleet().ledger.write('wallet:a', -1_000n, 1n);
    const [first, second] = (await fleet().start(2, { heartbeatMs: 3_600_000 })) as [Admission, Admission];
    const { hold } = granted(await first.reserve(request([wallet('a')], 300n)));
    first.settle(hold, { spent: money(300n), tokens: undefined });
    await vi.waitFor(async () => expect(await held(second)).toBe(300n), WAIT_LIMITS);
    fleet().ledger.write('wallet:a', -700n, 2n);
    fleet().clients[0]?.disconnect();
    // Its journal says that everything is posted, so it has nothing to report.
    const again = fleet().launch({ replicaId: 'replica-0', heartbeatMs: 3_600_000 });
    await everybody([again], 'redis');
    await again.recovered();
    expect(await held(second)).toBe(0n);
    expect((await second.budgets([wallet('a')])).get('wallet:a')?.posted).toBe(-700n);
  });

  it('forget a replica that died with nothing outstanding, after an hour', async () => {
    const clock = new HandClock();
    const time = { clock, time: 'given' as const };
    const [, second] = (await fleet().start(2, time)) as [Admission, Admission];
    fleet().clients[0]?.disconnect();
    const pass = async (ms: number) => {
      clock.advance(ms);
      await vi.waitFor(() => expect(second.health().mode).toBe('redis'), WAIT_LIMITS);
      return (await second.replicas()).map(({ id }) => id);
    };
    await pass(30_000);
    await vi.waitFor(() => expect(second.missingReplicas()).toHaveLength(1), WAIT_LIMITS);
    expect(await pass(0)).toEqual(['replica-1', 'replica-0']);
    await pass(3_600_000);
    await vi.waitFor(async () => expect(await pass(0)).toEqual(['replica-1']), WAIT_LIMITS);
  });

  it('drop the share of a replica that ended in order at once', async () => {
    fleet().ledger.write('wallet:a', -100n);
    const [first, second] = (await fleet().start(2)) as [Admission, Admission];
    granted(await first.reserve(request([wallet('a')], 100n)));
    await first.close();
    expect(await held(second)).toBe(0n);
  });

  it('never pass the limit when Redis is flushed under load, and recover by themselves', async () => {
    fleet().ledger.write('wallet:a', -3_000n);
    const all = await fleet().start(3);
    let stop = false;
    let total = 0;
    const load = all.map(async (one) => {
      while (!stop) {
        const result = await orUnavailable(one.reserve(request([requests('k', 600), wallet('a')], 10n)));
        if (result?.ok) total++;
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    await vi.waitFor(() => expect(total).toBeGreaterThan(60), WAIT_LIMITS);
    await fleet().service.flush();
    await everybody(all, 'degraded');
    await everybody(all, 'redis');
    stop = true;
    await Promise.all(load);
    // Nothing settles here, so everything admitted is still held.
    expect(total).toBeLessThanOrEqual(300);
    expect(await held(all[0] as Admission)).toBe(BigInt(total) * 10n);
    const rest = admitted(await spread(all, 400, () => request([requests('k', 600), wallet('a')], 10n)));
    expect(total + rest).toBe(Math.max(total, 300));
  });

  it('grant only what they had leased when Redis is killed, and register it when it is back, empty', async () => {
    fleet().ledger.write('wallet:a', -900n);
    const all = await fleet().start(3);
    const make = () => request([requests('k', 120), wallet('a')], 10n);
    expect(admitted(await spread(all, 3, make))).toBe(3);
    await leased(fleet(), all, 'wallet:a');
    await leased(fleet(), all, 'rpm:k');
    await fleet().service.kill();
    const alone = await Promise.allSettled(
      Array.from({ length: 120 }, (_, i) => (all[i % 3] as Admission).reserve(make())),
    );
    await everybody(all, 'degraded');
    expect(all[0]?.health().since).toBeTypeOf('number');
    // Who had no more to spend said that Redis is away, not that the wallet is empty.
    const reserved = alone.filter((one) => one.status === 'fulfilled' && one.value.ok).length;
    for (const one of alone) if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(AdmissionUnavailable);
    expect(reserved).toBeGreaterThan(3);
    expect(reserved).toBeLessThanOrEqual(Math.floor(870 / 10 / 4));
    await fleet().service.start();
    await everybody(all, 'redis');
    // Together again: every admission of the last minute counts, with or without Redis.
    expect(await held(all[1] as Admission)).toBe(BigInt(3 + reserved) * 10n);
    expect(admitted(await spread(all, 120, make))).toBe(87 - reserved);
  });

  it('do not wait for a Redis that is silent', async () => {
    fleet().ledger.write('wallet:a', -4_000n);
    const [one] = (await fleet().start(1, { deadlineMs: 1_000 })) as [Admission];
    const make = () => request([requests('k', 40), wallet('a')], 100n);
    const { hold } = granted(
      await one.reserve(request([requests('k', 40), tokens('k', 1_000, 100), wallet('a')], 100n)),
    );
    await leased(fleet(), [one], 'wallet:a');
    await leased(fleet(), [one], 'rpm:k');
    fleet().service.freeze();
    const results = await Promise.allSettled(Array.from({ length: 40 }, () => one.reserve(make())));
    const reserved = results.filter((result) => result.status === 'fulfilled' && result.value.ok).length;
    // A quarter of the 39 that were left.
    expect(reserved).toBe(9);
    expect(one.health().mode).toBe('degraded');
    one.settle(hold, { spent: money(40n), tokens: 500 });
    one.posted([{ budget: 'wallet:a', posted: money(-3_960n), version: 2n, release: money(40n) }]);
    fleet().ledger.write('wallet:a', -3_960n, 2n);
    fleet().service.thaw();
    await everybody([one], 'redis');
    // What was asked of it while it slept happened after all; none of it may count twice.
    await vi.waitFor(async () => {
      const states = await one.windows([requests('k', 20), tokens('k', 1_000, 0)]);
      expect(states.get('rpm:k')?.remaining).toBe(10);
      expect(states.get('tpm:k')?.remaining).toBe(500);
      expect((await one.budgets([wallet('a')])).get('wallet:a')).toEqual({ limit: 0n, posted: -3_960n, held: 900n });
    }, WAIT_LIMITS);
  });

  it('do not take their own busy event loop for a slow Redis', async () => {
    const deadlineMs = 600;
    const [one] = (await fleet().start(1, { deadlineMs })) as [Admission];
    const reserved = one.reserve(request([requests('busy', 10)]));
    // Busier than the deadline is long: before the question could leave, and again before the answer could be read.
    for (let blocks = 0; blocks < 2; blocks++) {
      const until = performance.now() + 2 * deadlineMs;
      while (performance.now() < until);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await reserved).ok).toBe(true);
    expect(one.health().mode).toBe('redis');
  });

  it('grant nothing that is limited when Redis was never there, and join it later', async () => {
    fleet().ledger.write('wallet:a', -1_000n);
    await fleet().service.kill();
    const admission = fleet().launch();
    expect(admitted(await spread([admission], 20, () => request([requests('k', 8)])))).toBe(0);
    await expect(admission.reserve(request([wallet('a')], 10n))).rejects.toThrow(AdmissionUnavailable);
    // What has no limit is not limited by this either.
    expect((await admission.reserve(request([requests('free', NO_LIMIT)]))).ok).toBe(true);
    await fleet().service.start();
    await everybody([admission], 'redis');
    expect(admitted(await spread([admission], 20, () => request([requests('k', 8)])))).toBe(8);
  });

  it('survives a script cache that was emptied', async () => {
    const [one] = (await fleet().start(1)) as [Admission];
    await fleet().clients[0]?.script('FLUSH');
    expect((await one.reserve(request([requests('k', 1)]))).ok).toBe(true);
    expect(one.health().mode).toBe('redis');
  });

  it('leaves nothing waiting on a closed connection', async () => {
    const [one] = (await fleet().start(1)) as [Admission];
    const client = fleet().clients[0] as RedisClient;
    client.disconnect();
    if (client.status !== 'end') await once(client, 'end');
    expect((await one.reserve(request([requests('k', NO_LIMIT)]))).ok).toBe(true);
    expect(one.health().mode).toBe('degraded');
  });
});
