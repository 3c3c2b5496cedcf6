/**
 * What a draft of the catalog can contain, how each edit is made, and how it is undone. People make two kinds of edits:
 * a model offered by a provider, and a price in toman. The other two undo them.
 */
import type { Json, JsonObject } from '../../core/json.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { findVendor, modelQuirks } from '../../vendors/index.ts';
import { LOCKED_MODEL, MODEL_BY_ID, type RouteRow } from '../catalog-rows.ts';
import type { ModelKind } from '../model.ts';
import type { Rates } from '../prices/price-fields.ts';
import { type PriceRow, pricesOf, withdrawListPrices } from '../prices/price-rows.ts';
import { insertStatement, priceStatement } from '../prices/route-costs.ts';
import { isModelId } from '../reading/ids.ts';
import { type Fields, readModelFacts, readPrice, readRates } from '../reading/index.ts';
import { mistakes } from '../reading/mistakes.ts';
import { catalogReasons } from '../reasons.ts';
import type { ListedModel } from '../seed/listed-model.ts';
import { type AdminTools, conflict, notFound, refuseConfigManaged } from './change.ts';
import { findModel } from './find-model.ts';
import { DELETE_MODEL, insertListedModel, insertModel, switchModel } from './model-rows.ts';
import { inForceAt, insertPrice } from './prices.ts';
import { type CostInput, readCost } from './route-cost.ts';
import { deleteRoute, insertRoute, type RouteKey, routeAt, routesOf, updateRoute } from './route-rows.ts';
import { isModelUsed, isRouteUsed, stateOf } from './states.ts';
import { LOCKED_VENDOR } from './use-rows.ts';
import { ratesView } from './views.ts';

/** The place of a new route among those that exist: before them, after them, or equal to the first ones. */
const PLACES = ['first', 'last', 'share'] as const;
type RoutePlace = (typeof PLACES)[number];

export interface OfferEdit extends RouteKey {
  op: 'offer';
  place: RoutePlace;
  /** A price in toman; absent when the list, the rate and the margin give it. */
  price?: JsonObject;
  cost?: JsonObject;
  kind?: ModelKind;
  name?: string;
  name_fa?: string;
  context?: number;
  max_output?: number;
}

export interface PriceEdit {
  op: 'price';
  model: string;
  price: JsonObject;
}

export interface WithdrawEdit extends RouteKey {
  op: 'withdraw';
}

export interface UnpinEdit {
  op: 'unpin';
  model: string;
}

export type Edit = OfferEdit | PriceEdit | WithdrawEdit | UnpinEdit;

const MAX_EDITS = 500;

/** Reads the `edits: […]` that people send; every mistake is named by its place. */
export function readEdits(fields: Fields): Edit[] {
  const sections = fields.need('edits') ? fields.children('edits') : [];
  if (sections.length > MAX_EDITS) fields.mistake('edits', mistakes.tooMany(MAX_EDITS));
  const seen = new Set<string>();
  return sections.flatMap((section): Edit[] => {
    const edit =
      section.choice('op', ['offer', 'price'] as const) === 'price' ? readPriceEdit(section) : readOffer(section);
    section.finish();
    if (!edit) return [];
    const key = JSON.stringify(edit.op === 'offer' ? [edit.model, edit.provider, edit.upstream] : [edit.model]);
    if (seen.has(key)) section.mistake('model', mistakes.routeTwice);
    seen.add(key);
    return [edit];
  });
}

function readPriceEdit(fields: Fields): PriceEdit | undefined {
  const model = fields.needText('model');
  const price = fields.need('price') ? fields.child('price') : undefined;
  if (model === undefined || price === undefined) return undefined;
  // Checked fully once the model's kind is known; what is no price at all is refused now.
  readRates(price);
  return { op: 'price', model, price: fields.raw('price') as JsonObject };
}

function readOffer(fields: Fields): OfferEdit | undefined {
  const model = fields.needText('model');
  if (model !== undefined && !isModelId(model)) fields.mistake('model', mistakes.modelId);
  const provider = fields.needText('provider');
  const upstream = fields.needText('upstream');
  const place = fields.choice('place', PLACES) ?? 'last';
  const { kind, name, nameFa, context, maxOutput } = readModelFacts(fields, model ?? '');
  const price = fields.child('price');
  if (price) readPrice(price, kind);
  const cost = fields.child('cost');
  if (cost) {
    readCost(cost);
    cost.finish();
  }
  if (model === undefined || provider === undefined || upstream === undefined) return undefined;
  return {
    op: 'offer',
    model,
    provider,
    upstream,
    place,
    ...(fields.has('kind') && { kind }),
    ...(name !== model && { name }),
    ...(nameFa !== undefined && { name_fa: nameFa }),
    ...(context !== undefined && { context }),
    ...(maxOutput !== undefined && { max_output: maxOutput }),
    ...(price && { price: fields.raw('price') as JsonObject }),
    ...(cost && { cost: fields.raw('cost') as JsonObject }),
  };
}

