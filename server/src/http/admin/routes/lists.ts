/** `/api/admin/catalog/lists`, described: lists of models and prices from outside, previewed and applied. */
import Type from 'typebox';
import { AnyJson, inputObject, nullable, pageOf, responseObject, Time } from '../../openapi/building-blocks.ts';
import { STAFF_READ, scoped, staff } from '../../routes/access.ts';
import { describeRoute } from '../../routes/describe-route.ts';

const PriceList = responseObject(
  {
    object: Type.Literal('price_list'),
    id: Type.String(),
    origin: Type.String(),
    state: Type.String({ description: '`proposed`, `announced`, `applied` or `replaced`.' }),
    models: Type.Integer(),
    added: Type.Array(Type.String(), { description: 'Against the list in force.' }),
    withdrawn: Type.Array(Type.String()),
    changed: Type.Array(
      responseObject({ model: Type.String(), old: AnyJson, new: AnyJson, percent: nullable(Type.Number()) }),
    ),
    doubts: Type.Array(Type.String(), {
      description: 'Beyond the bounds of a usual change: applied only with `insist`.',
    }),
    created_at: Time,
    effective_at: nullable(Time),
    applied_at: nullable(Time),
    new_prices: Type.Optional(Type.Integer()),
  },
  'PriceList',
);
const WRITE = scoped('catalog', staff('owner', 'finance'));
const path = '/api/admin/catalog/lists';
const tag = 'Models';

export const proposeList = describeRoute({
  method: 'POST',
  path,
  operationId: 'proposePriceList',
  tag,
  summary: { fa: 'خواندن فهرست مدل و قیمت', en: 'Read a list of models and list prices and show what it would change' },
  description:
    'From a public https address, or as it is. The format is in docs/reference/price-list.md. Nothing changes yet.',
  body: inputObject(
    {
      url: Type.Optional(Type.String({ minLength: 8, maxLength: 2048 })),
      document: Type.Optional(AnyJson),
    },
    'GivenPriceList',
  ),
  result: PriceList,
  status: 201,
  example: { url: 'https://lists.example/models.json' },
  access: WRITE,
});

export const listLists = describeRoute({
  method: 'GET',
  path,
  operationId: 'listPriceLists',
  tag,
  summary: { fa: 'فهرست‌های خوانده‌شده', en: 'Lists that were read, newest first, and what each would change now' },
  result: pageOf(PriceList),
  access: STAFF_READ,
});

export const applyList = describeRoute({
  method: 'POST',
  path: `${path}/:id/apply`,
  operationId: 'applyPriceList',
  tag,
  summary: {
    fa: 'به‌کار بستن یک فهرست',
    en: 'Use a list in place of the one in force; new and withdrawn models are announced',
  },
  description:
    'With `effective_at` it is announced for that time: until then customers see the coming prices and withdrawals in `GET /models` and the catalog, and it can be taken back.',
  body: inputObject(
    { insist: Type.Optional(Type.Boolean()), effective_at: Type.Optional(Type.String({ maxLength: 40 })) },
    'ApplyPriceList',
  ),
  result: PriceList,
  errors: ['not_found', 'conflict'],
  example: { insist: false },
  access: WRITE,
});

export const withdrawList = describeRoute({
  method: 'DELETE',
  path: `${path}/:id/announcement`,
  operationId: 'withdrawPriceList',
  tag,
  summary: { fa: 'پس گرفتن فهرست اعلام‌شده', en: 'Take an announced list back, with the prices it announced' },
  result: PriceList,
  errors: ['not_found', 'conflict'],
  access: WRITE,
});

export const useShippedList = describeRoute({
  method: 'DELETE',
  path,
  operationId: 'useShippedList',
  tag,
  summary: { fa: 'بازگشت به فهرست همراه نرم‌افزار', en: 'Use the shipped list again' },
  result: responseObject({ new_prices: Type.Integer() }, 'ShippedList'),
  access: WRITE,
});
