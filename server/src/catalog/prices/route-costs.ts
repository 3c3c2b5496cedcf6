/**
 * What a route costs us. The first that exists counts: the configuration file, a price stated for the route, the
 * provider's factor on the list price, the list price. Otherwise the cost is unknown; it is never zero unless somebody
 * stated zero.
 */
import { makeId, type RandomBytes } from '../../core/ids.ts';
import { money, toTomanText } from '../../core/money.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { findVendor } from '../../vendors/index.ts';
import { type CostSource, ROUTES_WITH_VENDORS, type RouteOfVendor, type RouteRow } from '../catalog-rows.ts';
import type { ListedModel } from '../seed/listed-model.ts';
import { type Rates, type RatesText, REQUEST_FIELD, ratesToText } from './price-fields.ts';
import type { CostStatementRow } from './term-rows.ts';
import * as rows from './term-rows.ts';
import { ratesFromUsd, timesDecimal, type UsdPrice } from './toman-price.ts';

export type CostCurrency = NonNullable<CostStatementRow['currency']>;
export type CostStatement = Omit<CostStatementRow, 'id' | 'source' | 'effective_at' | 'created_at'>;

interface CostTerms {
  list: readonly ListedModel[];
  exchangeRate: string;
}

interface KnownCost {
  rates: Rates;
  source: CostSource;
}

type NamedRoute = Pick<RouteRow, 'model_id' | 'provider_id' | 'upstream_model'>;

/** The list price of what a vendor calls by this name. Clouds have names of their own for it, so there the model decides. */
function listPriceOf(
  list: readonly ListedModel[],
  vendor: string,
  { model_id: modelId, upstream_model: upstream }: Pick<RouteRow, 'model_id' | 'upstream_model'>,
): UsdPrice | undefined {
  for (const { routes, usd } of list) {
    const route = routes.find((one) => one.vendor === vendor && one.model === upstream);
    if (route) return route.usd ?? usd;
  }
  const door = findVendor(vendor)?.door;
  const listed = door && list.find(({ id }) => id === modelId);
  const made = listed?.routes.find((one) => one.vendor === door?.to);
  return made && (made.usd ?? listed?.usd);
}

/** The statement in force for each subject. Pure. */
export class CostBook {
  readonly #inForce = new Map<string, CostStatement>();
  readonly #terms: CostTerms;

  /** `statements` in the order in which they come into force. */
  constructor(statements: readonly CostStatement[], terms: CostTerms) {
    this.#terms = terms;
    for (const one of statements) this.#inForce.set(subjectOf(one), one);
  }

  has(route: NamedRoute): boolean {
    return this.#inForce.has(subjectOf(route));
  }

  factorOf(provider: string): string | undefined {
    const stated = this.#inForce.get(subjectOf({ provider_id: provider, model_id: '', upstream_model: '' }));
    return stated?.kind === 'factor' ? (stated.factor ?? undefined) : undefined;
  }

  costOf(route: NamedRoute, vendor: string): KnownCost | undefined {
    const { list, exchangeRate } = this.#terms;
    const own = this.#inForce.get(subjectOf(route));
    if (own?.kind === 'price' && own.prices)
      return { rates: ratesIn(own.currency ?? 'toman', own.prices, exchangeRate), source: 'own' };
    const usd = listPriceOf(list, vendor, route);
    if (!usd) return undefined;
    const factor = this.factorOf(route.provider_id);
    if (factor === undefined) return { rates: ratesIn('usd', usd, exchangeRate), source: 'list' };
    return { rates: ratesIn('usd', usd, timesDecimal(exchangeRate, factor)), source: 'factor' };
  }
}

function ratesIn(currency: CostCurrency, prices: UsdPrice, exchangeRate: string): Rates {
  return ratesFromUsd(prices, { exchangeRate: currency === 'usd' ? exchangeRate : '1', margin: '0' });
}

function subjectOf({ provider_id: provider, model_id: model, upstream_model: upstream }: NamedRoute): string {
  return JSON.stringify([provider, model, upstream]);
}

/** All statements up to a moment, in the order in which they come into force. */
export function readStatements(db: Queryable, nowMs: number): Promise<CostStatementRow[]> {
  return rows.COSTS_IN_FORCE.rows(db, [new Date(nowMs)]);
}

/** Statements about one route or provider, newest first, announced ones included. */
export function statementsAbout(db: Queryable, subject: NamedRoute, limit: number): Promise<CostStatementRow[]> {
  return rows.COSTS_OF_SUBJECT.rows(db, [subject.provider_id, subject.model_id, subject.upstream_model, limit]);
}

