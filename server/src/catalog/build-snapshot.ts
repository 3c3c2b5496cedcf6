/**
 * Builds the catalog that the request path reads from database rows. Pure. A model is shown only where somebody can
 * serve it (an enabled provider with a credential, or one that needs none) and it has a price: what cannot be charged
 * is not offered.
 */
import { type AuthScheme, isSignedScheme } from '@dargah/core/catalog-terms.ts';
import type { EgressTerms } from '../platform/upstream/index.ts';
import type { GroupRow, ModelRow, ProviderRow, RouteRow } from './catalog-rows.ts';
import { policyOf } from './data-policy.ts';
import { shippedDescription } from './descriptions.ts';
import type { CatalogSnapshot, Credential, Group, Model, Provider, Route, RouteLimits, Timeouts } from './model.ts';
import { ratesFromText } from './prices/price-fields.ts';
import type { PriceRow } from './prices/price-rows.ts';
import { groupProved, withProof } from './proved.ts';
import type { CatalogRows } from './read-catalog.ts';

export interface SnapshotTerms {
  nowMs: number;
  defaultTimeouts: Timeouts;
  /** Decrypted credentials by provider. */
  credentials: ReadonlyMap<string, Credential[]>;
  egresses: ReadonlyMap<string, EgressTerms>;
  /** True when the address belongs to the vendor itself. */
  isOwnAddress(vendor: string, address: string): boolean;
}

export interface BuiltSnapshot {
  snapshot: CatalogSnapshot;
  /**
   * When an announced price or list comes into force, or a rate becomes too old; the snapshot must then be built again.
   */
  nextChangeAtMs: number | undefined;
}

export const EMPTY_SNAPSHOT: CatalogSnapshot = { models: new Map(), groups: new Map(), providers: new Map() };

export function buildSnapshot(rows: CatalogRows, terms: SnapshotTerms): BuiltSnapshot {
  const providers = new Map<string, Provider>();
  for (const row of rows.providers) {
    const provider = usableProvider(row, terms);
    if (provider) providers.set(row.id, provider);
  }
  const prices = pricesInForce(rows.prices, terms.nowMs);
  const routes = groupByModel(rows.routes);
  const proved = groupProved(rows.proved ?? []);
  const models = new Map<string, Model>();
  for (const row of rows.models) {
    const offered = row.enabled && !isOver(goneAt(row), terms.nowMs);
    const model = offered ? shownModel(row, routes.get(row.id) ?? [], providers, prices.get(row.id)) : undefined;
    if (!model || (model.basis && isOver(rows.ratesStopAtMs, terms.nowMs))) continue;
    if (model.basis && rows.sellingConfirmed === false) model.notForSale = true;
    models.set(row.id, withProof(withAnnounced(model, rows.prices, terms.nowMs), proved.get(row.id)));
  }
  const retired = retiredModels(rows.models, models, terms.nowMs);
  const snapshot = { models, providers, groups: shownGroups(rows.groups, models), retired };
  return { snapshot, nextChangeAtMs: nextChange(rows, terms.nowMs) };
}

/** The earlier of two days: an announced list leaves the model out, or the operator withdraws it. */
function goneAt({ withdrawn_from: listed, retires_at: own }: ModelRow): number | undefined {
  if (listed === null || own === null) return (listed ?? own)?.getTime();
  return Math.min(listed.getTime(), own.getTime());
}

/** Withdrawn models that have a successor, so that whoever still asks for one learns the new name. */
function retiredModels(rows: ModelRow[], shown: ReadonlyMap<string, Model>, nowMs: number): Map<string, string> {
  const gone = new Map<string, string>();
  for (const row of rows)
    if (row.successor !== null && !shown.has(row.id) && isOver(row.retires_at?.getTime(), nowMs))
      gone.set(row.id, row.successor);
  return gone;
}

/**
 * True for credentials of a single text. One of several parts names the server that is asked for a token, and only the
 * operator may choose such an address.
 */