export interface EditTools extends Pick<AdminTools, 'randomBytes'> {
  list: readonly ListedModel[];
  /** Reads a part of an edit by the file's own readers. */
  read<T>(body: Json, read: (fields: Fields) => T): NonNullable<T>;
  now: Date;
}

/** Makes one edit and returns those that undo it, in the order in which they must be made. */
export async function makeEdit(tx: Queryable, edit: Edit, tools: EditTools): Promise<Edit[]> {
  if (edit.op === 'offer') return makeOffer(tx, edit, tools);
  if (edit.op === 'price') return makePrice(tx, edit.model, edit.price, tools);
  if (edit.op === 'withdraw') await withdraw(tx, edit, tools.now);
  // An unpinned price follows the list when everything is priced again, at the end of the change.
  return [];
}

async function makeOffer(tx: Queryable, edit: OfferEdit, tools: EditTools): Promise<Edit[]> {
  const vendor = await vendorOf(tx, edit.provider);
  const routes = await routesOf(tx, edit.model);
  const standing = routes.find((one) => one.provider_id === edit.provider && one.upstream_model === edit.upstream);
  if (standing && stateOf(standing) !== 'retired') throw conflict(catalogReasons.routeThere(edit.model, edit.provider));
  const model = await LOCKED_MODEL.first(tx, [edit.model]);
  const listed = tools.list.find(({ id }) => id === edit.model);
  const undo: Edit[] = [{ op: 'withdraw', model: edit.model, provider: edit.provider, upstream: edit.upstream }];
  if (!model) await makeModel(tx, edit, listed, tools);
  else {
    refuseConfigManaged(model);
    // A model that is only switched off stays off, because whoever did that did not ask for it to come back with a
    // route.
    if (stateOf(model) === 'retired') await switchModel(tx, model.id, null, tools.now);
  }
  await insertRoute(tx, edit.model, {
    provider: edit.provider,
    model: edit.upstream,
    ...placeAmong(
      routes.filter((one) => one.state === null),
      edit.place,
    ),
    quirks: vendor ? modelQuirks(vendor, edit.upstream) : {},
    cost: undefined,
  });
  if (edit.cost) await sayOfferedCost(tx, edit, tools);
  if (model && edit.price) undo.push(...(await makePrice(tx, edit.model, edit.price, tools)));
  return undo;
}

async function makeModel(
  tx: Queryable,
  edit: OfferEdit,
  listed: ListedModel | undefined,
  tools: EditTools,
): Promise<void> {
  if (listed && !edit.price) return insertListedModel(tx, listed, tools.now);
  if (!edit.price) throw conflict(catalogReasons.priceNeeded(edit.model));
  const kind = edit.kind ?? listed?.kind ?? 'chat';
  const facts = tools.read(factsOf(edit, listed), (fields) => readModelFacts(fields, edit.model));
  const rates = readGivenPrice(edit.price, kind, tools);
  const model = { id: edit.model, ...facts, kind, simulated: false, rates, routes: [] };
  await insertModel(tx, model, true, tools.now);
  await insertPrice(tx, { modelId: edit.model, rates, effectiveAt: tools.now, now: tools.now }, tools.randomBytes);
}

function factsOf(edit: OfferEdit, listed: ListedModel | undefined): JsonObject {
  const { kind, name, name_fa, context, max_output } = edit;
  return {
    kind: kind ?? listed?.kind ?? 'chat',
    name: name ?? listed?.name ?? edit.model,
    ...(name_fa !== undefined && { name_fa }),
    ...((context ?? listed?.context) !== undefined && { context: (context ?? listed?.context) as number }),
    ...((max_output ?? listed?.maxOutput) !== undefined && { max_output: (max_output ?? listed?.maxOutput) as number }),
    ...(listed && { capabilities: listed.capabilities, categories: listed.categories }),
  };
}

