/** `/api/admin/models`, described: what is offered, by which routes and at what price. A price is never changed, only followed by another. */
import Type from 'typebox';
import { STAFF_READ, scoped, staff } from '../access.ts';
import { Deleted, inputObject, nullable, pageOf, responseObject } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import {
  CostStatement,
  ModelChange,
  ModelSchema,
  NewModel,
  RouteChange,
  RouteInput,
  UsesSchema,
} from './catalog-schemas.ts';
import { CostPriceInput, PriceChange, PriceVersion } from './price-schemas.ts';

const tag = 'Models';
const path = '/api/admin/models';
/** Model ids contain a slash. */
const one = `${path}/:vendor/:model`;
const NewPrice = inputObject(
  { price: PriceChange, effective_at: Type.Optional(Type.String({ maxLength: 64, description: 'In the future.' })) },
  'NewPrice',
);
const SetPrice = responseObject({ price: PriceVersion, warnings: Type.Array(Type.String()) }, 'SetPrice');
const WRITE = scoped('catalog', staff('owner'));

export const createModel = describeRoute({
  method: 'POST',
  path,
  operationId: 'createModel',
  tag,
  summary: { fa: 'افزودن مدل', en: 'Add a model with its routes and price' },
  body: NewModel,
  result: ModelSchema,
  status: 201,
  errors: ['conflict'],
  example: {
    id: 'acme/chat',
    routes: [{ provider: 'my-openai', model: 'gpt-4o-mini' }],
    price: { input: 15_000, output: 60_000 },
    context: 128_000,
  },
  access: WRITE,
});

export const listManagedModels = describeRoute({
  method: 'GET',
  path,
  operationId: 'listManagedModels',
  tag,
  summary: { fa: 'فهرست مدل‌ها با مسیر و قیمت', en: 'List models with routes and prices' },
  result: pageOf(ModelSchema),
  access: STAFF_READ,
});

export const getManagedModel = describeRoute({
  method: 'GET',
  path: one,
  operationId: 'getManagedModel',
  tag,
  summary: { fa: 'یک مدل', en: 'One model' },
  result: ModelSchema,
  errors: ['not_found'],
  access: STAFF_READ,
});

export const changeModel = describeRoute({
  method: 'PATCH',
  path: one,
  operationId: 'changeModel',
  tag,
  summary: { fa: 'تغییر یا غیرفعال‌کردن مدل', en: 'Change facts of a model, or disable it' },
  body: ModelChange,
  result: ModelSchema,
  errors: ['not_found', 'conflict'],
  example: { enabled: false },
  access: WRITE,
});

const DescriptionInput = nullable(Type.String({ minLength: 1, maxLength: 1_000 }));

export const setModelDescription = describeRoute({
  method: 'PUT',
  path: `${one}/description`,
  operationId: 'setModelDescription',
  tag,
  summary: { fa: 'نوشتن توضیح مدل', en: 'Describe a model in your own words' },
  description: 'Its facts and its price go on following the list. Null gives the shipped words back.',
  body: inputObject({ fa: DescriptionInput, en: DescriptionInput }, 'ModelDescription'),
  result: ModelSchema,
  errors: ['not_found'],
  example: { fa: 'مدل پیش‌فرض پشتیبانی ما.', en: 'The usual model of our support.' },
  access: WRITE,
});

export const deleteModel = describeRoute({
  method: 'DELETE',
  path: one,
  operationId: 'deleteModel',
  tag,
  summary: { fa: 'حذف مدل', en: 'Delete a model' },
  result: Deleted,
  errors: ['not_found', 'conflict'],
  access: WRITE,
});

export const retireModel = describeRoute({
  method: 'POST',
  path: `${one}/retirement`,
  operationId: 'retireModel',
  tag,
  summary: { fa: 'بایگانی مدل در یک تاریخ', en: 'Retire a model on a day, with what follows it' },
  description:
    'Whoever used it within a month is told (`model.withdrawn`); on that day it stops by itself on every replica, and who still asks for it is told its successor. What the file or the environment brings is then off, not retired.',
  body: inputObject(
    {
      at: Type.String({ format: 'date-time', maxLength: 64, description: 'In the past: at once.' }),
      successor: Type.Optional(
        nullable(Type.String({ maxLength: 128, description: 'A model of the same kind that stays.' })),
      ),
    },
    'Retirement',
  ),
  result: ModelSchema,
  errors: ['not_found'],
  example: { at: '2027-01-01T00:00:00+03:30', successor: 'openai/gpt-4.1' },
  access: WRITE,
});

export const keepModel = describeRoute({
  method: 'DELETE',
  path: `${one}/retirement`,
  operationId: 'keepModel',
  tag,
  summary: { fa: 'لغو بایگانی مدل', en: 'Keep a model after all, or offer it again' },
  result: ModelSchema,
  errors: ['not_found'],
  access: WRITE,
});

export const setRoute = describeRoute({
  method: 'PUT',
  path: `${one}/routes`,
  operationId: 'setRoute',
  tag,
  summary: { fa: 'افزودن یا جایگزینی مسیر', en: 'Add or replace the route to a provider' },
  body: RouteInput,
  result: ModelSchema,
  errors: ['not_found', 'conflict'],
  example: { provider: 'my-openai', model: 'gpt-4o-mini', priority: 2 },
  access: WRITE,
});

