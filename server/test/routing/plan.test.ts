import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TargetFacts } from '../../src/routing/health.ts';
import { type Target, targetsOf } from '../../src/routing/index.ts';
import { planRoutes } from '../../src/routing/plan.ts';
import { model, provider, route, seeded } from './fixtures.ts';

const WELL: TargetFacts = {
  state: 'closed',
  openForMs: 0,
  cause: undefined,
  inFlight: 0,
  p50Ms: undefined,
  saturated: false,
};

function plan(
  routes: Parameters<typeof model>[0],
  options: {
    facts?: (target: Target) => Partial<TargetFacts>;
    preferences?: Parameters<typeof planRoutes>[0]['preferences'];
    sticky?: string;
    seed?: number;
    fallbacks?: ReturnType<typeof model>[];
  } = {},
) {
  const models = [model(routes), ...(options.fallbacks ?? [])].map((m) => ({ model: m, targets: targetsOf(m) }));
  return planRoutes({
    models,
    facts: (target) => ({ ...WELL, ...options.facts?.(target) }),
    preferences: options.preferences,
    sticky: options.sticky,
    random: seeded(options.seed ?? 1),
  });
}

const ids = (targets: Target[]) => targets.map(({ id }) => id);
const [a, b, c] = ['a', 'b', 'c'].map((id) => provider(id)) as [
  ReturnType<typeof provider>,
  ReturnType<typeof provider>,
  ReturnType<typeof provider>,
];

const routesArbitrary = fc
  .uniqueArray(
    fc.record({
      id: fc.integer({ min: 0, max: 30 }),
      priority: fc.integer({ min: 1, max: 3 }),
      weight: fc.integer({ min: 0, max: 5 }),
    }),
    {
      minLength: 1,
      maxLength: 8,
      selector: ({ id }) => id,
    },
  )
  .map((list) => list.map(({ id, priority, weight }) => route(provider(`p${id}`), { priority, weight })));
const statesArbitrary = fc.array(fc.constantFrom<TargetFacts['state']>('closed', 'open', 'half-open', 'probing'), {
  minLength: 31,
  maxLength: 31,
});

describe('a plan, whatever the routes', () => {
  it('names every candidate once, explains each, and stays within the bound', () => {
    fc.assert(
      fc.property(routesArbitrary, fc.integer(), (routes, seed) => {
        const { targets, explanation } = plan(routes, { seed });
        expect(new Set(ids(targets)).size).toBe(targets.length);
        expect(targets).toHaveLength(Math.min(6, routes.length));
        expect(explanation).toHaveLength(routes.length);
        for (const { id } of routes)
          expect(explanation.filter((line) => line.includes(`${id}:`) || line.includes(`${id},`))).toHaveLength(1);
      }),
    );
  });

  it('respects priority among the healthy, and puts open circuits last without dropping them', () => {
    fc.assert(
      fc.property(routesArbitrary, statesArbitrary, fc.integer(), (routes, states, seed) => {
        const stateOf = (target: Target) => states[Number(target.route.provider.id.slice(1))] ?? 'closed';
        const { targets } = plan(routes, { seed, facts: (target) => ({ state: stateOf(target) }) });
        const usable = (target: Target) => stateOf(target) === 'closed' || stateOf(target) === 'half-open';
        const firstUnusable = targets.findIndex((target) => !usable(target));
        const healthy = firstUnusable < 0 ? targets : targets.slice(0, firstUnusable);
        expect(targets.slice(healthy.length).some(usable)).toBe(false);
        const priorities = healthy.map(({ route: { priority } }) => priority);
        expect(priorities).toEqual([...priorities].sort((x, y) => x - y));
        expect(targets.length).toBeGreaterThan(0);
      }),
    );
  });

  it('is repeatable: the same seed gives the same plan', () => {
    fc.assert(
      fc.property(routesArbitrary, fc.integer(), (routes, seed) => {
        expect(plan(routes, { seed })).toEqual(plan(routes, { seed }));
      }),
    );
  });

  it('obeys only and ignore', () => {
    const names = fc.subarray(Array.from({ length: 31 }, (_, i) => `p${i}`));
    fc.assert(
      fc.property(routesArbitrary, names, fc.boolean(), (routes, listed, isOnly) => {
        const { targets, explanation } = plan(routes, { preferences: isOnly ? { only: listed } : { ignore: listed } });
        for (const target of targets) {
          if (isOnly && listed.length > 0) expect(listed).toContain(target.route.provider.id);
          if (!isOnly) expect(listed).not.toContain(target.route.provider.id);
        }
        expect(explanation).toHaveLength(routes.length);
      }),
    );
  });
});