/** True when an announced statement came into force within the span. */
export async function comeIntoForce(db: Queryable, afterMs: number, untilMs: number): Promise<boolean> {
  const coming = await rows.COST_COMING_INTO_FORCE.first(db, [new Date(afterMs), new Date(untilMs)]);
  return coming !== undefined;
}

export interface NewStatement extends CostStatement {
  source?: 'before';
  effectiveAt: Date;
  now: Date;
}

export async function insertStatement(
  tx: Queryable,
  statement: NewStatement,
  randomBytes: RandomBytes,
): Promise<string> {
  const id = makeId('cost', statement.now.getTime(), randomBytes);
  await rows.INSERT_COST.run(tx, [
    id,
    statement.provider_id,
    statement.model_id,
    statement.upstream_model,
    statement.kind,
    statement.currency,
    statement.prices === null ? null : JSON.stringify(statement.prices),
    statement.factor,
    statement.source ?? 'operator',
    statement.effectiveAt,
    statement.now,
  ]);
  return id;
}

interface WriteTerms extends CostTerms {
  nowMs: number;
  randomBytes: RandomBytes;
}

/**
 * Writes today's cost beside every route, where snapshots and the version before read it. True when something changed.
 */
export async function writeCosts(tx: Queryable, { nowMs, randomBytes, ...terms }: WriteTerms): Promise<boolean> {
  const routes = await ROUTES_WITH_VENDORS.rows(tx);
  const now = new Date(nowMs);
  const statements: CostStatement[] = await readStatements(tx, nowMs);
  const known = new CostBook(statements, terms);
  for (const route of routes) {
    if (route.managed_by !== 'operator' || !route.cost || route.cost_source !== null || known.has(route)) continue;
    // Entered by hand in the version before, which had no other place for it.
    const adopted = { ...priceStatement(route, 'toman', pricesOfText(route.cost)), source: 'before' as const };
    await insertStatement(tx, { ...adopted, effectiveAt: now, now }, randomBytes);
    statements.push(adopted);
  }
  const book = new CostBook(statements, terms);
  const changed = routes.flatMap((route) => {
    const next = nextCost(route, book);
    return next === undefined ? [] : [{ ...keyOf(route), ...next }];
  });
  if (changed.length === 0) return false;
  await rows.WRITE_ROUTE_COSTS.run(tx, [JSON.stringify(changed)]);
  return true;
}

/** Returns undefined when the cost stays as it is. */
function nextCost(
  route: RouteOfVendor,
  book: CostBook,
): { cost: RatesText | null; cost_source: CostSource | null } | undefined {
  if (route.cost_source === 'file') return undefined;
  const found = book.costOf(route, route.vendor);
  // Costs that start-up brings without a list price behind them, such as the simulators', stay.
  if (!found && route.cost_source === null) return undefined;
  const next = { cost: found ? ratesToText(found.rates) : null, cost_source: found?.source ?? null };
  const isSame = route.cost_source === next.cost_source && sameText(route.cost && ratesText(route.cost), next.cost);
  return isSame ? undefined : next;
}

function ratesText({ per_unit, per_request, tiers = [], terms }: RatesText): RatesText {
  return { per_unit, per_request: String(per_request), tiers, ...(terms && { terms }) };
}

/** The database returns objects with their fields in another order. */
function sameText(a: RatesText | null, b: RatesText | null): boolean {
  return JSON.stringify(inOrder(a)) === JSON.stringify(inOrder(b));
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, inOrder(inner)]),
  );
}

function keyOf({ model_id, provider_id, upstream_model }: NamedRoute): NamedRoute {
  return { model_id, provider_id, upstream_model };
}

export function priceStatement(route: NamedRoute, currency: CostCurrency, prices: UsdPrice): CostStatement {
  return { ...keyOf(route), kind: 'price', currency, prices, factor: null };
}

export function listStatement(subject: NamedRoute): CostStatement {
  return { ...keyOf(subject), kind: 'list', currency: null, prices: null, factor: null };
}

export function factorStatement(provider: string, factor: string): CostStatement {
  const subject = { provider_id: provider, model_id: '', upstream_model: '' };
  return { ...subject, kind: 'factor', currency: null, prices: null, factor };
}

/** Rates as the database keeps them, in the form of a list price in toman. */
export function pricesOfText({ per_unit: units, per_request: request, tiers = [], terms }: RatesText): UsdPrice {
  const prices: UsdPrice = { ...units, ...terms };
  if (BigInt(request) > 0n) prices[REQUEST_FIELD] = toTomanText(money(BigInt(request)));
  if (tiers.length > 0) prices.tiers = tiers.map((tier) => ({ above: tier.above, usd: tier.per_unit }));
  return prices;
}
