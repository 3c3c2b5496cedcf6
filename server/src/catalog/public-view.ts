/**
 * Models as GET /models shows them. Both SDK protocols call that address, so each object is the union of both shapes:
 * `object`, `owned_by`, `created` beside `type`, `display_name`, `created_at`; a list carries the cursor fields of the second.
 */
import type { JsonObject } from '../core/json.ts';
import { money, toTomanNumber } from '../core/money.ts';
import type { Price, UnitPrices } from '../core/price.ts';
import type { Model } from './model.ts';
import { BUCKET_OF_FIELD, PRICE_FIELD_NAMES } from './prices/price-fields.ts';

export function modelView(model: Model): JsonObject {
  return {
    id: model.id,
    object: 'model',
    created: model.created,
    owned_by: model.vendor,
    type: 'model',
    display_name: model.name,
    display_name_fa: model.nameFa ?? null,
    created_at: rfc3339(model.created),
    kind: model.kind,
    context_length: model.context ?? null,
    max_output_tokens: model.maxOutput ?? null,
    capabilities: [...model.capabilities].sort(),
    categories: model.categories,
    pricing: pricingView(model.price),
    price_change: model.announced
      ? { from: new Date(model.announced.fromMs).toISOString(), pricing: pricingView(model.announced.price) }
      : null,
    withdrawn_from: model.withdrawnFromMs === undefined ? null : new Date(model.withdrawnFromMs).toISOString(),
    simulated: model.simulated,
  };
}

/** Every model is on the one page, so `has_more` is false and the cursors are its ends. */
export function listView(models: Model[]): JsonObject {
  return {
    object: 'list',
    data: models.map(modelView),
    has_more: false,
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
  };
}

/** Toman per million units; JSON numbers, which hold every price below the sanity bounds exactly. */
function pricingView(price: Price): JsonObject {
  const view: JsonObject = { currency: 'toman', per: 1_000_000, version: price.version, ...unitsView(price.perUnit) };
  if (price.perRequest > 0n) view['request'] = toTomanNumber(money(price.perRequest));
  if (price.tiers) view['tiers'] = price.tiers.map(({ above, perUnit }) => ({ above, ...unitsView(perUnit) }));
  return view;
}

function unitsView(prices: UnitPrices): JsonObject {
  const view: JsonObject = {};
  for (const field of PRICE_FIELD_NAMES) {
    const value = prices[BUCKET_OF_FIELD[field]];
    if (value !== undefined) view[field] = Number(value);
  }
  return view;
}

function rfc3339(unixSeconds: number): string {
  return new Date(unixSeconds * 1000).toISOString().replace('.000Z', 'Z');
}
