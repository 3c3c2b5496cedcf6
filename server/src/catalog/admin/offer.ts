/**
 * What a provider could serve: the models that the list in force knows for its vendor, whatever the provider's own id,
 * and those that the provider lists itself. Each comes with its list price, the price at the rate and margin in force,
 * its cost, and the effect of choosing it.
 */
import { findVendor } from '../../vendors/index.ts';
import {
  CATALOG_MODELS,
  type ModelRow,
  PROVIDER_BY_ID,
  PROVIDERS_OF_VENDORS,
  type ProviderRow,
  type RouteRow,
} from '../catalog-rows.ts';
import { guessedKind } from '../guessed-kind.ts';
import { ratesToText } from '../prices/price-fields.ts';
import { listInForce } from '../prices/price-list.ts';
import { currentPrices, type PriceRow } from '../prices/price-rows.ts';
import { marginFor, readTerms, termsAt } from '../prices/pricing-terms.ts';
import { CostBook, readStatements } from '../prices/route-costs.ts';
import { isConfirmed, readSelling } from '../prices/selling.ts';
import { ratesFromUsd } from '../prices/toman-price.ts';
import { isModelId } from '../reading/ids.ts';
import type { ListedModel } from '../seed/listed-model.ts';
import { listedModels } from '../seed/listed-models.ts';
import type { DatedSources } from '../seed/seed.ts';
import { type AdminTools, notFound } from './change.ts';
import { pricesView } from './route-cost.ts';
import { routesOf } from './route-rows.ts';
import { stateOf } from './states.ts';
import { priceView, ratesView } from './views.ts';

/** The provider's own list of models, read now; null when it could not be read. */
export type AskModels = (provider: string) => Promise<{ names: string[] | null; problem: string | null }>;

/**
 * The effect of choosing a row. `routed`: none, because it is served already. `unlisted`: a person must enter a price.
 */
export type OfferState = 'new' | 'adds_route' | 'routed' | 'unlisted';

interface OfferFacts {
  provider: ProviderRow;
  models: ReadonlyMap<string, ModelRow>;
  routes: readonly RouteRow[];
  prices: ReadonlyMap<string, PriceRow>;
  list: readonly ListedModel[];
  terms: ReturnType<typeof termsAt>;
  costs: CostBook;
  /** Null when it could not be read. */
  own: ReadonlySet<string> | null;
}

const MAX_UNLISTED = 500;

export async function offerOf(tools: AdminTools, dated: DatedSources, ask: AskModels, id: string) {
  const { db, clock } = tools;
  const nowMs = clock.now();
  const provider = await PROVIDER_BY_ID.first(db, [id]);
  if (!provider) throw notFound('provider', id);
  const { names, problem } = await ask(id);
  const terms = termsAt(await readTerms(db, nowMs), nowMs, dated.file, dated.sources.terms);
  const list = (await listInForce(db, nowMs)) ?? listedModels();
  const models = await CATALOG_MODELS.rows(db, [null]);
  const facts: OfferFacts = {
    provider,
    models: new Map(models.map((model) => [model.id, model])),
    routes: await routesOf(db, null),
    prices: new Map((await currentPrices(db, nowMs)).map((price) => [price.model_id, price])),
    list,
    terms,
    costs: new CostBook(await readStatements(db, nowMs), { list, exchangeRate: terms.exchangeRate }),
    own: names === null ? null : new Set(names),
  };
  return {
    object: 'offer' as const,
    provider: id,
    vendor: provider.vendor,
    exchange_rate: terms.exchangeRate,
    margin: terms.margin,
    selling_confirmed: isConfirmed(await readSelling(db)),
    problem,
    elsewhere: await elsewhereOf(tools, facts),
    data: [...listedRows(facts), ...unlistedRows(facts)],
  };
}

/** What the same key gives access to and is not offered here, because it answers in another protocol. */
async function elsewhereOf({ db }: AdminTools, { provider, list }: OfferFacts) {
  const counts = new Map<string, number>();
  for (const { vendor } of list.flatMap(({ routes }) => routes))
    if (vendor !== provider.vendor && isSibling(vendor, provider.vendor))
      counts.set(vendor, (counts.get(vendor) ?? 0) + 1);
  if (counts.size === 0) return [];
  const present = await PROVIDERS_OF_VENDORS.rows(db, [[...counts.keys()]]);
  return [...counts].map(([vendor, models]) => ({
    vendor,
    models,
    provider: present.find((one) => one.vendor === vendor)?.id ?? null,
  }));
}

