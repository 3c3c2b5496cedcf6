/**
 * What providers offer and how it is sold, described: drafts that are published as one change, and the route that opens
 * sales.
 */

import { MODEL_FIELDS } from '@dargah/core/fields/index.ts';
import Type from 'typebox';
import { STAFF_READ, scoped, staff } from '../access.ts';
import { Deleted, inputObject, nullable, pageOf, responseObject, Time, Toman } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { inputFields } from '../field-schema.ts';
import { CostPriceInput, PriceInput, PriceResponse } from './price-schemas.ts';

const tag = 'Models';
const MONEY = scoped('catalog', staff('owner', 'finance'));
const Decimal = Type.Union([Type.String({ maxLength: 32 }), Type.Number()]);

const OfferRow = responseObject(
  {
    model: Type.String({ description: 'The id it would be sold under.' }),
    upstream: Type.String({ description: "The provider's own name of it." }),
    name: Type.String(),
    kind: Type.String(),
    context: nullable(Type.Integer()),
    max_output: nullable(Type.Integer()),
    state: Type.String({
      description:
        '`new`: choosing it adds a model. `adds_route`: another way to a model that is sold. `routed`: it is served already. `unlisted`: no list has a price, so somebody must say one.',
    }),
    listed_there: nullable(Type.Boolean({ description: 'The provider lists it itself; null: it could not be asked.' })),
    list_usd: nullable(PriceResponse),
    price: nullable(PriceResponse),
    pinned: Type.Boolean({ description: 'The price is set by hand or by the file and stays.' }),
    margin: nullable(Type.String()),
    margin_layer: nullable(Type.String()),
    cost: nullable(PriceResponse),
    cost_source: nullable(Type.String({ description: '`own`, `factor` or `list`; null: nobody knows.' })),
  },
  'OfferRow',
);

export const getOffer = describeRoute({
  method: 'GET',
  path: '/api/admin/providers/:id/offer',
  operationId: 'getProviderOffer',
  tag,
  summary: { fa: 'مدل‌هایی که یک ارائه‌دهنده می‌تواند بدهد', en: 'What a provider could serve, with prices and costs' },
  description:
    'From the list in force, by the vendor of the provider, and from its own list of models, which is asked now. Toman per million units; nothing is changed.',
  result: responseObject(
    {
      object: Type.Literal('offer'),
      provider: Type.String(),
      vendor: Type.String(),
      exchange_rate: Type.String(),
      margin: Type.String(),
      selling_confirmed: Type.Boolean(),
      problem: nullable(Type.String({ description: 'Why its own list could not be read.' })),
      elsewhere: Type.Array(
        responseObject({
          vendor: Type.String(),
          models: Type.Integer(),
          provider: nullable(Type.String({ description: 'One of yours of that vendor, if there is one.' })),
        }),
        {
          description:
            'The same maker in another protocol: models that are offered there and not here, with the same key.',
        },
      ),
      data: Type.Array(OfferRow),
    },
    'Offer',
  ),
  errors: ['not_found'],
  access: MONEY,
});

const facts = inputFields(MODEL_FIELDS);
/**
 * One schema for all edits, so that an error names the wrong field itself; `op` decides which fields an edit must have.
 */
