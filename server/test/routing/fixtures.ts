import type { Model, Provider, Route } from '../../src/catalog/index.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { FailureKind, UpstreamFailure } from '../../src/core/failure.ts';
import { createHealth } from '../../src/routing/health.ts';
import { type Target, targetsOf } from '../../src/routing/index.ts';

export class ManualClock implements Clock {
  nowMs = 1_000_000;
  now = () => this.nowMs;
  monotonicMs = () => this.nowMs;
}

/** Small, fast and good enough for spreading (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function provider(id: string, changes: Partial<Provider> = {}): Provider {
  return {
    id,
    vendor: `${id}-vendor`,
    protocol: 'openai-chat',
    baseUrl: 'http://127.0.0.1:1/v1',
    auth: 'bearer',
    headers: {},
    credentials: [{ id: 'c1', secret: 's' }],
    quirks: {},
    timeouts: { connectMs: 1, firstEventMs: 1, wholeAnswerMs: 1, idleMs: 1, totalMs: 1 },
    maxConcurrent: null,
    transport: 'http',
    egress: undefined,
    ...changes,
  };
}

export function route(from: Provider, changes: Partial<Route> = {}): Route {
  return {
    id: `${from.id}:up`,
    provider: from,
    upstreamModel: 'up',
    priority: 1,
    weight: 1,
    quirks: {},
    cost: undefined,
    ...changes,
  };
}

export function model(routes: Route[], changes: Partial<Model> = {}): Model {
  return {
    id: 'mock/chat',
    vendor: 'mock',
    name: 'Mock',
    kind: 'chat',
    routes,
    price: { version: 'v1', perUnit: { inputFresh: 100n, output: 400n }, perRequest: 0n },
    context: undefined,
    maxOutput: undefined,
    capabilities: new Set(),
    categories: [],
    created: 0,
    hedge: false,
    simulated: false,
    ...changes,
  };
}

export function failure(kind: FailureKind, more: Partial<UpstreamFailure> = {}): UpstreamFailure {
  return { kind, message: kind, ...more };
}

export function setUpHealth(changes: Partial<Provider> = {}) {
  const clock = new ManualClock();
  const health = createHealth({ clock, random: () => 0 });
  const only = model([route(provider('a', changes))]);
  const [target] = targetsOf(only) as [Target];
  const run = async (outcome: 'ok' | 'aborted' | UpstreamFailure, times = 1) => {
    for (let i = 0; i < times; i++) {
      const lease = await health.acquire(target, Number.POSITIVE_INFINITY);
      if (lease === 'full') throw new Error('no place');
      lease.end(outcome);
    }
  };
  return { clock, health, target, run, model: only };
}
