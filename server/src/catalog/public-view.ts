/**
 * Models as GET /models shows them. Both SDK protocols call that address, so each object is the union of both forms:
 * `object`, `owned_by`, `created` beside `type`, `display_name`, `created_at`; a list carries the cursor fields of the
 * second. It also has OpenRouter's fields.
 */
import { money, toTomanNumber } from '../core/money.ts';
import type { Price, ServiceFactors, UnitPrices } from '../core/price.ts';
import { policiesOf } from './data-policy.ts';
import type { Model } from './model.ts';
import { openRouterFields, openRouterPrices } from './openrouter-fields.ts';
import { BUCKET_OF_FIELD, PRICE_FIELD_NAMES, type PriceField } from './prices/price-fields.ts';

export function modelView(model: Model) {
  return {
    id: model.id,
    object: 'model' as const,
    created: model.created,
    owned_by: model.vendor,
    type: 'model' as const,
    display_name: model.name,
    display_name_fa: model.nameFa ?? null,
    created_at: rfc3339(model.created),
    kind: model.kind,
    context_length: model.context ?? null,
    max_output_tokens: model.maxOutput ?? null,
    capabilities: [...model.capabilities].sort(),
    categories: model.categories,
    pricing: publicPricing(model.price),
    price_change: model.announced
      ? { from: new Date(model.announced.fromMs).toISOString(), pricing: publicPricing(model.announced.price) }
      : null,
    withdrawn_from: model.withdrawnFromMs === undefined ? null : new Date(model.withdrawnFromMs).toISOString(),
    successor: model.successor ?? null,
    simulated: model.simulated,
    proved: (model.proved ?? []).map(({ probe, passed, atMs }) => ({
      probe,
      passed,
      at: new Date(atMs).toISOString(),
    })),
    data_policies: policiesOf(model),
    ...openRouterFields(model),
  };
}

/** Every model is on the one page, so `has_more` is false and the cursors are its ends. */
export function listView(models: Model[]) {
  return {
    object: 'list' as const,
    data: models.map(modelView),
    has_more: false,
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
    total_count: models.length,
    links: { next: null },
  };
}

/** Toman per million units; JSON numbers, which hold every price below the sanity bounds exactly. */
export function publicPricing(price: Price) {
  const { version, perUnit, perRequest, tiers, serviceTiers, pictures } = price;
  return {
    currency: 'toman' as const,
    per: 1_000_000,
    version,
    ...unitsView(perUnit),
    ...openRouterPrices(price),
    ...(perRequest > 0n && { request: toTomanNumber(money(perRequest)) }),
    ...(tiers && { tiers: tiers.map((tier) => ({ above: tier.above, ...unitsView(tier.perUnit) })) }),
    ...(serviceTiers && { service_tiers: factorsView(serviceTiers) }),
    ...(pictures && { image_grid: pictures.map(({ each, ...kind }) => ({ ...kind, price: Number(each) })) }),
  };
}

/** A factor of 2 means that tokens cost twice their price at this tier. */
function factorsView(factors: ServiceFactors) {
  return Object.fromEntries(Object.entries(factors).map(([tier, factor]) => [tier, Number(factor) / 1_000]));
}

function unitsView(prices: UnitPrices) {
  const view: { [field in PriceField]?: number } = {};
  for (const field of PRICE_FIELD_NAMES) {
    const value = prices[BUCKET_OF_FIELD[field]];
    if (value !== undefined) view[field] = Number(value);
  }
  return view;
}

function rfc3339(unixSeconds: number): string {
  return new Date(unixSeconds * 1000).toISOString().replace('.000Z', 'Z');
}
