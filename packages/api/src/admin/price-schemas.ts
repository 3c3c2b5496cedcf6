/** Prices of models in the operator's API: as they are set, changed, answered and kept as versions. */
import { PRICE_FIELDS } from '@dargah/core/fields/index.ts';
import Type, { type TString } from 'typebox';
import { AnyJson, inputObject, nullable, responseObject, Time, TomanInput } from '../building-blocks.ts';
import { inputFields } from '../field-schema.ts';

function changedPrices() {
  const fields: Record<string, ReturnType<typeof Type.Optional<ReturnType<typeof nullable<typeof TomanInput>>>>> = {};
  for (const name of Object.keys(PRICE_FIELDS)) fields[name] = Type.Optional(nullable(TomanInput));
  return fields;
}

/** Prices in answers: per unit, as exact text, whatever form the amount was given in. */
function priceResponse() {
  const fields: Record<string, ReturnType<typeof Type.Optional<TString>>> = {};
  for (const name of Object.keys(PRICE_FIELDS)) fields[name] = Type.Optional(Type.String());
  return fields;
}

const Above = Type.Integer({ minimum: 1, description: 'Prompts of more tokens than this cost these prices instead.' });
const { request: _, ...unitFields } = inputFields(PRICE_FIELDS);
const TiersInput = Type.Array(inputObject({ above: Above, ...unitFields }, 'GivenPriceTier'), {
  maxItems: 10,
  description:
    'In rising order. A tier holds for the whole request; what it does not name costs what it costs without it.',
});
const Factor = Type.Union([Type.String({ maxLength: 6 }), Type.Number()], {
  description: 'How many times the normal price tokens cost at this tier; at most three decimals.',
});
const ServiceTiersInput = inputObject(
  {
    flex: Type.Optional(Factor),
    priority: Type.Optional(Factor),
    fast: Type.Optional(Factor),
    ultrafast: Type.Optional(Factor),
  },
  'GivenServiceTiers',
);
const ImageGridInput = Type.Array(
  inputObject(
    {
      size: Type.Optional(Type.String({ maxLength: 32, description: 'As `1024x1024`; absent: every size.' })),
      quality: Type.Optional(Type.String({ maxLength: 32, description: 'As `high`; absent: every quality.' })),
      price: TomanInput,
    },
    'GivenPicturePrice',
  ),
  { maxItems: 60, description: 'Per million pictures by size and quality; `images` is the price of every other one.' },
);
export const PriceInput = inputObject(
  {
    ...inputFields(PRICE_FIELDS),
    tiers: Type.Optional(TiersInput),
    service_tiers: Type.Optional(ServiceTiersInput),
    image_grid: Type.Optional(ImageGridInput),
  },
  'GivenPrice',
);
/** Prices per million units of a currency, as exact text or a number; a free unit must be written as 0. */
export const CostPriceInput = Type.Record(Type.String(), AnyJson, {
  title: 'GivenCostPrice',
  description:
    'The fields of a price, per million units in the currency, `request` for each request, `tiers` for long prompts. An empty object: it costs nothing.',
});
/** Null removes a field; tiers in a change replace all tiers. */
export const PriceChange = inputObject(
  {
    ...changedPrices(),
    tiers: Type.Optional(nullable(TiersInput)),
    service_tiers: Type.Optional(nullable(ServiceTiersInput)),
    image_grid: Type.Optional(nullable(ImageGridInput)),
  },
  'PriceChange',
);
export const PriceResponse = responseObject(
  {
    ...priceResponse(),
    tiers: Type.Optional(Type.Array(responseObject({ above: Type.Integer() }, 'PriceTier'))),
    service_tiers: Type.Optional(Type.Record(Type.String(), Type.String())),
    image_grid: Type.Optional(
      Type.Array(
        responseObject(
          { size: Type.Optional(Type.String()), quality: Type.Optional(Type.String()), price: Type.String() },
          'PicturePrice',
        ),
      ),
    ),
  },
  'Price',
);

export const PriceVersion = responseObject(
  {
    version: Type.String(),
    model: Type.String(),
    price: PriceResponse,
    exchange_rate: nullable(Type.String({ description: 'Toman per USD; null for a price written in toman.' })),
    margin: nullable(Type.String()),
    margin_layer: nullable(Type.String({ description: '`global`, `vendor`, `model`; on a receipt also `account`.' })),
    list_usd: AnyJson,
    effective_at: Time,
    source: Type.String(),
    pinned: Type.Boolean({ description: 'Set by hand: the list and the exchange rate no longer change it.' }),
    created_at: Time,
  },
  'PriceVersion',
);
