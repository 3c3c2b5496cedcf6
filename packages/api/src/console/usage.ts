/** What was used and what was asked, described: series, break-downs, the log with its live tail, receipts, the wallet. */

import { REQUEST_STATES } from '@dargah/core/request-states.ts';
import { MEMBER_ROLES } from '@dargah/core/roles.ts';
import Type from 'typebox';
import { member } from '../access.ts';
import { AnyJson, inputObject, nullable, PAGE_QUERY, pageOf, responseObject, Time, Toman } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { RECEIPT_PRICE, RECEIPT_USAGE, UsedPassage } from '../receipt-schema.ts';
import { AUDIT_LOG_ENTRY } from '../schemas/audit-log-schema.ts';
import { OwnCaps, SpendPeriod, Wallet } from '../schemas/rule-schemas.ts';
import { PeriodSchema, Sum } from './console-schemas.ts';

const Text = Type.Optional(Type.String({ maxLength: 256 }));
const MEMBER_VALUES =
  'With `by=member` each request counts for whoever made its key: `person:…`, `management-key:…`, `service` (staff or the configuration), `playground` (which all members share) or `unknown`.';
const Maker = Type.Optional(
  Type.String({ maxLength: 100, description: 'Whoever made the keys: a `value` of the breakdown by `member`.' }),
);
const READ_LOG = member('requests', 'read', 'owner', 'admin', 'developer', 'viewer');

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

const attempt = responseObject({
  provider: nullable(Type.String({ description: 'Named only where the operator allows it.' })),
  outcome: Type.String(),
  status: nullable(Type.Integer()),
  started_at: Time,
  first_event_ms: nullable(Type.Number()),
  duration_ms: Type.Number(),
});

const ConsoleRequest = responseObject(
  {
    object: Type.Literal('request'),
    id: Type.String(),
    created_at: Time,
    key_id: Type.String(),
    endpoint: Type.String(),
    model: Type.String(),
    stream: Type.Boolean(),
    user: nullable(Type.String()),
    tags: Type.Array(Type.String()),
    state: Type.String(),
    status: nullable(Type.Integer()),
    error: nullable(responseObject({ code: Type.String() })),
    input_tokens: nullable(Type.Number()),
    output_tokens: nullable(Type.Number()),
    cost: Toman,
    first_event_ms: nullable(Type.Number()),
    duration_ms: Type.Number(),
  },
  'ConsoleRequest',
);

const filters = {
  ...PeriodSchema,
  key_id: Text,
  model: Text,
  endpoint: Text,
  state: Type.Optional(Type.Enum([...REQUEST_STATES])),
  error: Type.Optional(Type.String({ maxLength: 64, description: 'An error code.' })),
  user: Text,
  tag: Text,
  cost_over: Type.Optional(Type.String({ maxLength: 40, description: 'Toman.' })),
  slower_than_ms: Type.Optional(Type.Integer({ minimum: 0 })),
};

export const listRequests = describeRoute({
  method: 'GET',
  path: '/api/console/requests',
  operationId: 'listOwnRequests',
  tag: 'Requests of the account',
  access: READ_LOG,
  summary: { fa: 'درخواست‌ها', en: 'Requests, newest first' },
  query: inputObject({ ...filters, ...PAGE_QUERY }),
  result: pageOf(ConsoleRequest),
});

export const followRequests = describeRoute({
  method: 'GET',
  path: '/api/console/requests/live',
  operationId: 'followOwnRequests',
  tag: 'Requests of the account',
  access: READ_LOG,
  summary: { fa: 'دنبال کردن زندهٔ درخواست‌ها', en: 'Requests as they end, as server-sent events' },
  description:
    'Each event `request` is one request of the list. `account` in the address chooses the account, since an EventSource sends no header.',
  query: inputObject({ key_id: Text, model: Text, state: filters.state }),
  result: ConsoleRequest,
  resultType: 'text/event-stream',
  streams: true,
});