const DraftEdit = inputObject(
  {
    op: Type.Enum(['offer', 'price'], {
      description:
        '`offer`: a model of a provider, with `provider` and `upstream`. `price`: a price in toman, with `price`.',
    }),
    model: Type.String({ minLength: 3, maxLength: 200 }),
    provider: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    upstream: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, description: "The provider's own name of the model." }),
    ),
    place: Type.Optional(
      Type.Enum(['first', 'last', 'share'], {
        description: 'Among the routes that are there: before them, after them (as without it), or beside the first.',
      }),
    ),
    kind: facts.kind,
    name: facts.name,
    name_fa: facts.name_fa,
    context: facts.context,
    max_output: facts.max_output,
    price: Type.Optional(PriceInput),
    cost: Type.Optional(
      inputObject({ currency: Type.Optional(Type.Enum(['toman', 'usd'])), price: Type.Optional(CostPriceInput) }),
    ),
  },
  'CatalogDraftEdit',
);
const Draft = inputObject(
  {
    edits: Type.Array(DraftEdit, {
      maxItems: 500,
      description: 'Models that a provider offers, and prices in toman.',
    }),
    note: Type.Optional(Type.String({ maxLength: 500 })),
  },
  'CatalogDraft',
);
const ShownEdit = responseObject(
  {
    op: Type.String({ description: '`offer`, `price`; in an undo also `withdraw` and `unpin`.' }),
    model: Type.String(),
    provider: Type.Optional(Type.String()),
    upstream: Type.Optional(Type.String()),
  },
  'CatalogEdit',
);
const PreviewRow = responseObject({
  op: Type.String(),
  model: Type.String(),
  provider: nullable(Type.String()),
  appears: Type.Boolean({ description: 'It is not sold today.' }),
  old: nullable(PriceResponse),
  new: nullable(PriceResponse),
  change_percent: nullable(Type.Number()),
  cost: nullable(PriceResponse),
  below_cost: Type.Boolean(),
  sales_7_days: nullable(responseObject({ requests: Type.Integer(), revenue: Toman })),
  effect_7_days: nullable(Toman),
});
const Preview = responseObject(
  {
    rows: Type.Array(PreviewRow),
    appearing: Type.Integer(),
    below_cost: Type.Integer(),
    cost_unknown: Type.Integer(),
    clashes: Type.Array(Type.String(), { description: 'What somebody else has changed since the draft was written.' }),
  },
  'CatalogPreview',
);
const changeFields = {
  object: Type.Literal('catalog_change'),
  id: Type.String(),
  state: Type.String({ description: '`draft`, `published` or `undone`.' }),
  edits: Type.Array(ShownEdit),
  note: nullable(Type.String()),
  made_by: Type.String(),
  made_at: Time,
  published_by: nullable(Type.String()),
  published_at: nullable(Time),
  undoes: nullable(Type.String({ description: 'The change that this one took back.' })),
  undone_by: nullable(Type.String()),
  undoable: Type.Boolean(),
};
const ChangeSchema = responseObject(changeFields, 'CatalogChange');
const named = responseObject({
  count: Type.Integer(),
  first: Type.Array(responseObject({ id: Type.String(), name: Type.String() })),
});
const LostByUndo = responseObject(
  {
    models: Type.Array(Type.String(), { description: 'Models that an undo leaves without a route.' }),
    groups: Type.Array(Type.String()),
    keys: named,
    accounts: named,
  },
  'LostByUndo',
);
const ChangeWithPreview = responseObject(
  {
    ...changeFields,
    preview: nullable(Preview),
    undo_loses: nullable(LostByUndo),
  },
  'CatalogChangeDetail',
);
const path = '/api/admin/catalog/changes';

export const listChanges = describeRoute({
  method: 'GET',
  path,
  operationId: 'listCatalogChanges',
  tag,
  summary: { fa: 'پیش‌نویس‌ها و تغییرهای منتشرشده', en: 'Drafts and published changes of the catalog, newest first' },
  result: pageOf(ChangeSchema),
  access: STAFF_READ,
});

export const getChange = describeRoute({
  method: 'GET',
  path: `${path}/:id`,
  operationId: 'getCatalogChange',
  tag,
  summary: { fa: 'یک تغییر و پیش‌نمایش آن', en: 'One change; of a draft also what it would do' },
  result: ChangeWithPreview,
  errors: ['not_found'],
  access: MONEY,
});

