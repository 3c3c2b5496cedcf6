/**
 * What providers charge us, as operators state it: the price of a route, or a provider's factor on list prices. A
 * statement is never rewritten.
 */
import { invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import type { RandomBytes } from '../../core/ids.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { reasons } from '../../core/reasons.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { ratesToText } from '../prices/price-fields.ts';
import { readUsd } from '../prices/price-list.ts';
import {
  CostBook,
  type CostStatement,
  factorStatement,
  insertStatement,
  listStatement,
  priceStatement,
  pricesOfText,
  readStatements,
  statementsAbout,
} from '../prices/route-costs.ts';
import type { CostStatementRow } from '../prices/term-rows.ts';
import { isDecimalText } from '../prices/toman-price.ts';
import type { Fields } from '../reading/index.ts';
import type { DeclaredRoute } from '../seed/declared.ts';
import { type DatedSources, followCosts } from '../seed/seed.ts';
import { type AdminTools, change, notFound, readBody, refuseConfigManaged } from './change.ts';
import { readFuture } from './prices.ts';
import { findRoute, type RouteKey } from './route-rows.ts';
import { PROVIDER_EXISTS } from './use-rows.ts';

type CostStatementView = ReturnType<typeof statementView>;

interface CostFactorView {
  object: 'cost_factor';
  provider: string;
  factor: string | null;
}

export interface CostAdmin {
  /**
   * The body is `{currency, price, effective_at?}`, or `{price: null}` to use the provider's factor and the list again.
   */
  set(key: RouteKey, body: Json, actor: string): Promise<CostStatementView>;
  /** Newest first, announced ones included. */
  history(key: RouteKey): Promise<CostStatementView[]>;
  /** A factor on list prices; null removes it. It applies to every route of the provider without a price of its own. */
  setFactor(provider: string, factor: string | null, actor: string): Promise<CostFactorView>;
  factorOf(provider: string): Promise<CostFactorView>;
}

const MAX_FACTOR = 10;
const SHOWN = 50;

export function createCostAdmin(tools: AdminTools, dated: DatedSources): CostAdmin {
  const { db, clock } = tools;
  const factorView = async (provider: string): Promise<CostFactorView> => {
    await providerExists(db, provider);
    const book = new CostBook(await readStatements(db, clock.now()), { list: [], exchangeRate: '1' });
    return { object: 'cost_factor', provider, factor: book.factorOf(provider) ?? null };
  };
  return {
    async set(key, body, actor) {
      const cost = readBody(body, readCost);
      const detail = { provider: key.provider, model: key.upstream };
      const id = await change(
        tools,
        { actor, action: 'cost.set', subject: key.model, detail },
        async (tx, now, note) => {
          const row = await findRoute(tx, key);
          if (row.cost_source === 'file') refuseConfigManaged(row);
          const effectiveAt = cost.effectiveAt === undefined ? now : readFuture(cost.effectiveAt, now);
          const statement = cost.prices ? priceStatement(row, cost.currency, cost.prices) : listStatement(row);
          note({ after: { ...statementFacts(statement), effective_at: effectiveAt.toISOString() } });
          const made = await insertStatement(tx, { ...statement, effectiveAt, now }, tools.randomBytes);
          await followCosts(tx, tools, dated);
          return made;
        },
      );
      const [made] = (await statementsAbout(db, namesOf(key), SHOWN)).filter((one) => one.id === id);
      if (!made) throw notFound('route', key.upstream);
      return statementView(made);
    },
    history: async (key) => (await statementsAbout(db, namesOf(key), SHOWN)).map(statementView),
    async setFactor(provider, factor, actor) {
      if (factor !== null && (!isDecimalText(factor) || Number(factor) <= 0 || Number(factor) > MAX_FACTOR))
        throw invalidRequest('factor', reasons.mustBe('factor', expected.between(0, MAX_FACTOR)));
      const before = await factorView(provider);
      const trace = { before: { factor: before.factor }, after: { factor } };
      await change(tools, { actor, action: 'cost.factor', subject: provider, detail: trace }, async (tx, now) => {
        const subject = { provider_id: provider, model_id: '', upstream_model: '' };
        const statement = factor === null ? listStatement(subject) : factorStatement(provider, factor);
        await insertStatement(tx, { ...statement, effectiveAt: now, now }, tools.randomBytes);
        await followCosts(tx, tools, dated);
      });
      return factorView(provider);
    },
    factorOf: factorView,
  };
}

/** Stores the cost that came with a route, in toman, as the file writes it. */
export async function sayCost(
  tx: Queryable,
  modelId: string,
  route: DeclaredRoute,
  now: Date,
  randomBytes: RandomBytes,
): Promise<void> {
  if (!route.cost) return;
  const names = { model_id: modelId, provider_id: route.provider, upstream_model: route.model };
  const statement = priceStatement(names, 'toman', pricesOfText(ratesToText(route.cost)));
  await insertStatement(tx, { ...statement, effectiveAt: now, now }, randomBytes);
}

export interface CostInput {
  currency: 'toman' | 'usd';
  /** Undefined when the route has no price of its own any more. */
  prices: ReturnType<typeof readUsd> | undefined;
  effectiveAt: string | undefined;
}

export function readCost(fields: Fields): CostInput {
  const currency = fields.choice('currency', ['toman', 'usd'] as const) ?? 'toman';
  const effectiveAt = fields.text('effective_at');
  const price = fields.child('price');
  return { currency, effectiveAt, prices: price && readUsd(price) };
}

async function providerExists(db: Queryable, id: string): Promise<void> {
  if (!(await PROVIDER_EXISTS.first(db, [id]))) throw notFound('provider', id);
}

function namesOf({ model, provider, upstream }: RouteKey) {
  return { model_id: model, provider_id: provider, upstream_model: upstream };
}

function statementFacts({ kind, currency, prices, factor }: CostStatement) {
  return { kind, currency, price: pricesView(prices), factor };
}

/** A list price in the form in which prices are sent. */
export function pricesView(prices: CostStatement['prices']): JsonObject | null {
  if (prices === null) return null;
  const { tiers = [], ...units } = prices;
  const view: JsonObject = { ...units };
  if (tiers.length > 0) view['tiers'] = tiers.map(({ above, usd }) => ({ above, ...usd }));
  return view;
}

function statementView(row: CostStatementRow) {
  return {
    id: row.id,
    ...statementFacts(row),
    effective_at: row.effective_at.toISOString(),
    created_at: row.created_at.toISOString(),
  };
}
