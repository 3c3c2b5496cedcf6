/**
 * A list of models and list prices from outside: read and checked as a whole, compared with the one in force, and kept within
 * bounds, so that a broken or malicious list neither empties the catalog nor gives it away. The format: docs/reference/price-list.md.
 */
import type { Queryable } from '../../platform/db/index.ts';
import { findVendor, VENDORS } from '../../vendors/index.ts';
import { isModelId } from '../reading/ids.ts';
import { type Fields, readModelFacts, UniqueIds } from '../reading/index.ts';
import { mistakes } from '../reading/mistakes.ts';
import { readPriceTerms } from '../reading/read-terms.ts';
import type { ListedModel } from '../seed/listed-model.ts';
import { judgePrice } from './price-bounds.ts';
import { changesBetween } from './price-change.ts';
import { PRICE_FIELD_NAMES, REQUEST_FIELD } from './price-fields.ts';
import { ANNOUNCED_LISTS, LIST_IN_FORCE } from './term-rows.ts';
import { isDecimalText, ratesFromUsd, type UsdPrice, type UsdTier } from './toman-price.ts';

const LIST_FORMAT = 'dargah-price-list/1';
const MAX_MODELS = 5_000;
/** Only used to compare proportions, because the bounds of prices are in toman. */
const JUDGING_TERMS = { exchangeRate: '100000', margin: '0' };
const MAX_TIER = { min: 1, max: 100_000_000 };

/** Part of the models that may go at once, and how far a price may move at once, unless an operator insists. */
const MAX_WITHDRAWN = 0.25;
const FEW = 3;
const MAX_RISE_PERCENT = 100;
const MAX_FALL_PERCENT = -50;

export function readPriceList(fields: Fields): ListedModel[] | undefined {
  const format = fields.needText('format');
  if (format !== undefined && format !== LIST_FORMAT) fields.mistake('format', mistakes.choice([LIST_FORMAT], format));
  const sections = fields.need('models') ? fields.children('models') : [];
  if (sections.length > MAX_MODELS) return fields.mistake('models', mistakes.tooMany(MAX_MODELS));
  const ids = new UniqueIds('model');
  const models = sections.flatMap((section) => readListed(section, ids) ?? []);
  if (models.length === 0) fields.mistake('models', mistakes.noModel);
  return models;
}

function readListed(fields: Fields, ids: UniqueIds): ListedModel | undefined {
  const id = fields.needText('id');
  if (id !== undefined && !isModelId(id)) fields.mistake('id', mistakes.modelId);
  if (id !== undefined) ids.reserve(id, fields);
  const { kind, name, context, maxOutput, hiddenTokensPerSecond, capabilities, categories } = readModelFacts(
    fields,
    id ?? '',
  );
  const price = fields.need('usd') ? fields.child('usd') : undefined;
  const usd = price && readUsd(price);
  if (price && usd)
    for (const { field, message } of judgePrice(ratesFromUsd(usd, JUDGING_TERMS), kind).errors)
      fields.report.mistake(field === undefined ? price.path : price.at(field), message);
  const routes = fields.need('routes') ? fields.children('routes').flatMap(readListedRoute) : [];
  if (routes.length === 0) fields.mistake('routes', mistakes.noRoute);
  fields.finish();
  if (id === undefined || usd === undefined) return undefined;
  return { id, kind, name, usd, context, maxOutput, hiddenTokensPerSecond, capabilities, categories, routes };
}

function readListedRoute(fields: Fields): ListedModel['routes'] {
  const vendor = fields.needText('vendor');
  const model = fields.needText('model');
  if (vendor !== undefined && !findVendor(vendor)) {
    const known = VENDORS.map(({ id }) => id);
    fields.mistake('vendor', mistakes.noSuch('vendor', vendor, known));
  }
  const price = fields.child('usd');
  const usd = price && readUsd(price);
  fields.finish();
  return vendor === undefined || model === undefined ? [] : [{ vendor, model, ...(usd && { usd }) }];
}

/** Decimal text by price field, tiers included, in whatever currency the list or the statement is. */
export function readUsd(fields: Fields): UsdPrice {
  const usd: UsdPrice = {};
  for (const name of [...PRICE_FIELD_NAMES, REQUEST_FIELD] as const) {
    const text = readDecimal(fields, name);
    if (text !== undefined) usd[name] = text;
  }
  const tiers = fields.children('tiers').flatMap(readUsdTier);
  if (tiers.some((tier, index) => index > 0 && tier.above <= (tiers[index - 1]?.above ?? 0)))
    fields.mistake('tiers', mistakes.tiersOrder);
  if (tiers.length > 0) usd.tiers = tiers;
  Object.assign(usd, readPriceTerms(fields, readDecimal));
  fields.finish();
  return usd;
}