function isOneWord(auth: AuthScheme): boolean {
  return auth !== 'none' && !isSignedScheme(auth);
}

function usableProvider(row: ProviderRow, terms: SnapshotTerms): Provider | undefined {
  const credentials = terms.credentials.get(row.id) ?? [];
  if (!row.enabled || !row.present || (row.auth !== 'none' && credentials.length === 0)) return undefined;
  return {
    id: row.id,
    vendor: row.vendor,
    protocol: row.protocol,
    baseUrl: row.base_url,
    auth: row.auth,
    headers: row.headers,
    credentials,
    quirks: row.quirks,
    timeouts: { ...terms.defaultTimeouts, ...row.timeouts },
    maxConcurrent: row.max_concurrent,
    transport: row.transport,
    egress: terms.egresses.get(row.id),
    dataPolicy: policyOf(row),
    takesOwnKeys: row.transport === 'http' && isOneWord(row.auth) && terms.isOwnAddress(row.vendor, row.base_url),
  };
}

function shownModel(
  row: ModelRow,
  routeRows: RouteRow[],
  providers: ReadonlyMap<string, Provider>,
  price: PriceRow | undefined,
): Model | undefined {
  const routes = routeRows.flatMap((route) => {
    const provider = route.state === null ? providers.get(route.provider_id) : undefined;
    return provider ? [usableRoute(route, provider)] : [];
  });
  if (!price || routes.length === 0) return undefined;
  return {
    id: row.id,
    vendor: row.id.slice(0, row.id.indexOf('/')),
    name: row.name,
    ...(row.name_fa !== null && { nameFa: row.name_fa }),
    ...descriptionOf(row),
    kind: row.kind,
    routes: routes.sort((a, b) => a.priority - b.priority),
    price: { version: price.version, ...ratesFromText(price) },
    ...basisOf(price),
    context: row.context ?? undefined,
    maxOutput: row.max_output ?? undefined,
    hiddenTokensPerSecond: row.hidden_tokens_per_second ?? undefined,
    capabilities: new Set(row.capabilities),
    categories: row.categories,
    created: Math.floor(row.created_at.getTime() / 1000),
    hedge: row.hedge,
    simulated: row.simulated,
    ...withdrawalOf(row),
  };
}

function withdrawalOf(row: ModelRow): Pick<Model, 'withdrawnFromMs' | 'successor'> {
  const at = goneAt(row);
  if (at === undefined) return {};
  return { withdrawnFromMs: at, ...(row.successor !== null && { successor: row.successor }) };
}

/** The operator's description where there is one, otherwise ours; a missing language is filled from the other. */
function descriptionOf({ id, description_fa, description_en }: ModelRow): Pick<Model, 'description'> {
  const ours = shippedDescription(id);
  const fa = description_fa ?? ours?.fa ?? description_en;
  const en = description_en ?? ours?.en ?? description_fa;
  return fa == null || en == null ? {} : { description: { fa, en } };
}

function usableRoute(row: RouteRow, provider: Provider): Route {
  const id = `${row.provider_id}:${row.upstream_model}`;
  const cost = row.cost && {
    version: 'cost',
    ...ratesFromText(row.cost),
  };
  const { upstream_model: upstreamModel, priority, weight, quirks } = row;
  return {
    id,
    provider,
    upstreamModel,
    priority,
    weight,
    quirks: { ...provider.quirks, ...quirks },
    cost: cost ?? undefined,
    limits: limitsOf(row),
  };
}

function limitsOf(row: RouteRow): RouteLimits | undefined {
  const { max_concurrent: maxConcurrent, requests_per_minute, tokens_per_minute } = row;
  if (maxConcurrent === null && requests_per_minute === null && tokens_per_minute === null) return undefined;
  return { maxConcurrent, requestsPerMinute: requests_per_minute, tokensPerMinute: tokens_per_minute };
}

