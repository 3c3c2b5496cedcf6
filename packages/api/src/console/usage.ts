/** Usage, described: series, breakdowns, and both as a file. */

import { MEMBER_ROLES } from '@dargah/core/roles.ts';
import Type from 'typebox';
import { member } from '../access.ts';
import { inputObject, nullable, responseObject, Time } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { PeriodSchema, Sum } from './console-schemas.ts';

const Text = Type.Optional(Type.String({ maxLength: 256 }));
const MEMBER_VALUES =
  'With `by=member` each request counts for whoever made its key: `person:…`, `management-key:…`, `service` (staff or the configuration), `playground` (which all members share) or `unknown`.';
const Maker = Type.Optional(
  Type.String({ maxLength: 100, description: 'Whoever made the keys: a `value` of the breakdown by `member`.' }),
);

const UsagePoint = responseObject({ start: Time, label: Type.String(), ...Sum.properties }, 'UsagePoint');
const UsageGroup = responseObject(
  { value: Type.String(), name: nullable(Type.String()), ...Sum.properties },
  'UsageGroup',
);

export const getUsageSeries = describeRoute({
  method: 'GET',
  path: '/api/console/usage/series',
  operationId: 'getUsageSeries',
  tag: 'Usage',
  access: member('requests', 'read', ...MEMBER_ROLES),
  summary: { fa: 'مصرف در زمان', en: 'Usage over time, in the account’s calendar' },
  description:
    'Bounds and intervals are computed in the time zone of the account. Empty intervals are there, as zeros.',
  query: inputObject({
    ...PeriodSchema,
    interval: Type.Optional(Type.Enum(['hour', 'day', 'month'])),
    key_id: Text,
    member: Maker,
    model: Text,
    endpoint: Text,
    user: Text,
    tag: Text,
  }),
  result: responseObject(
    {
      object: Type.Literal('usage_series'),
      interval: Type.String(),
      from: Time,
      to: Time,
      data: Type.Array(UsagePoint),
      total: Sum,
    },
    'UsageSeries',
  ),
});

export const getUsageBreakdown = describeRoute({
  method: 'GET',
  path: '/api/console/usage/breakdown',
  operationId: 'getUsageBreakdown',
  tag: 'Usage',
  access: member('requests', 'read', ...MEMBER_ROLES),
  summary: {
    fa: 'مصرف به تفکیک',
    en: 'Usage by model, key, maker of the key, endpoint, end user, tag, state or error',
  },
  description: `${MEMBER_VALUES} With \`by=tag\` a request counts for each of its tags, so the lines may add up to more than the total.`,
  query: inputObject({
    ...PeriodSchema,
    by: Type.Enum(['model', 'key', 'member', 'endpoint', 'user', 'tag', 'state', 'error']),
    key_id: Text,
    member: Maker,
    model: Text,
    endpoint: Text,
    user: Text,
    tag: Text,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  }),
  result: responseObject(
    {
      object: Type.Literal('usage_breakdown'),
      by: Type.String(),
      from: Time,
      to: Time,
      data: Type.Array(UsageGroup),
      total: Sum,
    },
    'UsageBreakdown',
  ),
});

export const exportUsage = describeRoute({
  method: 'GET',
  path: '/api/console/usage/export',
  operationId: 'exportUsage',
  tag: 'Usage',
  access: member('requests', 'read', ...MEMBER_ROLES),
  summary: { fa: 'فایل مصرف', en: 'Usage as a file: a line per day, key, model, endpoint and tags' },
  description:
    'Days are those of the account’s calendar. `format=focus` has the columns of the FinOps FOCUS specification 1.2, with amounts in rial (`IRR`), because a toman is ten of them and has no code of its own; `csv` has toman.',
  query: inputObject({
    ...PeriodSchema,
    format: Type.Optional(Type.Enum(['csv', 'focus'], { default: 'csv' })),
    key_id: Text,
    member: Maker,
    model: Text,
    endpoint: Text,
    user: Text,
    tag: Text,
  }),
  result: Type.String({ title: 'UsageFile' }),
  resultType: 'text/csv',
});
