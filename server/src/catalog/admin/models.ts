/** How operators change models. A catalog model that is edited becomes the operator's own. */

import type { Json } from '../../core/json.ts';
import { difference } from '../../platform/audit-log.ts';
import { CATALOG_MODELS, vendorsByProvider } from '../catalog-rows.ts';
import { currentPrices } from '../prices/price-rows.ts';
import { type Fields, readModelFacts, readModels } from '../reading/index.ts';
import { type DatedSources, followCosts } from '../seed/seed.ts';
import {
  type AdminTools,
  change,
  notFound,
  readBody,
  refuseConfigManaged,
  refuseUnlessOperators,
  takeEnabled,
} from './change.ts';
import { findModel } from './find-model.ts';
import { DELETE_MODEL, insertModel, switchModel, writeDescription, writeFacts } from './model-rows.ts';
import { insertPrice } from './prices.ts';
import { sayCost } from './route-cost.ts';
import { insertRoute, routesOf } from './route-rows.ts';
import { nextState, refuseUsedModel, stateOf, takeState, tracedState } from './states.ts';
import { type ModelRecord, modelInput, modelRecord } from './views.ts';

export interface ModelAdmin {
  list(): Promise<ModelRecord[]>;
  get(id: string): Promise<ModelRecord>;
  /** The body has the fields of a YAML model. */
  create(body: Json, actor: string): Promise<ModelRecord>;
  /** The body has facts to change (not price or routes), and `state` or `enabled`. */
  update(id: string, patch: Json, actor: string): Promise<ModelRecord>;
  /**
   * Sets the operator's own description; null restores the shipped one. Nothing else of the row changes, whoever
   * manages it.
   */
  describe(id: string, words: { fa: string | null; en: string | null }, actor: string): Promise<ModelRecord>;
  /** Deletes only a model that was never used; any other is retired. */
  remove(id: string, actor: string): Promise<void>;
}

export function createModelAdmin(tools: AdminTools, dated: DatedSources): ModelAdmin {
  const { db } = tools;
  const record = (id: string) => modelRecordOf(tools, id);
  return {
    list: () => recordsOf(tools, null),
    get: record,
    async create(body, actor) {
      const { enabled, rest } = takeEnabled(body);
      const providers = await vendorsByProvider(db);
      const model = readBody(rest, (fields: Fields) => readModels([fields], providers)[0]);
      await change(tools, { actor, action: 'model.create', subject: model.id }, async (tx, now) => {
        await insertModel(tx, model, enabled ?? true, now);
        for (const route of model.routes) {
          await insertRoute(tx, model.id, route);
          if (route.cost) await sayCost(tx, model.id, route, now, tools.randomBytes);
        }
        await insertPrice(tx, { modelId: model.id, rates: model.rates, effectiveAt: now, now }, tools.randomBytes);
        await followCosts(tx, tools, dated);
      });
      return record(model.id);
    },
    async update(id, patch, actor) {
      const { wanted, rest } = takeState(patch);
      await change(tools, { actor, action: 'model.update', subject: id }, async (tx, now, note) => {
        const row = await findModel(tx, id);
        refuseConfigManaged(row);
        if (wanted !== undefined) await switchModel(tx, id, nextState(stateOf(row), wanted), now);
        if (Object.keys(rest).length > 0)
          await writeFacts(
            tx,
            id,
            readBody({ ...modelInput(row), ...rest }, (input) => readModelFacts(input, id)),
            now,
          );
        const written = await findModel(tx, id);
        const traced = (one: typeof row) => ({ ...tracedState(one), ...modelInput(one) });
        note(difference(traced(row), traced(written)));
      });
      return record(id);
    },
    async describe(id, { fa, en }, actor) {
      const words = { fa: fa?.trim() || null, en: en?.trim() || null };
      await change(tools, { actor, action: 'model.describe', subject: id }, async (tx, now, note) => {
        const { description_fa, description_en } = await findModel(tx, id);
        await writeDescription(tx, id, words, now);
        note(difference({ description_fa, description_en }, { description_fa: words.fa, description_en: words.en }));
      });
      return record(id);
    },
    async remove(id, actor) {
      await change(tools, { actor, action: 'model.delete', subject: id }, async (tx) => {
        refuseUnlessOperators(await findModel(tx, id));
        await refuseUsedModel(tx, id);
        await DELETE_MODEL.run(tx, [id]);
      });
    },
  };
}

export async function modelRecordOf(tools: AdminTools, id: string): Promise<ModelRecord> {
  const [found] = await recordsOf(tools, id);
  if (!found) throw notFound('model', id);
  return found;
}

/** One model, or all of them. */
async function recordsOf({ db, clock }: AdminTools, id: string | null): Promise<ModelRecord[]> {
  const models = await CATALOG_MODELS.rows(db, [id]);
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