export const getReceipt = describeRoute({
  method: 'GET',
  path: '/api/console/requests/:id',
  operationId: 'getOwnReceipt',
  tag: 'Requests of the account',
  access: READ_LOG,
  summary: { fa: 'رسید یک درخواست', en: 'Receipt of one request' },
  result: responseObject(
    {
      ...ConsoleRequest.properties,
      ...RECEIPT_USAGE,
      retrieved_tokens: Type.Integer(),
      passages: Type.Array(
        responseObject({
          ...UsedPassage.properties,
          still_there: Type.Boolean({
            description: 'Whether the knowledge base still has it: its document was neither removed nor replaced.',
          }),
        }),
        { description: 'What knowledge bases put into the prompt, by name.' },
      ),
      held: Toman,
      ...RECEIPT_PRICE,
      attempts: Type.Array(attempt),
      warnings: Type.Array(Type.String()),
      texts_kept: Type.Boolean({ description: 'Whether the prompt and the answer were kept and may be read.' }),
    },
    'ConsoleReceipt',
  ),
  errors: ['not_found'],
});

export const getRequestTexts = describeRoute({
  method: 'GET',
  path: '/api/console/requests/:id/texts',
  operationId: 'getOwnRequestTexts',
  tag: 'Requests of the account',
  access: member('requests', 'read', 'owner', 'admin', 'developer'),
  summary: { fa: 'متن پرسش و پاسخ', en: 'Prompt and answer, where they are kept' },
  result: responseObject(
    { request: AnyJson, answer: nullable(Type.String()), cut: Type.Boolean(), expires_at: Time },
    'RequestTexts',
  ),
  errors: ['not_found'],
});

export const getWallet = describeRoute({
  method: 'GET',
  path: '/api/console/wallet',
  operationId: 'getOwnWallet',
  tag: 'Wallet',
  access: member('wallet', 'read', ...MEMBER_ROLES),
  summary: { fa: 'کیف پول', en: 'Balance, what is held, spend per period, and how long it lasts' },
  result: responseObject(
    {
      object: Type.Literal('wallet'),
      ...Wallet.properties,
      spend: Type.Array(SpendPeriod),
      daily_pace: nullable(Toman),
      days_left: nullable(Type.Number({ description: 'At the pace of the last seven days.' })),
    },
    'OwnWallet',
  ),
});

export const listTransfers = describeRoute({
  method: 'GET',
  path: '/api/console/wallet/transfers',
  operationId: 'listOwnTransfers',
  tag: 'Wallet',
  access: member('wallet', 'read', 'owner', 'admin', 'billing'),
  summary: { fa: 'گردش حساب', en: 'Every movement of the wallet, newest first' },
  query: inputObject(PAGE_QUERY),
  result: pageOf(
    responseObject(
      {
        object: Type.Literal('transfer'),
        id: Type.String(),
        kind: Type.String(),
        amount: Toman,
        request_id: nullable(Type.String()),
        note: nullable(Type.String()),
        created_at: Time,
      },
      'OwnTransfer',
    ),
  ),
});

const Window = responseObject({
  limit: nullable(Type.Integer()),
  used: Type.Integer(),
  remaining: nullable(Type.Integer()),
  reset_ms: Type.Number(),
});

export const getLimits = describeRoute({
  method: 'GET',
  path: '/api/console/limits',
  operationId: 'getOwnLimits',
  tag: 'Limits',
  access: member('account', 'read', ...MEMBER_ROLES),
  summary: { fa: 'حدهای حساب در این لحظه', en: 'The limits of the account as they are now' },
  result: responseObject(
    {
      object: Type.Literal('limits'),
      requests: Window,
      caps: Type.Array(
        responseObject(
          { ...SpendPeriod.properties, set_by: nullable(Type.Enum(['service', 'account'])) },
          'AccountCap',
        ),
        { description: 'Those in force: where both staff and the account set one, the stricter.' },
      ),
      own_caps: OwnCaps,
      models: nullable(Type.Array(Type.String())),
      endpoints: nullable(Type.Array(Type.String())),
      wallet_minimum: Toman,
    },
    'OwnLimits',
  ),
});

export const listOwnTrail = describeRoute({
  method: 'GET',
  path: '/api/console/trail',
  operationId: 'listOwnTrail',
  tag: 'Account',
  access: member('account', 'read', 'owner', 'admin'),
  summary: { fa: 'چه کسی چه چیزی را تغییر داد', en: 'Who changed what in this account' },
  query: inputObject(PAGE_QUERY),
  result: pageOf(responseObject(AUDIT_LOG_ENTRY, 'OwnTrailEvent')),
});