async function makePrice(tx: Queryable, modelId: string, price: JsonObject, tools: EditTools): Promise<Edit[]> {
  const model = await findModel(tx, modelId);
  refuseConfigManaged(model);
  const rates = readGivenPrice(price, model.kind, tools);
  const { now } = tools;
  const present = inForceAt(await pricesOf(tx, modelId, 200), now);
  await insertPrice(tx, { modelId, rates, effectiveAt: now, now }, tools.randomBytes);
  await withdrawListPrices(tx, modelId, now, now);
  return present ? [restoring(modelId, present)] : [];
}

/** Prices are never deleted: the former one returns as a new version, or the model follows the list again. */
function restoring(model: string, present: PriceRow): Edit {
  if (present.source !== 'operator') return { op: 'unpin', model };
  return { op: 'price', model, price: ratesView(present) };
}

export function readGivenPrice(price: JsonObject, kind: ModelKind, { read }: Pick<EditTools, 'read'>): Rates {
  return read({ price }, (fields) => readPrice(fields.child('price'), kind));
}

async function sayOfferedCost(tx: Queryable, edit: OfferEdit, tools: EditTools): Promise<void> {
  const { prices, currency }: CostInput = tools.read(edit.cost ?? {}, readCost);
  if (!prices) return;
  const names = { model_id: edit.model, provider_id: edit.provider, upstream_model: edit.upstream };
  const statement = priceStatement(names, currency, prices);
  await insertStatement(tx, { ...statement, effectiveAt: tools.now, now: tools.now }, tools.randomBytes);
}

/**
 * A route that carried requests keeps its row, so that what is known of it stays; an operator's own model is removed
 * with its last route.
 */
async function withdraw(tx: Queryable, edit: WithdrawEdit, now: Date): Promise<void> {
  const route = await routeAt(tx, edit);
  if (route) {
    if (await isRouteUsed(tx, edit)) await updateRoute(tx, edit, { ...route, state: 'retired' });
    else await deleteRoute(tx, edit);
  }
  const model = await LOCKED_MODEL.first(tx, [edit.model]);
  if (model?.managed_by !== 'operator') return;
  const left = (await routesOf(tx, edit.model)).filter((one) => stateOf(one) !== 'retired');
  if (left.length > 0) return;
  if (await isModelUsed(tx, edit.model)) await switchModel(tx, edit.model, 'retired', now);
  else await DELETE_MODEL.run(tx, [edit.model]);
}

function placeAmong(routes: readonly RouteRow[], place: RoutePlace): { priority: number; weight: number } {
  const priorities = routes.map(({ priority }) => priority);
  if (priorities.length === 0) return { priority: 1, weight: 1 };
  if (place === 'share') return { priority: Math.min(...priorities), weight: 1 };
  if (place === 'last') return { priority: Math.min(1_000, Math.max(...priorities) + 1), weight: 1 };
  return { priority: Math.max(0, Math.min(...priorities) - 1), weight: 1 };
}

async function vendorOf(tx: Queryable, id: string) {
  const row = await LOCKED_VENDOR.first(tx, [id]);
  if (!row) throw notFound('provider', id);
  return findVendor(row.vendor);
}

/**
 * What an edit touches, and how it looks now, in a form that the audit log can show. It is compared before publishing,
 * so that nobody's change is overwritten unseen.
 */
export async function looksOf(db: Queryable, edits: readonly Edit[], now: Date): Promise<Record<string, string>> {
  const looks: Record<string, string> = {};
  for (const edit of edits) {
    if (edit.op === 'offer' || edit.op === 'withdraw') looks[`route ${edit.model}`] = await routesLook(db, edit.model);
    if (edit.op === 'price' || edit.op === 'unpin' || (edit.op === 'offer' && edit.price))
      looks[`price ${edit.model}`] = await priceLook(db, edit.model, now);
  }
  return looks;
}

async function routesLook(db: Queryable, model: string): Promise<string> {
  const row = await MODEL_BY_ID.first(db, [model]);
  const routes = (await routesOf(db, model)).filter((one) => stateOf(one) !== 'retired');
  const state = row === undefined || routes.length === 0 ? 'none' : stateOf(row);
  const said = routes.map((one) => {
    const place = `${one.provider_id}:${one.upstream_model} ${one.priority}/${one.weight}`;
    return stateOf(one) === 'active' ? place : `${place} ${stateOf(one)}`;
  });
  return [state, ...said].join(', ');
}

/** A price that follows the list looks the same at every rate. */
async function priceLook(db: Queryable, model: string, now: Date): Promise<string> {
  const present = inForceAt(await pricesOf(db, model, 200), now);
  if (present === undefined) return 'none';
  if (present.source !== 'operator') return 'follows the list';
  return Object.entries(ratesView(present))
    .map(([field, value]) => `${field} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}
