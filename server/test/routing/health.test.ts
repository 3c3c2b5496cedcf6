import { describe, expect, it } from 'vitest';
import { createHealth } from '../../src/routing/health.ts';
import { type Slot, type Target, targetsOf } from '../../src/routing/index.ts';
import { failure, ManualClock, model, provider, route, setUpHealth } from './fixtures.ts';

describe('the circuit of a target', () => {
  it('opens after three failures in a row, and a success in between starts the count again', async () => {
    const { health, target, run } = setUpHealth();
    await run(failure('server'), 2);
    await run('ok');
    await run(failure('timeout'), 2);
    expect(health.facts(target).state).toBe('closed');
    await run(failure('connect'));
    expect(health.facts(target)).toMatchObject({ state: 'open', openForMs: 5000, cause: 'connect' });
  });

  it('opens for a target that fails every second time', async () => {
    const { health, target, run } = setUpHealth();
    for (let i = 0; i < 30; i++) {
      await run(failure('server'));
      await run('ok');
      await run(failure('malformed'));
    }
    expect(health.facts(target).state).toBe('open');
  });

  it('probes with one request after the cool-down and closes when it succeeds', async () => {
    const { clock, health, target, run } = setUpHealth();
    await run(failure('server'), 3);
    clock.nowMs += 4999;
    expect(health.facts(target).state).toBe('open');
    clock.nowMs += 1;
    expect(health.facts(target).state).toBe('half-open');
    const probe = (await health.acquire(target, Number.POSITIVE_INFINITY)) as Slot;
    expect(health.facts(target).state).toBe('probing');
    probe.end('ok');
    expect(health.facts(target)).toMatchObject({ state: 'closed', cause: undefined });
  });

  it('stays away twice as long after each failed probe, up to five minutes', async () => {
    const { clock, health, target, run } = setUpHealth();
    await run(failure('server'), 3);
    const waits: number[] = [];
    for (let i = 0; i < 9; i++) {
      waits.push(health.facts(target).openForMs);
      clock.nowMs += health.facts(target).openForMs;
      await run(failure('server'));
    }
    expect(waits).toEqual([5000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000]);
  });

  it('gives the probe back when the client left', async () => {
    const { clock, health, target, run } = setUpHealth();
    await run(failure('server'), 3);
    clock.nowMs += 5000;
    await run('aborted');
    expect(health.facts(target).state).toBe('half-open');
  });

  it('believes Retry-After at the first failure, within reason', async () => {
    const { clock, health, target, run } = setUpHealth();
    await run(failure('rate-limited', { retryAfterMs: 17_000 }));
    expect(health.facts(target)).toMatchObject({ state: 'open', openForMs: 17_000, cause: 'rate-limited' });
    clock.nowMs += 17_000;
    await run(failure('server', { retryAfterMs: 86_400_000 }));
    expect(health.facts(target).openForMs).toBe(300_000);
  });

  it('is not closed by an answer that began before it opened', async () => {
    const { clock, health, target, run } = setUpHealth();
    const early = (await health.acquire(target, Number.POSITIVE_INFINITY)) as Slot;
    clock.nowMs += 10;
    await run(failure('rate-limited', { retryAfterMs: 17_000 }));
    early.end('ok');
    expect(health.facts(target).state).toBe('open');
    clock.nowMs += 10;
    await run('ok');
    expect(health.facts(target).state).toBe('closed');
  });

  it('does not count faults of the client or clients that leave', async () => {
    const { health, target, run } = setUpHealth();
    await run(failure('client-fault', { status: 400 }), 10);
    await run(failure('context-too-long'), 10);
    await run('aborted', 10);
    expect(health.facts(target).state).toBe('closed');
  });

  it('ignores a second end of the same place', async () => {
    const { health, target } = setUpHealth();
    const slot = (await health.acquire(target, Number.POSITIVE_INFINITY)) as Slot;
    for (let i = 0; i < 5; i++) slot.end(failure('server'));
    expect(health.facts(target)).toMatchObject({ state: 'closed', inFlight: 0 });
  });
});

