/** `/api/admin/requests` and `/api/admin/usage`, described: what was asked, what it cost, and the sums of days. */
import { REQUEST_STATES } from '@dargah/core/request-states.ts';
import Type from 'typebox';
import { STAFF_READ } from '../access.ts';
import { inputObject, listOf, nullable, PAGE_QUERY, pageOf, responseObject, Toman } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { OperatorReceipt } from '../receipt-schema.ts';
import { PriceVersion } from './price-schemas.ts';

const ReceiptWithOrigin = Type.Intersect([OperatorReceipt, Type.Object({ price_origin: nullable(PriceVersion) })]);
const Text = Type.Optional(Type.String({ maxLength: 256 }));
const RequestQuery = inputObject({
  account_id: Text,
  key_id: Text,
  model: Text,
  endpoint: Text,
  state: Type.Optional(Type.Enum([...REQUEST_STATES])),
  provider: Text,
  error_code: Text,
  user: Type.Optional(Type.String({ maxLength: 256, description: 'The end user, as the caller named it.' })),
  cost_over: Type.Optional(Type.String({ maxLength: 40, description: 'Toman.' })),
  slower_than_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400_000 })),
  q: Type.Optional(Type.String({ maxLength: 64, description: 'The id of a request, or its beginning.' })),
  sort: Type.Optional(
    Type.Enum(['newest', 'dearest', 'slowest'], { description: 'Other than `newest` within one day at most.' }),
  ),
  from: Type.Optional(Type.String({ description: 'RFC 3339; included.' })),
  to: Type.Optional(Type.String({ description: 'RFC 3339; not included.' })),
  ...PAGE_QUERY,
});
export const getTraffic = describeRoute({
  method: 'GET',
  path: '/api/admin/traffic',
  operationId: 'getTraffic',
  tag: 'Requests',
  summary: { fa: 'رفت‌وآمد یک ساعت گذشته', en: 'The traffic of the last hour' },
  result: responseObject(
    {
      object: Type.Literal('traffic'),
      requests_per_second: Type.Number({ description: 'Over the last minute.' }),
      requests: Type.Integer({ description: 'Of the last hour.' }),
      failed: Type.Integer({ description: 'Not answered, or only half; not the caller’s fault.' }),
      refused: Type.Integer(),
      p50_ms: nullable(Type.Number()),
      p95_ms: nullable(Type.Number()),
    },
    'Traffic',
  ),
  access: STAFF_READ,
});
const UsageRow = responseObject(
  {
    day: Type.Optional(Type.String()),
    account_id: Type.Optional(Type.String()),
    key_id: Type.Optional(Type.String()),
    model: Type.Optional(Type.String()),
    requests: Type.Integer({ description: 'Without the refused ones.' }),
    refused: Type.Integer(),
    input_tokens: Type.Integer(),
    output_tokens: Type.Integer(),
    cost: Toman,
  },
  'UsageRow',
);

export const listRequests = describeRoute({
  method: 'GET',
  path: '/api/admin/requests',
  operationId: 'listRequests',
  tag: 'Requests',
  summary: { fa: 'فهرست درخواست‌ها', en: 'List requests, newest first' },
  description:
    'Account, key, failures, times and ids are found by indexes. Other filters look through the log for 1.5 seconds at most and say in `searched_back_to` how far they came.',
  query: RequestQuery,
  result: listOf(OperatorReceipt),
  access: STAFF_READ,
});

export const getOperatorReceipt = describeRoute({
  method: 'GET',
  path: '/api/admin/requests/:id',
  operationId: 'getOperatorReceipt',
  tag: 'Requests',
  summary: { fa: 'رسید کامل یک درخواست', en: 'The whole receipt: plan, attempts, causes, provider cost' },
  description:
    '`price_origin` is the price version it was charged by: list price, exchange rate, margin and its layer.',
  result: ReceiptWithOrigin,
  errors: ['not_found'],
  access: STAFF_READ,
});

export const getUsage = describeRoute({
  method: 'GET',
  path: '/api/admin/usage',
  operationId: 'getUsage',
  tag: 'Requests',
  summary: { fa: 'جمع مصرف', en: 'Usage roll-ups by day, account, key or model' },
  query: inputObject({
    account_id: Text,
    from: Type.String({
      maxLength: 40,
      description: 'First day, in the account’s time zone: `2026-11-01` or `1405/08/10`.',
    }),
    to: Type.String({ maxLength: 40, description: 'Last day, included.' }),
    group_by: Type.Optional(Type.String({ description: 'Of day, account, key, model; several with commas.' })),
  }),
  result: pageOf(UsageRow),
  access: STAFF_READ,
});
