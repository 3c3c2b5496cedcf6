/** `/api/admin/requests` and `/api/admin/usage`, described: what was asked, what it cost, and the sums of days. */
import Type from 'typebox';
import { inputObject, nullable, PAGE_QUERY, pageOf, responseObject, Toman } from '../../openapi/building-blocks.ts';
import { OperatorReceipt } from '../../openapi/receipt-schema.ts';
import { STAFF_READ } from '../../routes/access.ts';
import { describeRoute } from '../../routes/describe-route.ts';
import { PriceVersion } from '../catalog-schemas.ts';

const ReceiptWithOrigin = Type.Intersect([OperatorReceipt, Type.Object({ price_origin: nullable(PriceVersion) })]);
const Text = Type.Optional(Type.String({ maxLength: 256 }));
const RequestQuery = inputObject({
  account_id: Text,
  key_id: Text,
  model: Text,
  endpoint: Text,
  state: Type.Optional(Type.Enum(['running', 'completed', 'interrupted', 'client_closed', 'failed', 'refused'])),
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
  query: RequestQuery,
  result: pageOf(OperatorReceipt),
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
