/** Reads `models:` and `groups:`, which say what is offered, who serves it, and at what price. */

import { MODEL_FIELDS, ROUTE_FIELDS } from '@dargah/core/fields/index.ts';
import { MODEL_KINDS } from '@dargah/core/model-kinds.ts';
import type { PriceTier, UnitPrices } from '../../core/price.ts';
import { findVendor, modelQuirks } from '../../vendors/index.ts';
import { CAPABILITIES, type ModelKind, type RouteLimits } from '../model.ts';
import { judgePrice } from '../prices/price-bounds.ts';
import { BUCKET_OF_FIELD, PRICE_FIELD_NAMES, type Rates, REQUEST_FIELD } from '../prices/price-fields.ts';
import { termsFromText } from '../prices/price-terms.ts';
import type { DeclaredGroup, DeclaredModel, DeclaredProvider, DeclaredRoute } from '../seed/declared.ts';
import type { Fields } from './fields.ts';
import { isModelId, isSlug, UniqueIds } from './ids.ts';
import { mistakes } from './mistakes.ts';
import { readPerMillion, readToman } from './read-amounts.ts';
import { readQuirks } from './read-quirks.ts';
import { readPriceTerms } from './read-terms.ts';

/** Prompt tokens at which other prices begin. */
const TIER_BOUNDS = { min: 1, max: 100_000_000 };
const MAX_TIERS = 10;

/** What nearly every chat server does; a list in the file replaces it as a whole. */
const USUAL_CHAT_CAPABILITIES = ['json_object', 'streaming', 'tools'];

/** Vendor by provider id, for every provider the file may name. */
export type KnownProviders = ReadonlyMap<string, string>;

export function knownProviders(lists: DeclaredProvider[][]): KnownProviders {
  return new Map(lists.flat().map((provider) => [provider.id, provider.vendor]));
}

export function readModels(sections: Fields[], providers: KnownProviders): DeclaredModel[] {
  const ids = new UniqueIds('model');
  return sections.flatMap((fields) => {
    const model = readModel(fields, providers, ids);
    fields.finish();
    return model ? [model] : [];
  });
}

function readModel(fields: Fields, providers: KnownProviders, ids: UniqueIds): DeclaredModel | undefined {
  const id = fields.needText('id');
  if (id !== undefined && !isModelId(id)) fields.mistake('id', mistakes.modelId);
  if (id !== undefined) ids.reserve(id, fields);
  const facts = readModelFacts(fields, id ?? '');
  const routes = readRoutes(fields, providers);
  const rates = fields.need('price') ? readPrice(fields.child('price'), facts.kind) : undefined;
  return id === undefined || rates === undefined ? undefined : { id, ...facts, simulated: false, rates, routes };
}

export type ModelFacts = Omit<DeclaredModel, 'id' | 'rates' | 'routes' | 'simulated'>;

/** A model without its price and routes, which change independently. */
export function readModelFacts(fields: Fields, id: string): ModelFacts {
  const kind = fields.choice('kind', MODEL_KINDS) ?? 'chat';
  const context = fields.whole('context', MODEL_FIELDS.context);
  const maxOutput = fields.whole('max_output', MODEL_FIELDS.max_output);
  if (context !== undefined && maxOutput !== undefined && maxOutput > context)
    fields.mistake('max_output', mistakes.aboveContext(context));
  return {
    kind,
    context,
    maxOutput,
    hiddenTokensPerSecond: fields.whole('hidden_tokens_per_second', MODEL_FIELDS.hidden_tokens_per_second),
    name: fields.text('name') ?? id,
    nameFa: fields.text('name_fa'),
    capabilities: readCapabilities(fields, kind),
    categories: readCategories(fields),
    hedge: fields.flag('hedge') ?? false,
  };
}

function readRoutes(fields: Fields, providers: KnownProviders): DeclaredRoute[] {
  if (!fields.need('routes')) return [];
  const sections = fields.children('routes');
  if (fields.list('routes')?.length === 0) fields.mistake('routes', mistakes.noRoute);
  const seen = new Set<string>();
  return sections.flatMap((section) => {
    const route = readRoute(section, providers);
    section.finish();
    const key = route && `${route.provider} ${route.model}`;
    if (key !== undefined && seen.has(key)) section.mistake('provider', mistakes.routeTwice);
    if (key !== undefined) seen.add(key);
    return route ? [route] : [];
  });
}

export function readRoute(fields: Fields, providers: KnownProviders): DeclaredRoute | undefined {
  const provider = fields.needText('provider');
  const model = fields.needText('model');
  const vendorId = provider === undefined ? undefined : providers.get(provider);
  if (provider !== undefined && vendorId === undefined)
    fields.mistake('provider', mistakes.noSuch('provider', provider, providers.keys()));
  const priority = fields.whole('priority', ROUTE_FIELDS.priority) ?? ROUTE_FIELDS.priority.initial;
  const weight = fields.whole('weight', ROUTE_FIELDS.weight) ?? ROUTE_FIELDS.weight.initial;
  const limits = readLimits(fields);
  const own = readQuirks(fields.child('quirks'));
  const costFields = fields.child('cost');
  const cost = costFields && readRates(costFields);
  if (provider === undefined || model === undefined || vendorId === undefined) return undefined;
  const vendor = findVendor(vendorId);
  const quirks = { ...(vendor && modelQuirks(vendor, model)), ...own };
  return { provider, model, priority, weight, quirks, cost, ...(limits && { limits }) };
}