export const removeRoute = describeRoute({
  method: 'DELETE',
  path: `${one}/routes`,
  operationId: 'removeRoute',
  tag,
  summary: { fa: 'حذف مسیر', en: 'Remove a route' },
  query: inputObject({ provider: Type.String({ maxLength: 64 }), model: Type.String({ maxLength: 256 }) }),
  description: 'Only one that never carried a request; the rest is retired.',
  result: ModelSchema,
  errors: ['not_found', 'conflict'],
  access: WRITE,
});

const RouteNames = inputObject({ provider: Type.String({ maxLength: 64 }), model: Type.String({ maxLength: 256 }) });

export const changeRoute = describeRoute({
  method: 'PATCH',
  path: `${one}/routes`,
  operationId: 'changeRoute',
  tag,
  summary: { fa: 'تغییر مسیر', en: 'Change a route: name, priority, weight, limits, state' },
  description: 'What is not given stays as it is. A route of the environment is the operator’s own from then on.',
  query: RouteNames,
  body: RouteChange,
  result: ModelSchema,
  errors: ['not_found', 'conflict'],
  example: { priority: 2, requests_per_minute: 500, state: 'draining' },
  access: WRITE,
});

export const getRouteTraffic = describeRoute({
  method: 'GET',
  path: `${one}/routes/traffic`,
  operationId: 'getRouteTraffic',
  tag,
  summary: { fa: 'سهم و خطای مسیرها در ۲۴ ساعت', en: 'What each route carried in 24 hours' },
  result: pageOf(
    responseObject(
      {
        route: Type.String({ description: '`<provider>:<its name of the model>`.' }),
        answered: Type.Integer(),
        failed: Type.Integer(),
        share: Type.Number({ description: 'Of the requests of this model, from 0 to 1.' }),
        p95_ms: nullable(Type.Number({ description: 'Time to the first token; a twentieth waited longer.' })),
      },
      'RouteTraffic',
    ),
  ),
  access: STAFF_READ,
});

export const getModelUses = describeRoute({
  method: 'GET',
  path: `${one}/uses`,
  operationId: 'getModelUses',
  tag,
  summary: { fa: 'چه کسی این مدل را به کار می‌برد', en: 'Who would miss a model' },
  result: UsesSchema,
  errors: ['not_found'],
  access: STAFF_READ,
});

export const setRouteCost = describeRoute({
  method: 'PUT',
  path: `${one}/routes/cost`,
  operationId: 'setRouteCost',
  tag: 'Prices',
  summary: { fa: 'هزینهٔ یک مسیر', en: 'Say what a route costs us: a new statement, now or from a day on' },
  description:
    'Stands above the provider’s factor and the list. `price: null`: by these again. Never zero unless it is said: an empty price.',
  query: RouteNames,
  body: inputObject(
    {
      currency: Type.Optional(Type.Enum(['toman', 'usd'])),
      price: nullable(CostPriceInput),
      effective_at: Type.Optional(Type.String({ maxLength: 64, description: 'In the future.' })),
    },
    'GivenRouteCost',
  ),
  result: CostStatement,
  errors: ['not_found', 'conflict'],
  example: { currency: 'usd', price: { input: '0.15', output: '0.6' } },
  access: scoped('catalog', staff('owner', 'finance')),
});

export const listRouteCosts = describeRoute({
  method: 'GET',
  path: `${one}/routes/cost`,
  operationId: 'listRouteCosts',
  tag: 'Prices',
  summary: { fa: 'تاریخچهٔ هزینهٔ یک مسیر', en: 'What was said about the cost of a route, newest first' },
  query: RouteNames,
  result: pageOf(CostStatement),
  access: scoped('catalog', staff('owner', 'finance')),
});

export const setPrice = describeRoute({
  method: 'POST',
  path: `${one}/prices`,
  operationId: 'setPrice',
  tag: 'Prices',
  summary: { fa: 'قیمت جدید', en: 'Set a price: a new version, now or announced for later' },
  description:
    'Toman per million units; `request` is toman per request. Fields not given stay as they are, null takes one away. Running requests keep the price they began with.',
  body: NewPrice,
  result: SetPrice,
  status: 201,
  errors: ['not_found', 'conflict'],
  example: { price: { input: 18_000, output: 72_000 } },
  access: scoped('catalog', staff('owner', 'finance')),
});

export const listPrices = describeRoute({
  method: 'GET',
  path: `${one}/prices`,
  operationId: 'listPrices',
  tag: 'Prices',
  summary: { fa: 'تاریخچهٔ قیمت', en: 'Price history, newest first, announced ones included' },
  query: inputObject({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })) }),
  result: pageOf(PriceVersion),
  access: STAFF_READ,
});

export const unpinPrice = describeRoute({
  method: 'POST',
  path: `${one}/prices/unpin`,
  operationId: 'unpinPrice',
  tag: 'Prices',
  summary: { fa: 'حذف قیمت دستی', en: 'Let the price follow the list and the exchange rate again' },
  description: 'At once, and with every later change of these.',
  result: PriceVersion,
  errors: ['not_found', 'conflict'],
  access: scoped('catalog', staff('owner', 'finance')),
});

export const withdrawPrice = describeRoute({
  method: 'DELETE',
  path: `${one}/prices/:version`,
  operationId: 'withdrawPrice',
  tag: 'Prices',
  summary: { fa: 'لغو قیمت اعلام‌شده', en: 'Take an announced price back before its date' },
  description: 'Of prices announced by hand. One that follows from an announced rate or margin goes with that.',
  result: PriceVersion,
  errors: ['not_found', 'conflict'],
  access: scoped('catalog', staff('owner', 'finance')),
});