export const draftChange = describeRoute({
  method: 'POST',
  path,
  operationId: 'draftCatalogChange',
  tag,
  summary: { fa: 'پیش‌نویس جدید', en: 'A draft: models and prices, put together; nothing is sold by it yet' },
  body: Draft,
  result: ChangeWithPreview,
  status: 201,
  example: { edits: [{ op: 'offer', model: 'openai/gpt-4o', provider: 'my-openai', upstream: 'gpt-4o' }] },
  access: MONEY,
});

export const redraftChange = describeRoute({
  method: 'PUT',
  path: `${path}/:id`,
  operationId: 'redraftCatalogChange',
  tag,
  summary: { fa: 'تغییر پیش‌نویس', en: 'Replace the edits of a draft' },
  body: Draft,
  result: ChangeWithPreview,
  errors: ['not_found', 'conflict'],
  example: { edits: [{ op: 'price', model: 'openai/gpt-4o', price: { input: 300_000, output: 1_200_000 } }] },
  access: MONEY,
});

export const discardChange = describeRoute({
  method: 'DELETE',
  path: `${path}/:id`,
  operationId: 'discardCatalogChange',
  tag,
  summary: { fa: 'دور انداختن پیش‌نویس', en: 'Throw a draft away' },
  result: Deleted,
  errors: ['not_found', 'conflict'],
  access: MONEY,
});

export const publishChange = describeRoute({
  method: 'POST',
  path: `${path}/:id/publish`,
  operationId: 'publishCatalogChange',
  tag,
  summary: { fa: 'انتشار پیش‌نویس', en: 'Publish a draft: all of it at once, or nothing' },
  description:
    'Refused with the list of clashes when somebody else has changed what it touches. Whoever publishes needs the right to each edit: models are the owner’s, prices also finance’s.',
  result: ChangeWithPreview,
  errors: ['not_found', 'conflict', 'forbidden'],
  access: MONEY,
});

export const undoChange = describeRoute({
  method: 'POST',
  path: `${path}/:id/undo`,
  operationId: 'undoCatalogChange',
  tag,
  summary: { fa: 'برگرداندن یک تغییر', en: 'Undo a published change by a new one with the opposite edits' },
  description: 'Prices are never deleted: the former ones become new versions.',
  result: ChangeWithPreview,
  errors: ['not_found', 'conflict', 'forbidden'],
  access: MONEY,
});

const SellingSchema = responseObject(
  {
    object: Type.Literal('selling'),
    confirmed: Type.Boolean({
      description: 'Until it is, models priced by the rate answer only the account `operator`.',
    }),
    source: nullable(Type.String({ description: '`person`, `file`, or `carried` over from the version before.' })),
    by: nullable(Type.String()),
    at: nullable(Time),
    confirmed_rate: nullable(Type.String()),
    confirmed_margin: nullable(Type.String()),
    look_again: Type.Boolean({ description: 'Sold before anybody was asked: both should be looked at once.' }),
    exchange_rate: Type.String(),
    margin: Type.String(),
  },
  'Selling',
);

export const getSelling = describeRoute({
  method: 'GET',
  path: '/api/admin/selling',
  operationId: 'getSelling',
  tag: 'Prices',
  summary: { fa: 'آیا فروش باز است', en: 'Whether the rate and the margin are confirmed, and by whom' },
  result: SellingSchema,
  access: STAFF_READ,
});

export const confirmSelling = describeRoute({
  method: 'POST',
  path: '/api/admin/selling/confirm',
  operationId: 'confirmSelling',
  tag: 'Prices',
  summary: { fa: 'تأیید نرخ و حاشیه و باز کردن فروش', en: 'Confirm the rate and the margin in force: sales are open' },
  description: 'With what the person saw; refused when another rate or margin is in force by now.',
  body: inputObject({ exchange_rate: Decimal, margin: Decimal }, 'ConfirmSelling'),
  result: SellingSchema,
  errors: ['conflict'],
  example: { exchange_rate: 112_000, margin: '0.12' },
  access: MONEY,
});