function readLimits(fields: Fields): RouteLimits | undefined {
  const maxConcurrent = fields.whole('max_concurrent', ROUTE_FIELDS.max_concurrent) ?? null;
  const requestsPerMinute = fields.whole('requests_per_minute', ROUTE_FIELDS.requests_per_minute) ?? null;
  const tokensPerMinute = fields.whole('tokens_per_minute', ROUTE_FIELDS.tokens_per_minute) ?? null;
  const limits = { maxConcurrent, requestsPerMinute, tokensPerMinute };
  return Object.values(limits).every((limit) => limit === null) ? undefined : limits;
}

/** Prices of the known fields; `request` is toman for each request, `tiers` other prices for long prompts. */
export function readRates(fields: Fields): Rates {
  const rates: Rates = { perUnit: readUnits(fields), perRequest: readToman(fields, REQUEST_FIELD) ?? 0n };
  const tiers = readTiers(fields);
  if (tiers.length > 0) rates.tiers = tiers;
  const terms = readPriceTerms(fields, (section, name) => readPerMillion(section, name)?.toString());
  fields.finish();
  return { ...rates, ...termsFromText(terms) };
}

function readUnits(fields: Fields): UnitPrices {
  const prices: UnitPrices = {};
  for (const field of PRICE_FIELD_NAMES) {
    const value = readPerMillion(fields, field);
    if (value !== undefined) prices[BUCKET_OF_FIELD[field]] = value;
  }
  return prices;
}

function readTiers(fields: Fields): PriceTier[] {
  const tiers = fields.children('tiers').flatMap((section) => {
    const above = section.need('above') ? section.whole('above', TIER_BOUNDS) : undefined;
    const perUnit = readUnits(section);
    section.finish();
    if (Object.keys(perUnit).length === 0) section.mistake('above', mistakes.tierWithoutPrice);
    return above === undefined ? [] : [{ above, perUnit }];
  });
  if (tiers.some((tier, index) => index > 0 && tier.above <= (tiers[index - 1]?.above ?? 0)))
    fields.mistake('tiers', mistakes.tiersOrder);
  if (tiers.length > MAX_TIERS) fields.mistake('tiers', mistakes.tooMany(MAX_TIERS));
  return tiers;
}

export function readPrice(fields: Fields | undefined, kind: ModelKind): Rates | undefined {
  if (!fields) return undefined;
  const mistakesBefore = fields.report.mistakes.length;
  const rates = readRates(fields);
  // A price that could not be read is not reported as missing too.
  if (fields.report.mistakes.length > mistakesBefore) return rates;
  const { errors, warnings } = judgePrice(rates, kind);
  const place = (field: string | undefined) => (field === undefined ? fields.path : fields.at(field));
  for (const { field, message, persian } of errors) fields.report.mistake(place(field), { fa: persian, en: message });
  for (const { field, message } of warnings) fields.report.warning(place(field), message);
  return rates;
}

function readCapabilities(fields: Fields, kind: ModelKind): string[] {
  const listed = fields.texts('capabilities');
  if (listed === undefined) return kind === 'chat' ? USUAL_CHAT_CAPABILITIES : [];
  listed.forEach((name, index) => {
    if ((CAPABILITIES as readonly string[]).includes(name)) return;
    fields.report.mistake([...fields.at('capabilities'), index], mistakes.choice(CAPABILITIES, name));
  });
  return [...new Set(listed)].sort();
}

function readCategories(fields: Fields): string[] {
  const listed = fields.texts('categories') ?? [];
  listed.forEach((name, index) => {
    if (!isSlug(name)) fields.report.mistake([...fields.at('categories'), index], mistakes.slug);
  });
  return [...new Set(listed)];
}

export function readGroups(sections: Fields[], modelIds: ReadonlySet<string>): DeclaredGroup[] {
  const ids = new UniqueIds('group');
  return sections.flatMap((fields) => {
    const id = fields.needText('id');
    if (id !== undefined && !isSlug(id)) fields.mistake('id', mistakes.slug);
    if (id !== undefined) ids.reserve(id, fields);
    const models = fields.need('models') ? (fields.texts('models') ?? []) : [];
    models.forEach((model, index) => {
      if (modelIds.has(model)) return;
      fields.report.mistake([...fields.at('models'), index], mistakes.noSuch('model', model, modelIds));
    });
    const defaultModel = fields.text('default') ?? models[0];
    if (defaultModel === undefined) fields.mistake('models', mistakes.noModel);
    else if (!models.includes(defaultModel)) fields.mistake('default', mistakes.notInGroup(defaultModel, models));
    const names = { name: fields.text('name') ?? id ?? '', nameFa: fields.text('name_fa') };
    fields.finish();
    return id === undefined || defaultModel === undefined ? [] : [{ id, ...names, defaultModel, models }];
  });
}
