/** Models and their routes, as operators change them. A catalog model that is edited becomes the operator's own. */

import type { Json, JsonObject } from '../../core/json.ts';
import { difference } from '../../platform/audit-log.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { ratesToText } from '../prices/price-fields.ts';
import { type Fields, readModelFacts, readModels, readRoute } from '../reading/index.ts';
import { catalogReasons } from '../reasons.ts';
import { currentPrices, MODEL_COLUMNS, type ModelRow, type RouteRow } from '../rows.ts';
import type { DeclaredModel, DeclaredRoute } from '../seed/declared.ts';
import {
  type AdminTools,
  change,
  conflict,
  notFound,
  readBody,
  refuseConfigManaged,
  refuseUnlessOperators,
  takeEnabled,
} from './change.ts';
import { findModel } from './find-model.ts';
import { insertPrice } from './prices.ts';
import { modelInput, modelRecord } from './views.ts';

export interface ModelAdmin {
  list(): Promise<JsonObject[]>;
  get(id: string): Promise<JsonObject>;
  /** Fields of a YAML model. */
  create(body: Json, actor: string): Promise<JsonObject>;
  /** Facts to change (not price or routes), and `enabled`. */
  update(id: string, patch: Json, actor: string): Promise<JsonObject>;
  remove(id: string, actor: string): Promise<void>;
  /** Adds or replaces the route to `provider` under `model`. */
  setRoute(id: string, body: Json, actor: string): Promise<JsonObject>;
  removeRoute(id: string, provider: string, upstreamModel: string, actor: string): Promise<JsonObject>;
}

export function createModelAdmin(tools: AdminTools): ModelAdmin {
  const { db } = tools;
  const record = async (id: string) => {
    const [found] = await recordsOf(tools, id);
    if (!found) throw notFound('model', id);
    return found;
  };
  return {
    list: () => recordsOf(tools, null),
    get: record,
    async create(body, actor) {
      const { enabled, rest } = takeEnabled(body);
      const providers = await knownProviders(db);
      const model = readBody(rest, (fields: Fields) => readModels([fields], providers)[0]);
      await change(tools, { actor, action: 'model.create', subject: model.id }, async (tx, now) => {
        await insertModel(tx, model, enabled ?? true, now);
        for (const route of model.routes) await insertRoute(tx, model.id, route);
        await insertPrice(tx, { modelId: model.id, rates: model.rates, effectiveAt: now, now }, tools.randomBytes);
      });
      return record(model.id);
    },
    async update(id, patch, actor) {
      const { enabled, rest } = takeEnabled(patch);
      await change(tools, { actor, action: 'model.update', subject: id }, async (tx, now, note) => {
        const row = await findModel(tx, id);
        refuseConfigManaged(row);
        if (enabled !== undefined) await switchModel(tx, id, enabled, now);
        if (Object.keys(rest).length > 0)
          await writeFacts(
            tx,
            id,
            readBody({ ...modelInput(row), ...rest }, (input) => readModelFacts(input, id)),
            now,
          );
        const written = await findModel(tx, id);
        const traced = (one: typeof row) => ({ enabled: one.enabled, ...modelInput(one) });
        note(difference(traced(row), traced(written)));
      });
      return record(id);
    },
    async remove(id, actor) {
      await change(tools, { actor, action: 'model.delete', subject: id }, async (tx) => {
        refuseUnlessOperators(await findModel(tx, id));
        await tx.query('delete from model where id = $1', [id]);
      });
    },
    async setRoute(id, body, actor) {
      const providers = await knownProviders(db);
      const route = readBody(body, (fields) => readRoute(fields, providers));
      const detail = { provider: route.provider, model: route.model };
      await change(tools, { actor, action: 'route.set', subject: id, detail }, async (tx) => {
        refuseConfigManaged(await findModel(tx, id));
        await insertRoute(tx, id, route);
      });
      return record(id);
    },
    async removeRoute(id, provider, upstreamModel, actor) {
      const detail = { provider, model: upstreamModel };
      await change(tools, { actor, action: 'route.remove', subject: id, detail }, async (tx) => {
        refuseConfigManaged(await findModel(tx, id));
        const route = (await routesOf(tx, id)).find(
          (one) => one.provider_id === provider && one.upstream_model === upstreamModel,
        );
        if (!route) throw notFound('route', `${provider}:${upstreamModel}`);
        if (route.managed_by !== 'operator') throw conflict(catalogReasons.routeOfTheCatalog);
        await tx.query('delete from route where model_id = $1 and provider_id = $2 and upstream_model = $3', [
          id,
          provider,
          upstreamModel,
        ]);
      });
      return record(id);
    },
  };
}

