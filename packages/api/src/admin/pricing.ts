/** `/api/admin/pricing`, described: the exchange rate and the margins, and what changing them does. */

import { MARGIN_LAYERS } from '@dargah/core/catalog-terms.ts';
import Type from 'typebox';
import { STAFF_READ, scoped, staff } from '../access.ts';
import { inputObject, nullable, responseObject, Time } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { AccountSchema } from './accounts.ts';
import { PriceResponse } from './price-schemas.ts';

const Decimal = Type.Union([Type.String({ maxLength: 32 }), Type.Number()]);
const Layer = Type.Enum([...MARGIN_LAYERS]);
const PricingChange = inputObject(
  {
    exchange_rate: Type.Optional(Decimal),
    margins: Type.Optional(
      Type.Array(
        inputObject({
          layer: Layer,
          subject: Type.Optional(Type.String({ maxLength: 200, description: 'Vendor or model.' })),
          margin: nullable(Decimal),
        }),
        { maxItems: 500, description: '0.1 is ten per cent on top. Null takes the margin of a vendor or model away.' },
      ),
    ),
    effective_at: Type.Optional(Type.String({ maxLength: 64, description: 'In the future; at once when absent.' })),
  },
  'PricingChange',
);
const Term = responseObject(
  {
    id: Type.String(),
    kind: Type.String(),
    layer: Type.String(),
    subject: nullable(Type.String()),
    value: nullable(Type.String()),
    origin: Type.String(),
    effective_at: Time,
    created_at: Time,
  },
  'PricingTerm',
);
const Pricing = responseObject(
  {
    object: Type.Literal('pricing'),
    exchange_rate: Type.String(),
    exchange_rate_origin: Type.String({ description: '`hand`, `file`, `default`, or the address it was read from.' }),
    exchange_rate_since: nullable(Time),
    margins: Type.Array(
      responseObject({ layer: Type.String(), subject: nullable(Type.String()), margin: Type.String() }),
    ),
    announced: Type.Array(Term),
  },
  'Pricing',
);
const PlannedPrice = responseObject(
  {
    model: Type.String(),
    from: nullable(Time),
    old: nullable(PriceResponse),
    new: PriceResponse,
    margin: nullable(Type.String()),
    margin_layer: nullable(Type.String()),
    change_percent: nullable(Type.Number()),
  },
  'PlannedPrice',
);
const PricingPreview = responseObject(
  {
    object: Type.Literal('pricing_preview'),
    effective_at: Time,
    models: Type.Integer(),
    changes: Type.Array(PlannedPrice),
    pinned: Type.Array(PlannedPrice, { description: 'Set by hand, so they stay as they are.' }),
  },
  'PricingPreview',
);
const AccountMargin = inputObject({ margin: nullable(Decimal) }, 'AccountMargin');
const WRITE = scoped('catalog', staff('owner', 'finance'));
const path = '/api/admin/pricing';
const tag = 'Prices';

export const getPricing = describeRoute({
  method: 'GET',
  path,
  operationId: 'getPricing',
  tag,
  summary: { fa: 'نرخ ارز و حاشیهٔ سود', en: 'Exchange rate, margins by layer, and what is announced' },
  result: Pricing,
  access: STAFF_READ,
});

export const previewPricing = describeRoute({
  method: 'POST',
  path: `${path}/preview`,
  operationId: 'previewPricing',
  tag,
  summary: { fa: 'پیش‌نمایش تغییر قیمت‌ها', en: 'What a change would do to every price; nothing is written' },
  body: PricingChange,
  result: PricingPreview,
  errors: ['conflict'],
  example: { exchange_rate: 112_000, margins: [{ layer: 'vendor', subject: 'openai', margin: '0.15' }] },
  access: WRITE,
});

export const changePricing = describeRoute({
  method: 'POST',
  path,
  operationId: 'changePricing',
  tag,
  summary: { fa: 'تغییر نرخ ارز یا حاشیهٔ سود', en: 'Change the rate or margins, now or announced for a date' },
  description:
    'The most specific margin wins: account, model, vendor, all. New prices are new versions; running requests keep theirs.',
  body: PricingChange,
  result: responseObject({ changed: Type.Boolean(), new_prices: Type.Integer() }, 'PricingChanged'),
  errors: ['conflict'],
  example: { margins: [{ layer: 'global', margin: '0.12' }], effective_at: '2027-03-21T00:00:00+03:30' },
  access: WRITE,
});

