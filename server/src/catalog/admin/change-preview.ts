/**
 * What a draft would do: which models appear, which prices change, what would be sold below cost, and what conflicts
 * with others' changes.
 */
import { type Money, money, toTomanText } from '../../core/money.ts';
import { costOf, type Price, unitPrice } from '../../core/price.ts';
import { BUCKETS } from '../../core/usage.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { MODELS_BY_IDS, type ModelRow, vendorsByProvider } from '../catalog-rows.ts';
import { type Rates, ratesFromText, ratesToText } from '../prices/price-fields.ts';
import { listInForce } from '../prices/price-list.ts';
import { currentPrices, type PriceRow } from '../prices/price-rows.ts';
import { marginFor, readTerms, termsAt } from '../prices/pricing-terms.ts';
import { CostBook, priceStatement, readStatements } from '../prices/route-costs.ts';
import { ratesFromUsd } from '../prices/toman-price.ts';
import type { ListedModel } from '../seed/listed-model.ts';
import { listedModels } from '../seed/listed-models.ts';
import type { DatedSources } from '../seed/seed.ts';
import { type AdminTools, readBody } from './change.ts';
import { type Edit, looksOf, type OfferEdit, type PriceEdit, readGivenPrice } from './change-edits.ts';
import type { ChangeRow } from './change-rows.ts';
import { readCost } from './route-cost.ts';
import { routesOf } from './route-rows.ts';
import { SALES_OF_MODELS } from './use-rows.ts';
import { ratesView } from './views.ts';

interface PreviewFacts {
  models: ReadonlyMap<string, ModelRow>;
  served: ReadonlySet<string>;
  prices: ReadonlyMap<string, PriceRow>;
  vendors: ReadonlyMap<string, string>;
  list: readonly ListedModel[];
  terms: ReturnType<typeof termsAt>;
  costs: CostBook;
  sales: ReadonlyMap<string, Sales>;
}

interface Sales {
  requests: number;
  input: number;
  output: number;
  revenue: Money;
}

export async function previewOf(
  tools: AdminTools,
  dated: DatedSources,
  { edits, base }: Pick<ChangeRow, 'edits' | 'base'>,
) {
  const { db, clock } = tools;
  const now = new Date(clock.now());
  const facts = await readFacts(db, dated, edits, now);
  const rows = edits.flatMap((edit) => (edit.op === 'offer' || edit.op === 'price' ? [rowOf(edit, facts)] : []));
  const looks = await looksOf(db, edits, now);
  return {
    rows,
    appearing: rows.filter(({ appears }) => appears).length,
    below_cost: rows.filter(({ below_cost: below }) => below).length,
    cost_unknown: rows.filter(({ cost }) => cost === null).length,
    clashes: Object.keys(looks).filter((subject) => subject in base && base[subject] !== looks[subject]),
  };
}

async function readFacts(db: Queryable, dated: DatedSources, edits: readonly Edit[], now: Date): Promise<PreviewFacts> {
  const nowMs = now.getTime();
  const ids = edits.map(({ model }) => model);
  const models = await MODELS_BY_IDS.rows(db, [ids]);
  const list = (await listInForce(db, nowMs)) ?? listedModels();
  const terms = termsAt(await readTerms(db, nowMs), nowMs, dated.file, dated.sources.terms);
  const offered = edits.flatMap((edit) => (edit.op === 'offer' ? offeredCost(edit) : []));
  const costs = new CostBook([...(await readStatements(db, nowMs)), ...offered], {
    list,
    exchangeRate: terms.exchangeRate,
  });
  return {
    models: new Map(models.map((model) => [model.id, model])),
    served: new Set((await routesOf(db, null)).filter(({ state }) => state === null).map((route) => route.model_id)),
    prices: new Map((await currentPrices(db, nowMs)).map((price) => [price.model_id, price])),
    vendors: await vendorsByProvider(db),
    list,
    terms,
    costs,
    sales: await salesOf(db, ids, now),
  };
}

function offeredCost(edit: OfferEdit) {
  if (!edit.cost) return [];
  const { prices, currency } = readBody(edit.cost, readCost);
  const names = { model_id: edit.model, provider_id: edit.provider, upstream_model: edit.upstream };
  return prices ? [priceStatement(names, currency, prices)] : [];
}