describe('a refused credential', () => {
  it('is out for every route it serves, at once and for long, and is probed again', async () => {
    const clock = new ManualClock();
    const health = createHealth({ clock, random: () => 0 });
    const shared = provider('a');
    const [first] = targetsOf(model([route(shared)])) as [Target];
    const [second] = targetsOf(model([route(shared, { id: 'a:other', upstreamModel: 'other' })])) as [Target];
    health.facts(second);
    const slot = (await health.acquire(first, Number.POSITIVE_INFINITY)) as Slot;
    slot.end(failure('credential', { status: 401 }));
    for (const target of [first, second]) {
      expect(health.facts(target)).toMatchObject({ state: 'open', openForMs: 600_000, cause: 'credential' });
    }
    clock.nowMs += 600_000;
    expect(health.facts(second).state).toBe('half-open');
    ((await health.acquire(second, Number.POSITIVE_INFINITY)) as Slot).end('ok');
    expect(health.facts(first).state).toBe('closed');
  });
});

describe('the cause that a route shows', () => {
  it('is its own last failure, also before its circuit opens, and never that of a sibling', async () => {
    const health = createHealth({ clock: new ManualClock(), random: () => 0 });
    const shared = provider('a');
    const [first] = targetsOf(model([route(shared)])) as [Target];
    const [second] = targetsOf(model([route(shared, { id: 'a:other', upstreamModel: 'other' })])) as [Target];
    ((await health.acquire(first, Number.POSITIVE_INFINITY)) as Slot).end(failure('server', { status: 500 }));
    expect(health.facts(first)).toMatchObject({ state: 'closed', cause: 'server' });
    expect(health.facts(second)).toMatchObject({ state: 'closed', cause: undefined });
  });
});

describe('load and latency', () => {
  it('counts what runs', async () => {
    const { health, target } = setUpHealth();
    const slots = await Promise.all([1, 2, 3].map(() => health.acquire(target, Number.POSITIVE_INFINITY)));
    expect(health.facts(target).inFlight).toBe(3);
    for (const slot of slots) if (slot !== 'full') slot.end('ok');
    expect(health.facts(target).inFlight).toBe(0);
    expect(health.snapshot()).toMatchObject([{ target: 'a:up', provider: 'a', state: 'closed', inFlight: 0 }]);
  });

  it('queues shortly beyond the bound, first come first served, then says full', async () => {
    const { clock, health, target } = setUpHealth({ maxConcurrent: 2 });
    const deadline = clock.nowMs + 60_000;
    const running = (await Promise.all([health.acquire(target, deadline), health.acquire(target, deadline)])) as Slot[];
    const order: string[] = [];
    const third = Promise.resolve(health.acquire(target, deadline)).then((slot) => {
      order.push('third');
      return slot;
    });
    const fourth = Promise.resolve(health.acquire(target, deadline)).then((slot) => {
      order.push('fourth');
      return slot;
    });
    expect(health.facts(target).saturated).toBe(true);
    expect(await health.acquire(target, deadline)).toBe('full');
    for (const slot of running) slot.end('ok');
    await Promise.all([third, fourth]);
    expect(order).toEqual(['third', 'fourth']);
    expect(health.facts(target).inFlight).toBe(2);
  });

  it('gives up a place in the queue when the time is over', async () => {
    const { clock, health, target } = setUpHealth({ maxConcurrent: 1 });
    const running = (await health.acquire(target, clock.nowMs + 60_000)) as Slot;
    const waiting = health.acquire(target, clock.nowMs + 500);
    clock.nowMs += 500;
    expect(await waiting).toBe('full');
    running.end('ok');
    expect(await health.acquire(target, clock.nowMs + 500)).not.toBe('full');
  });

  it('knows the median at once, the p95 after twenty answers, and forgets old ones', async () => {
    const { clock, health, target } = setUpHealth();
    const answer = async (firstEventMs: number) => {
      const slot = (await health.acquire(target, Number.POSITIVE_INFINITY)) as Slot;
      slot.answered(firstEventMs, 'stream');
      slot.end('ok');
    };
    await answer(300);
    expect(health.facts(target).p50Ms).toBe(300);
    expect(health.slowAfterMs(target, 'stream')).toBeUndefined();
    for (let i = 1; i <= 64; i++) await answer(i * 10);
    expect(health.facts(target).p50Ms).toBeGreaterThan(250);
    expect(health.facts(target).p50Ms).toBeLessThan(400);
    expect(health.slowAfterMs(target, 'stream')).toBeGreaterThan(550);
    clock.nowMs += 60 * 60_000;
    for (let i = 0; i < 8; i++) await answer(50);
    expect(health.facts(target).p50Ms).toBe(50);
  });
});
