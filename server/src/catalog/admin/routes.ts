/** How operators make, change and remove routes. */
import type { Json, JsonObject } from '../../core/json.ts';
import { difference } from '../../platform/audit-log.ts';
import type { RouteRow } from '../catalog-rows.ts';
import { vendorsByProvider } from '../catalog-rows.ts';
import { readRoute, renderQuirks } from '../reading/index.ts';
import { catalogReasons } from '../reasons.ts';
import { type DatedSources, followCosts, lockSeeding, seedWithin } from '../seed/seed.ts';
import { type AdminTools, change, conflict, readBody, refuseConfigManaged } from './change.ts';
import { findModel } from './find-model.ts';
import { modelRecordOf } from './models.ts';
import { sayCost } from './route-cost.ts';
import { deleteRoute, findRoute, insertRoute, type RouteKey, updateRoute } from './route-rows.ts';
import { isRouteUsed, nextState, stateOf, takeState } from './states.ts';
import type { ModelRecord } from './views.ts';

export interface RouteAdmin {
  /** Adds or replaces the route to `provider` under `model`. */
  set(id: string, body: Json, actor: string): Promise<ModelRecord>;
  /** Fields that are absent stay. `model` is the provider's new name of the model; `state` may change too. */
  update(key: RouteKey, patch: Json, actor: string): Promise<ModelRecord>;
  /** Deletes only a route that was never used; any other is retired. */
  remove(key: RouteKey, actor: string): Promise<ModelRecord>;
}

export function createRouteAdmin(tools: AdminTools, dated: DatedSources): RouteAdmin {
  const { db } = tools;
  /** Prices a listed model that had no route until now, or removes the price of one that lost its last route. */
  const follow = (tx: Parameters<typeof seedWithin>[0]) => seedWithin(tx, tools, dated, true);
  return {
    async set(id, body, actor) {
      const providers = await vendorsByProvider(db);
      const route = readBody(body, (fields) => readRoute(fields, providers));
      const detail = { provider: route.provider, model: route.model };
      await change(tools, { actor, action: 'route.set', subject: id, detail }, async (tx, now) => {
        await lockSeeding(tx);
        refuseConfigManaged(await findModel(tx, id));
        await insertRoute(tx, id, route);
        await sayCost(tx, id, route, now, tools.randomBytes);
        await follow(tx);
      });
      return modelRecordOf(tools, id);
    },
    async update(key, patch, actor) {
      const { wanted, rest } = takeState(patch);
      const providers = await vendorsByProvider(db);
      const detail = { provider: key.provider, model: key.upstream };
      await change(tools, { actor, action: 'route.update', subject: key.model, detail }, async (tx, _now, note) => {
        await lockSeeding(tx);
        const row = await findRoute(tx, key);
        refuseConfigManaged(row);
        const input = { ...routeInput(row), ...rest };
        const read = readBody(input, (fields) => readRoute(fields, providers));
        // Start-up would add the former name again beside the new one.
        if (read.model !== row.upstream_model && row.managed_by !== 'operator')
          throw conflict(catalogReasons.madeByTheGateway);
        const state = wanted === undefined ? row.state : nextState(stateOf(row), wanted);
        const next: RouteRow = {
          ...row,
          upstream_model: read.model,
          priority: read.priority,
          weight: read.weight,
          quirks: read.quirks,
          max_concurrent: read.limits?.maxConcurrent ?? null,
          requests_per_minute: read.limits?.requestsPerMinute ?? null,
          tokens_per_minute: read.limits?.tokensPerMinute ?? null,
          state,
        };
        await updateRoute(tx, key, next);
        note(difference(traced(row), traced(next)));
        await follow(tx);
      });
      return modelRecordOf(tools, key.model);
    },
    async remove(key, actor) {
      const detail = { provider: key.provider, model: key.upstream };
      await change(tools, { actor, action: 'route.remove', subject: key.model, detail }, async (tx) => {
        await lockSeeding(tx);
        refuseConfigManaged(await findModel(tx, key.model));
        const route = await findRoute(tx, key);
        if (route.managed_by !== 'operator') throw conflict(catalogReasons.routeOfTheCatalog);
        if (await isRouteUsed(tx, key)) throw conflict(catalogReasons.usedBefore);
        await deleteRoute(tx, key);
        await follow(tx);
        await followCosts(tx, tools, dated);
      });
      return modelRecordOf(tools, key.model);
    },
  };
}

/** The part of a route that can be read back as input. */
function routeInput(row: RouteRow): JsonObject {
  return {
    provider: row.provider_id,
    model: row.upstream_model,
    priority: row.priority,
    weight: row.weight,
    quirks: renderQuirks(row.quirks),
    max_concurrent: row.max_concurrent,
    requests_per_minute: row.requests_per_minute,
    tokens_per_minute: row.tokens_per_minute,
  };
}

function traced(row: RouteRow): JsonObject {
  return { ...routeInput(row), state: stateOf(row) };
}
