export type { RequestNeeds } from './candidate.ts';
export type { TargetHealth } from './health.ts';
export type { Slot } from './live-slot.ts';
export { RoutingNews } from './news.ts';
export type { RoutePlan } from './plan.ts';
export { createRedisWire } from './redis-wire.ts';
export { createRouter, type Router } from './router.ts';
export { type Target, targetsOf } from './target.ts';
