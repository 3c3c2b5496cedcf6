export {
  type AnswerKind,
  createHealth,
  type Lease,
  type RouteHealth,
  type TargetFacts,
  type TargetHealth,
} from './health.ts';
export { type NewsWire, RoutingNews } from './news.ts';
export { type PlanInput, planRoutes, type RoutePlan } from './plan.ts';
export { createRedisWire } from './redis-wire.ts';
export { createRouter, type PlanRequest, type Router } from './router.ts';
export { type Target, targetsOf } from './target.ts';