function readUsdTier(fields: Fields): UsdTier[] {
  const above = fields.need('above') ? fields.whole('above', MAX_TIER) : undefined;
  const usd: UsdTier['usd'] = {};
  for (const name of PRICE_FIELD_NAMES) {
    const text = readDecimal(fields, name);
    if (text !== undefined) usd[name] = text;
  }
  fields.finish();
  return above === undefined ? [] : [{ above, usd }];
}

function readDecimal(fields: Fields, name: string): string | undefined {
  const value = fields.raw(name);
  if (value === undefined) return undefined;
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return isDecimalText(text) ? text : fields.mistake(name, mistakes.usd(value));
}

export interface ListComparison {
  added: string[];
  withdrawn: string[];
  changed: { model: string; old: UsdPrice; new: UsdPrice; percent: number | null }[];
  /** What looks so wrong that an operator must insist. */
  doubts: string[];
}

export function compareLists(old: readonly ListedModel[], next: readonly ListedModel[]): ListComparison {
  const before = new Map(old.map((model) => [model.id, model]));
  const after = new Set(next.map(({ id }) => id));
  const added = next.filter(({ id }) => !before.has(id)).map(({ id }) => id);
  const withdrawn = old.filter(({ id }) => !after.has(id)).map(({ id }) => id);
  const changed = next.flatMap(({ id, usd }) => {
    const known = before.get(id)?.usd;
    if (!known || JSON.stringify(sorted(known)) === JSON.stringify(sorted(usd))) return [];
    return [{ model: id, old: known, new: usd, percent: largest(changesBetween(known, usd)) }];
  });
  const doubts = changed.flatMap((one) =>
    changesBetween(one.old, one.new)
      .filter((percent) => percent > MAX_RISE_PERCENT || percent < MAX_FALL_PERCENT)
      .slice(0, 1)
      .map((percent) => `the price of ${one.model} would change by ${percent} %`),
  );
  doubts.push(...soldBelow(old, next));
  if (withdrawn.length > FEW && withdrawn.length > old.length * MAX_WITHDRAWN)
    doubts.push(`${withdrawn.length} of ${old.length} models would be withdrawn`);
  return { added, withdrawn, changed, doubts };
}

function sorted(usd: UsdPrice): [string, unknown][] {
  return Object.entries(usd).sort(([a], [b]) => (a < b ? -1 : 1));
}

function largest(changes: number[]): number | null {
  return changes.reduce<number | null>((most, one) => (Math.abs(one) > Math.abs(most ?? 0) ? one : most), null);
}

/** Models of the new list whose vendor's model is sold now under another id of ours at a much higher price. */
function soldBelow(old: readonly ListedModel[], next: readonly ListedModel[]): string[] {
  const sellers = new Map<string, ListedModel[]>();
  for (const model of old)
    for (const route of model.routes) sellers.set(routeName(route), [...(sellers.get(routeName(route)) ?? []), model]);
  return next.flatMap(({ id, usd, routes }) =>
    routes.flatMap((route) => {
      const known = sellers.get(routeName(route)) ?? [];
      if (known.length === 0 || known.some((model) => model.id === id)) return [];
      const below = known.every((model) => Math.min(0, ...changesBetween(model.usd, usd)) < MAX_FALL_PERCENT);
      return below ? [`${id} would sell ${routeName(route)} far below what it costs now`] : [];
    }),
  );
}

function routeName({ vendor, model }: ListedModel['routes'][number]): string {
  return `${vendor}/${model}`;
}

/** A list that comes into force at its time. */
export interface DatedList {
  atMs: number;
  models: readonly ListedModel[];
}

/**
 * The list in force at a moment; undefined: the shipped one. An announced list counts from its date on, even before a replica has
 * applied it.
 */
export async function listInForce(db: Queryable, nowMs: number): Promise<ListedModel[] | undefined> {
  return (await LIST_IN_FORCE.first(db, [new Date(nowMs)]))?.models;
}

/** In the order in which they come into force. */
export async function announcedLists(db: Queryable, nowMs: number): Promise<DatedList[]> {
  const rows = await ANNOUNCED_LISTS.rows(db, [new Date(nowMs)]);
  return rows.map(({ models, effective_at: at }) => ({ atMs: at.getTime(), models }));
}