function withAnnounced(model: Model, prices: PriceRow[], nowMs: number): Model {
  const [next] = prices
    .filter(({ model_id: id, effective_at: at }) => id === model.id && at.getTime() > nowMs)
    .sort((a, b) => a.effective_at.getTime() - b.effective_at.getTime() || Number(b.seq - a.seq));
  if (!next) return model;
  const price = { version: next.version, ...ratesFromText(next) };
  return { ...model, announced: { price, ...basisOf(next), fromMs: next.effective_at.getTime() } };
}

/** The list price and rate, from which the price for an account with its own margin is computed. */
function basisOf({ list, exchange_rate: exchangeRate }: PriceRow): Pick<Model, 'basis'> {
  return list === null || exchangeRate === null ? {} : { basis: { usd: list, exchangeRate } };
}

function pricesInForce(prices: PriceRow[], nowMs: number): Map<string, PriceRow> {
  const inForce = new Map<string, PriceRow>();
  for (const price of prices) {
    if (price.effective_at.getTime() > nowMs) continue;
    const known = inForce.get(price.model_id);
    if (!known || isNewer(price, known)) inForce.set(price.model_id, price);
  }
  return inForce;
}

function isNewer(a: PriceRow, b: PriceRow): boolean {
  const difference = a.effective_at.getTime() - b.effective_at.getTime();
  return difference > 0 || (difference === 0 && a.seq > b.seq);
}

function nextChange({ prices, models, ratesStopAtMs }: CatalogRows, nowMs: number): number | undefined {
  const moments = prices.map((price) => price.effective_at.getTime());
  for (const { withdrawn_from: listed, retires_at: own } of models)
    for (const at of [listed, own]) if (at) moments.push(at.getTime());
  if (ratesStopAtMs !== undefined) moments.push(ratesStopAtMs);
  const coming = moments.filter((at) => at > nowMs);
  return coming.length === 0 ? undefined : Math.min(...coming);
}

function isOver(atMs: number | undefined, nowMs: number): boolean {
  return atMs !== undefined && nowMs >= atMs;
}

/**
 * A group contains its models that are offered. Its default falls back to the first of them; a group without any is
 * left out.
 */
function shownGroups(rows: GroupRow[], models: ReadonlyMap<string, Model>): Map<string, Group> {
  const groups = new Map<string, Group>();
  const ofCategory = byCategory(models);
  for (const row of rows) {
    // A group that an operator listed gets no further models: keys limited to it must not reach more than it names.
    const added = row.managed_by === 'catalog' ? (ofCategory.get(row.id) ?? []) : [];
    const members = [...new Set([...row.models.filter((id) => models.has(id)), ...added])];
    ofCategory.delete(row.id);
    const real = members.find((id) => models.get(id)?.simulated === false);
    const defaultModel = models.has(row.default_model) ? row.default_model : (real ?? members[0]);
    if (defaultModel === undefined) continue;
    groups.set(row.id, {
      id: row.id,
      name: row.name,
      ...(row.name_fa !== null && { nameFa: row.name_fa }),
      defaultModel,
      models: new Set([...members, defaultModel]),
    });
  }
  for (const [id, members] of ofCategory) {
    const real = members.find((member) => models.get(member)?.simulated === false);
    const defaultModel = real ?? members[0];
    if (defaultModel !== undefined) groups.set(id, { id, name: id, defaultModel, models: new Set(members) });
  }
  return groups;
}

/** Every category is a group of the models that have it, whoever assigned it to them. */
function byCategory(models: ReadonlyMap<string, Model>): Map<string, string[]> {
  const members = new Map<string, string[]>();
  for (const { id, categories } of models.values()) {
    for (const category of categories) members.set(category, [...(members.get(category) ?? []), id]);
  }
  return members;
}

function groupByModel(routes: RouteRow[]): Map<string, RouteRow[]> {
  const grouped = new Map<string, RouteRow[]>();
  for (const route of routes) {
    const list = grouped.get(route.model_id);
    if (list) list.push(route);
    else grouped.set(route.model_id, [route]);
  }
  return grouped;
}