/** One model, or all of them. */
async function recordsOf({ db, clock }: AdminTools, id: string | null): Promise<JsonObject[]> {
  const models = await db.query<ModelRow>(
    `select ${MODEL_COLUMNS} from model where $1::text is null or id = $1 order by id`,
    [id],
  );
  const routes = await routesOf(db, id);
  const prices = new Map((await currentPrices(db, clock.now())).map((price) => [price.model_id, price]));
  return models.map((row) =>
    modelRecord(
      row,
      routes.filter((route) => route.model_id === row.id),
      prices.get(row.id),
    ),
  );
}

async function knownProviders(db: Queryable): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; vendor: string }>('select id, vendor from provider order by id');
  return new Map(rows.map((row) => [row.id, row.vendor]));
}

async function routesOf(db: Queryable, modelId: string | null): Promise<RouteRow[]> {
  return db.query<RouteRow>(
    `select model_id, provider_id, upstream_model, priority, weight, quirks, cost, managed_by from route
     where $1::text is null or model_id = $1 order by model_id, priority, provider_id, upstream_model`,
    [modelId],
  );
}

async function insertModel(tx: Queryable, model: DeclaredModel, enabled: boolean, now: Date): Promise<void> {
  await tx.query(
    `insert into model (id, kind, name, name_fa, context, max_output, hidden_tokens_per_second, capabilities, categories, hedge,
       managed_by, enabled, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9::jsonb, $10, 'operator', $11, $12, $12)`,
    [model.id, ...factValues(model), enabled, now],
  );
}

/** A model that is off already keeps the time at which it was first switched off. */
async function switchModel(tx: Queryable, id: string, enabled: boolean, now: Date): Promise<void> {
  await tx.query(
    `update model set enabled = $2, updated_at = $3, disabled_at = case when $2 then null when enabled then $3 else disabled_at end
     where id = $1`,
    [id, enabled, now],
  );
}

async function writeFacts(
  tx: Queryable,
  id: string,
  facts: ReturnType<typeof readModelFacts>,
  now: Date,
): Promise<void> {
  await tx.query(
    `update model set kind = $2, name = $3, name_fa = $4, context = $5, max_output = $6,
       hidden_tokens_per_second = $7, capabilities = $8::jsonb, categories = $9::jsonb, hedge = $10, managed_by = 'operator',
       updated_at = $11 where id = $1`,
    [id, ...factValues(facts), now],
  );
}

function factValues(facts: ReturnType<typeof readModelFacts>): unknown[] {
  const { kind, name, nameFa, context, maxOutput, hiddenTokensPerSecond, capabilities, categories, hedge } = facts;
  const lists = [JSON.stringify(capabilities), JSON.stringify(categories)];
  return [
    kind,
    name,
    nameFa ?? null,
    context ?? null,
    maxOutput ?? null,
    hiddenTokensPerSecond ?? null,
    ...lists,
    hedge,
  ];
}

async function insertRoute(tx: Queryable, modelId: string, route: DeclaredRoute): Promise<void> {
  const cost = route.cost && ratesToText(route.cost);
  await tx.query(
    `insert into route (model_id, provider_id, upstream_model, priority, weight, quirks, cost, managed_by)
     values ($1, $2, $3, $4, $5, $6::jsonb, $7::jsonb, 'operator')
     on conflict (model_id, provider_id, upstream_model) do update set priority = excluded.priority,
       weight = excluded.weight, quirks = excluded.quirks, cost = excluded.cost, managed_by = 'operator'`,
    [
      modelId,
      route.provider,
      route.model,
      route.priority,
      route.weight,
      JSON.stringify(route.quirks),
      cost ? JSON.stringify(cost) : null,
    ],
  );
}