async function salesOf(db: Queryable, models: readonly string[], now: Date): Promise<Map<string, Sales>> {
  const rows = await SALES_OF_MODELS.rows(db, [models, now]);
  return new Map(
    rows.map(({ model, requests, input, output, revenue }) => [
      model,
      { requests: Number(requests), input: Number(input), output: Number(output), revenue: money(revenue) },
    ]),
  );
}

function rowOf(edit: OfferEdit | PriceEdit, facts: PreviewFacts) {
  const present = facts.prices.get(edit.model);
  const before = facts.models.has(edit.model) && present ? ratesFromText(present) : undefined;
  const after = ratesAfter(edit, before, facts);
  const cost = costAfter(edit, facts);
  const sales = facts.sales.get(edit.model);
  return {
    op: edit.op,
    model: edit.model,
    provider: edit.op === 'offer' ? edit.provider : null,
    appears: !facts.served.has(edit.model),
    old: before ? ratesView(ratesToText(before)) : null,
    new: after ? ratesView(ratesToText(after)) : null,
    change_percent: before && after ? changePercent(before, after) : null,
    cost: cost ? ratesView(ratesToText(cost)) : null,
    below_cost: after !== undefined && cost !== undefined && isBelow(after, cost),
    sales_7_days: sales ? { requests: sales.requests, revenue: toTomanText(sales.revenue) } : null,
    effect_7_days: sales && before && after ? effectOn(sales, before, after) : null,
  };
}

function ratesAfter(edit: OfferEdit | PriceEdit, before: Rates | undefined, facts: PreviewFacts): Rates | undefined {
  const listed = facts.list.find(({ id }) => id === edit.model);
  const kind = facts.models.get(edit.model)?.kind ?? (edit.op === 'offer' ? edit.kind : undefined) ?? listed?.kind;
  if (edit.price) return readGivenPrice(edit.price, kind ?? 'chat', { read: readBody });
  const present = facts.prices.get(edit.model);
  if (before && present?.source !== 'catalog') return before;
  if (!listed) return before;
  const { margin } = marginFor(facts.terms, edit.model);
  return ratesFromUsd(listed.usd, { exchangeRate: facts.terms.exchangeRate, margin });
}

function costAfter(edit: OfferEdit | PriceEdit, { costs, vendors }: PreviewFacts): Rates | undefined {
  if (edit.op !== 'offer') return undefined;
  const names = { model_id: edit.model, provider_id: edit.provider, upstream_model: edit.upstream };
  return costs.costOf(names, vendors.get(edit.provider) ?? '')?.rates;
}

/** True for any unit that costs us more than its price, at prompts of any length. */
function isBelow(price: Rates, cost: Rates): boolean {
  const [sold, paid]: [Price, Price] = [
    { version: '', ...price },
    { version: '', ...cost },
  ];
  const tiers = [undefined, ...(cost.tiers ?? [])];
  return tiers.some((tier) =>
    BUCKETS.some((bucket) => {
      const each = tier?.perUnit[bucket] ?? cost.perUnit[bucket];
      if (each === undefined || each === 0n) return false;
      const own = tier && sold.tiers?.findLast(({ above }) => above <= tier.above);
      return unitPrice(sold, bucket, own) < unitPrice(paid, bucket, tier);
    }),
  );
}

/** Compared by the price that changes most; it helps people to sort and is not for the books. */
function changePercent(before: Rates, after: Rates): number | null {
  let most: number | null = null;
  for (const bucket of BUCKETS) {
    const [was, is] = [before.perUnit[bucket], after.perUnit[bucket]];
    if (was === undefined || is === undefined || was === 0n) continue;
    const percent = Math.round((Number(is) / Number(was) - 1) * 10_000) / 100;
    if (most === null || Math.abs(percent) > Math.abs(most)) most = percent;
  }
  return most;
}

/**
 * Last week's tokens at the new price less the same at the old one. It is an estimate, since caches and tiers are not
 * recorded by day.
 */
function effectOn({ input, output, requests }: Sales, before: Rates, after: Rates): string {
  const sum = ({ perUnit, perRequest }: Rates) =>
    costOf(
      { version: '', perUnit, perRequest: perRequest * BigInt(requests) },
      { buckets: { inputFresh: input, output }, source: 'estimated' },
    );
  return toTomanText(money(sum(after) - sum(before)));
}