export const withdrawPricing = describeRoute({
  method: 'DELETE',
  path: `${path}/announced/:id`,
  operationId: 'withdrawPricing',
  tag,
  summary: { fa: 'لغو تغییر اعلام‌شده', en: 'Take an announced rate or margin back, with the prices it announced' },
  result: Term,
  errors: ['not_found', 'conflict'],
  access: WRITE,
});

export const setAccountMargin = describeRoute({
  method: 'PUT',
  path: '/api/admin/accounts/:id/margin',
  operationId: 'setAccountMargin',
  tag,
  summary: { fa: 'حاشیهٔ سود ویژهٔ یک حساب', en: "An account's own margin; null: as everybody" },
  description: 'Stands above the margins of model, vendor and all. Prices written in toman are the same for everybody.',
  body: AccountMargin,
  result: AccountSchema,
  errors: ['not_found'],
  example: { margin: '0.05' },
  access: WRITE,
});

export const previewAccountMargin = describeRoute({
  method: 'POST',
  path: '/api/admin/accounts/:id/margin/preview',
  operationId: 'previewAccountMargin',
  tag,
  summary: { fa: 'پیش‌نمایش حاشیهٔ سود یک حساب', en: 'What an account would pay by another margin; nothing is written' },
  body: AccountMargin,
  result: PricingPreview,
  errors: ['not_found'],
  example: { margin: '0.05' },
  access: WRITE,
});

const sourceFields = {
  url: Type.String({ minLength: 8, maxLength: 2048, description: 'A public https address that answers JSON.' }),
  field: Type.String({ maxLength: 500, description: 'JSON pointer to the rate, such as `/data/usd/price`.' }),
  unit: Type.Enum(['toman', 'rial']),
  every_minutes: Type.Integer({ minimum: 1, maximum: 10_080 }),
  most_change_percent: Type.Integer({
    minimum: 1,
    maximum: 100,
    description: 'A rate further away from the one in force is not believed.',
  }),
  stale_hours: Type.Integer({
    minimum: 1,
    maximum: 8_760,
    description: 'After so long without a rate, staff is told.',
  }),
  stop_when_stale: Type.Boolean({ description: 'Then models priced by the rate are not offered until there is one.' }),
};
const RateSourceInput = inputObject({ ...sourceFields, least: Decimal, most: Decimal }, 'GivenRateSource');
const RateSourceSchema = responseObject(
  {
    object: Type.Literal('rate_source'),
    source: nullable(
      responseObject({
        ...sourceFields,
        least: Type.String(),
        most: Type.String(),
        tried_at: nullable(Time),
        ok_at: nullable(Time),
        rate: nullable(Type.String({ description: 'The last one believed.' })),
        problem: nullable(Type.String({ description: 'Why the last reading was not believed.' })),
        stale: Type.Boolean(),
      }),
    ),
  },
  'RateSource',
);

export const getRateSource = describeRoute({
  method: 'GET',
  path: `${path}/rate-source`,
  operationId: 'getRateSource',
  tag,
  summary: { fa: 'آدرس نرخ ارز', en: 'Where the exchange rate is read from, and how that goes' },
  result: RateSourceSchema,
  access: STAFF_READ,
});

export const setRateSource = describeRoute({
  method: 'PUT',
  path: `${path}/rate-source`,
  operationId: 'setRateSource',
  tag,
  summary: { fa: 'خواندن نرخ ارز از یک آدرس', en: 'Read the exchange rate from an address, within bounds' },
  body: RateSourceInput,
  result: RateSourceSchema,
  errors: ['conflict'],
  example: {
    url: 'https://rates.example/usd.json',
    field: '/usd/sell',
    unit: 'rial',
    every_minutes: 30,
    least: 80_000,
    most: 200_000,
    most_change_percent: 5,
    stale_hours: 24,
    stop_when_stale: false,
  },
  access: WRITE,
});

export const removeRateSource = describeRoute({
  method: 'DELETE',
  path: `${path}/rate-source`,
  operationId: 'removeRateSource',
  tag,
  summary: { fa: 'نرخ ارز فقط دستی', en: 'Set the exchange rate by hand again' },
  result: RateSourceSchema,
  access: WRITE,
});

export const fetchRate = describeRoute({
  method: 'POST',
  path: `${path}/rate-source/fetch`,
  operationId: 'fetchRate',
  tag,
  summary: { fa: 'خواندن نرخ ارز همین حالا', en: 'Read the exchange rate now' },
  result: RateSourceSchema,
  errors: ['not_found'],
  access: WRITE,
});