function listedRows(facts: OfferFacts) {
  const { vendor } = facts.provider;
  const door = findVendor(vendor)?.door;
  return facts.list.flatMap((listed) =>
    listed.routes.flatMap((route) => {
      const name = route.vendor === vendor ? route.model : route.vendor === door?.to && door.nameOf(route.model);
      return name ? [listedRow(facts, listed, name)] : [];
    }),
  );
}

function listedRow(facts: OfferFacts, listed: ListedModel, upstream: string) {
  const { terms } = facts;
  const { margin, layer } = marginFor(terms, listed.id);
  const rates = ratesFromUsd(listed.usd, { exchangeRate: terms.exchangeRate, margin });
  const present = facts.prices.get(listed.id);
  // A price that was set by hand, or that the file fixes, stays whatever the list says.
  const isFixed = facts.models.has(listed.id) && present !== undefined && present.source !== 'catalog';
  return {
    ...rowOf(facts, listed.id, upstream),
    name: listed.name,
    kind: listed.kind,
    context: listed.context ?? null,
    max_output: listed.maxOutput ?? null,
    list_usd: pricesView(listed.usd),
    price: isFixed ? priceView(present).price : ratesView(ratesToText(rates)),
    pinned: isFixed,
    margin: isFixed ? null : margin,
    margin_layer: isFixed ? null : layer,
  };
}

/** The models that the provider lists itself and for which we have no price. */
function unlistedRows(facts: OfferFacts) {
  const { provider, own, list } = facts;
  if (own === null) return [];
  const known = new Set(
    list.flatMap(({ routes }) =>
      routes.flatMap((route) =>
        route.vendor === provider.vendor || isSibling(route.vendor, provider.vendor) ? [route.model] : [],
      ),
    ),
  );
  return [...own]
    .filter((name) => !known.has(name))
    .sort()
    .slice(0, MAX_UNLISTED)
    .map((upstream) => unlistedRow(facts, upstream));
}

function unlistedRow(facts: OfferFacts, upstream: string) {
  const { provider, routes } = facts;
  const routed = routes.find((route) => route.provider_id === provider.id && route.upstream_model === upstream);
  const id = routed?.model_id ?? suggestedId(provider.id, upstream);
  const present = facts.prices.get(id);
  const model = facts.models.get(id);
  return {
    ...rowOf(facts, id, upstream),
    ...(model === undefined && { state: 'unlisted' satisfies OfferState }),
    name: model?.name ?? upstream,
    kind: model?.kind ?? guessedKind(upstream),
    context: model?.context ?? null,
    max_output: model?.max_output ?? null,
    list_usd: null,
    price: model && present ? priceView(present).price : null,
    pinned: model !== undefined && present !== undefined,
    margin: null,
    margin_layer: null,
  };
}

function rowOf(facts: OfferFacts, model: string, upstream: string) {
  const { provider, own, costs } = facts;
  const names = { model_id: model, provider_id: provider.id, upstream_model: upstream };
  const cost = costs.costOf(names, provider.vendor);
  return {
    model,
    upstream,
    state: offerState(facts, model, upstream),
    cost: cost ? ratesView(ratesToText(cost.rates)) : null,
    cost_source: cost?.source ?? null,
    listed_there: own === null ? null : own.has(upstream),
  };
}

function offerState({ provider, routes, models }: OfferFacts, model: string, upstream: string): OfferState {
  const ofModel = routes.filter((route) => route.model_id === model && stateOf(route) !== 'retired');
  if (ofModel.some((route) => route.provider_id === provider.id && route.upstream_model === upstream)) return 'routed';
  return ofModel.length > 0 && models.has(model) ? 'adds_route' : 'new';
}

/** Two doors of one maker with different protocols list the same names; each model uses the one that the list names. */
function isSibling(vendor: string, other: string): boolean {
  const [a, b] = [findVendor(vendor), findVendor(other)];
  return a !== undefined && b !== undefined && a.baseUrl !== undefined && a.baseUrl === b.baseUrl;
}

/** Names on compatible servers may contain anything: slashes, colons, spaces. */
function suggestedId(provider: string, upstream: string): string {
  const name = upstream.toLowerCase().replace(/[^a-z0-9._-]/g, '-');
  const id = `${provider.toLowerCase()}/${name}`;
  return isModelId(id) ? id : `${provider.toLowerCase()}/model`;
}