describe('spreading', () => {
  const shareOf = (id: string, seeds: number, make: (seed: number) => Target[]) =>
    Array.from({ length: seeds }, (_, seed) => make(seed)[0]?.route.provider.id).filter((first) => first === id)
      .length / seeds;

  it('follows the weights', () => {
    const routes = [route(a, { weight: 3 }), route(b, { weight: 1 })];
    const share = shareOf('a', 2000, (seed) => plan(routes, { seed, facts: () => ({ inFlight: 0 }) }).targets);
    expect(share).toBeGreaterThan(0.7);
    expect(share).toBeLessThan(0.8);
  });

  it('prefers the less loaded of two picks', () => {
    const facts = (target: Target) => ({ inFlight: target.route.provider.id === 'a' ? 10 : 1 });
    expect(shareOf('b', 1000, (seed) => plan([route(a), route(b)], { seed, facts }).targets)).toBeGreaterThan(0.7);
  });

  it('spreads over credentials and tries another provider before another credential', () => {
    const two = provider('two', {
      credentials: [
        { id: 'x', secret: '1' },
        { id: 'y', secret: '2' },
      ],
    });
    const seen = new Set<string>();
    for (let seed = 0; seed < 50; seed++) {
      const { targets } = plan([route(two), route(b)], { seed });
      const providers = targets.map(({ route: r }) => r.provider.id);
      expect(providers[0]).not.toBe(providers[1]);
      seen.add(ids(targets)[0] ?? '');
    }
    expect(seen).toEqual(new Set(['two:up#x', 'two:up#y', 'b:up']));
  });

  it('leaves out a provider that needs a key and has none', () => {
    expect(plan([route(provider('x', { credentials: [] }))]).targets).toHaveLength(0);
    expect(plan([route(provider('x', { credentials: [], auth: 'none' }))]).targets).toHaveLength(1);
  });
});

describe('preferences and memory', () => {
  const routes = [route(a, { priority: 1 }), route(b, { priority: 2 }), route(c, { priority: 3 })];

  it('keeps a conversation at the target that holds its cache, while that is well', () => {
    expect(ids(plan(routes, { sticky: 'c:up' }).targets)[0]).toBe('c:up');
    const sick = plan(routes, {
      sticky: 'c:up',
      facts: (t) => (t.id === 'c:up' ? { state: 'open', openForMs: 9000 } : {}),
    });
    expect(ids(sick.targets)).toEqual(['a:up', 'b:up', 'c:up']);
    expect(sick.explanation[2]).toContain('circuit open for 9 s');
  });

  it('goes past a full provider', () => {
    const full = plan(routes, { facts: (t) => ({ saturated: t.id === 'a:up' }) });
    expect(ids(full.targets)).toEqual(['b:up', 'c:up', 'a:up']);
  });

  it('sorts by latency and by price, the unknown last, and takes an explicit order', () => {
    const p50 = { 'a:up': undefined, 'b:up': 900, 'c:up': 100 } as Record<string, number | undefined>;
    const byLatency = plan(routes, { preferences: { sort: 'latency' }, facts: (t) => ({ p50Ms: p50[t.id] }) });
    expect(ids(byLatency.targets)).toEqual(['c:up', 'b:up', 'a:up']);
    const cost = (input: bigint) => ({ version: 'c', perUnit: { inputFresh: input, output: input }, perRequest: 0n });
    const priced = [route(a), route(b, { cost: cost(9n) }), route(c, { cost: cost(2n) })];
    expect(ids(plan(priced, { preferences: { sort: 'price' } }).targets)).toEqual(['c:up', 'b:up', 'a:up']);
    expect(ids(plan(routes, { preferences: { order: ['c-vendor', 'b'] } }).targets)).toEqual(['c:up', 'b:up', 'a:up']);
  });

  it('bounds the price the caller would pay', () => {
    const { targets, explanation } = plan(routes, { preferences: { maxPrice: { input: 100, output: 399 } } });
    expect(targets).toHaveLength(0);
    expect(explanation[0]).toBe('not tried: a:up, output price above svc.routing.max_price');
    expect(plan(routes, { preferences: { maxPrice: { input: 100, output: 400 } } }).targets).toHaveLength(3);
  });

  it('tries fallback models after the requested one, before its open circuits, and never cuts them off', () => {
    const fallback = model([route(provider('z'))], { id: 'mock/other' });
    const many = Array.from({ length: 8 }, (_, i) => route(provider(`m${i}`)));
    const { targets } = plan(many, { fallbacks: [fallback] });
    expect(targets).toHaveLength(6);
    expect(targets.at(-1)?.model.id).toBe('mock/other');
    const down = plan(routes, {
      fallbacks: [fallback],
      facts: (t) => (t.id === 'z:up' ? {} : { state: 'open', openForMs: 1 }),
    });
    expect(ids(down.targets)[0]).toBe('z:up');
  });
});
