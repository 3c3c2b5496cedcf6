/** The statements on routes. */
import { command, type Queryable } from '../../platform/db/index.ts';
import { CATALOG_ROUTES, LOCKED_ROUTE, type RouteRow } from '../catalog-rows.ts';
import type { DeclaredRoute } from '../seed/declared.ts';
import { notFound } from './change.ts';

export interface RouteKey {
  model: string;
  provider: string;
  upstream: string;
}

/** The routes of one model, or of all models. */
export function routesOf(db: Queryable, modelId: string | null): Promise<RouteRow[]> {
  return CATALOG_ROUTES.rows(db, [modelId]);
}

export async function findRoute(tx: Queryable, key: RouteKey): Promise<RouteRow> {
  const row = await routeAt(tx, key);
  if (!row) throw notFound('route', `${key.provider}:${key.upstream}`);
  return row;
}

/** Locked until the caller's transaction ends. */
export function routeAt(tx: Queryable, { model, provider, upstream }: RouteKey): Promise<RouteRow | undefined> {
  return LOCKED_ROUTE.first(tx, [model, provider, upstream]);
}

const INSERT_ROUTE = command(
  `insert into route (model_id, provider_id, upstream_model, priority, weight, quirks, max_concurrent, requests_per_minute,
     tokens_per_minute, managed_by)
   values ($1, $2, $3, $4, $5, $6::jsonb, $7, $8, $9, 'operator')
   on conflict (model_id, provider_id, upstream_model) do update set priority = excluded.priority,
     weight = excluded.weight, quirks = excluded.quirks, max_concurrent = excluded.max_concurrent,
     requests_per_minute = excluded.requests_per_minute, tokens_per_minute = excluded.tokens_per_minute, state = null,
     managed_by = 'operator'`,
);

/**
 * Adds a route, or replaces the one with the same names; either way it is the operator's own from now on, and in use.
 */
export async function insertRoute(tx: Queryable, modelId: string, route: DeclaredRoute): Promise<void> {
  await INSERT_ROUTE.run(tx, [
    modelId,
    route.provider,
    route.model,
    route.priority,
    route.weight,
    JSON.stringify(route.quirks),
    route.limits?.maxConcurrent ?? null,
    route.limits?.requestsPerMinute ?? null,
    route.limits?.tokensPerMinute ?? null,
  ]);
}

const UPDATE_ROUTE = command(
  `update route set upstream_model = $4, priority = $5, weight = $6, quirks = $7::jsonb, max_concurrent = $8,
     requests_per_minute = $9, tokens_per_minute = $10, state = $11, managed_by = 'operator'
   where model_id = $1 and provider_id = $2 and upstream_model = $3`,
);

/** A route that start-up made becomes the operator's own when it is changed by hand. */
export async function updateRoute(tx: Queryable, key: RouteKey, next: RouteRow): Promise<void> {
  await UPDATE_ROUTE.run(tx, [
    key.model,
    key.provider,
    key.upstream,
    next.upstream_model,
    next.priority,
    next.weight,
    JSON.stringify(next.quirks),
    next.max_concurrent,
    next.requests_per_minute,
    next.tokens_per_minute,
    next.state,
  ]);
}

const DELETE_ROUTE = command('delete from route where model_id = $1 and provider_id = $2 and upstream_model = $3');

export async function deleteRoute(tx: Queryable, { model, provider, upstream }: RouteKey): Promise<void> {
  await DELETE_ROUTE.run(tx, [model, provider, upstream]);
}
