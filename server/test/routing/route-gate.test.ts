/** What one route may carry: requests and tokens in any 60 seconds, and so many at once; the plan then prefers another one. */
import { expect, it } from 'vitest';
import type { RouteLimits } from '../../src/catalog/index.ts';
import { createHealth } from '../../src/routing/health.ts';
import type { Slot } from '../../src/routing/live-slot.ts';
import { planRoutes } from '../../src/routing/plan.ts';
import { type Target, targetsOf } from '../../src/routing/target.ts';
import { ManualClock, model, provider, route } from './fixtures.ts';

const NONE: RouteLimits = { maxConcurrent: null, requestsPerMinute: null, tokensPerMinute: null };

function limited(limits: Partial<RouteLimits>): { target: Target; other: Target; model: Target['model'] } {
  const made = model([route(provider('a'), { limits: { ...NONE, ...limits } }), route(provider('b'), { priority: 2 })]);
  const [target, other] = targetsOf(made) as [Target, Target];
  return { target, other, model: made };
}

const forever = Number.POSITIVE_INFINITY;

it('carries no more requests than its limit in any 60 seconds, and others go by the next route', async () => {
  const clock = new ManualClock();
  const health = createHealth({ clock, random: () => 0 });
  const { target, other, model: of } = limited({ requestsPerMinute: 2 });
  const first = () =>
    planRoutes({
      models: [{ model: of, targets: [target, other] }],
      facts: (one) => health.facts(one),
      preferences: undefined,
      sticky: undefined,
      random: () => 0,
    }).targets[0]?.id;
  expect(first()).toBe(target.id);
  for (let n = 0; n < 2; n++) ((await health.acquire(target, forever)) as Slot).end('ok');
  expect(await health.acquire(target, forever)).toBe('full');
  expect(health.facts(target).saturated).toBe(true);
  expect(first()).toBe(other.id);
  clock.nowMs += 59_000;
  expect(await health.acquire(target, forever)).toBe('full');
  clock.nowMs += 2_000;
  expect(first()).toBe(target.id);
  expect(await health.acquire(target, forever)).not.toBe('full');
});

it('counts the estimated input at once and the answer when it has ended', async () => {
  const clock = new ManualClock();
  const health = createHealth({ clock, random: () => 0 });
  const { target } = limited({ tokensPerMinute: 1_000 });
  ((await health.acquire(target, forever, 400)) as Slot).end('ok');
  expect(await health.acquire(target, forever, 700)).toBe('full');
  ((await health.acquire(target, forever, 100)) as Slot).end('ok');
  health.spent(target, 500);
  expect(await health.acquire(target, forever, 1)).toBe('full');
  clock.nowMs += 61_000;
  // One that is larger than the whole limit could never pass if it had to fit.
  expect(await health.acquire(target, forever, 5_000)).not.toBe('full');
});

it('runs no more at once than its limit; a place that comes free is given on, and is not lost at a full provider', async () => {
  const clock = new ManualClock();
  const health = createHealth({ clock, random: () => 0 });
  const { target, other } = limited({ maxConcurrent: 1 });
  const slot = (await health.acquire(target, forever)) as Slot;
  const waiting = health.acquire(target, forever);
  expect(await health.acquire(target, forever)).toBe('full');
  // Only the route is limited.
  expect(await health.acquire(other, forever)).not.toBe('full');
  slot.end('ok');
  const second = (await waiting) as Slot;
  expect(second).not.toBe('full');
  second.end('ok');
  expect(await health.acquire(target, forever)).not.toBe('full');
});
