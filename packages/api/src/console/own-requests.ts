/** The log of an account's requests, described: the list with its live tail, receipts, kept texts. */

import { REQUEST_STATES } from '@dargah/core/request-states.ts';
import Type from 'typebox';
import { member } from '../access.ts';
import { AnyJson, inputObject, nullable, PAGE_QUERY, pageOf, responseObject, Time, Toman } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import {
  CONTINUES,
  CUSTOMER_COLUMNS,
  RECEIPT_CREDIT,
  RECEIPT_PRICE,
  RECEIPT_USAGE,
  RoutingSchema,
  UsedPassage,
} from '../receipt-schema.ts';
import { PeriodSchema } from './console-schemas.ts';

const Text = Type.Optional(Type.String({ maxLength: 256 }));
const READ_LOG = member('requests', 'read', 'owner', 'admin', 'developer', 'viewer');

const attempt = responseObject({
  provider: nullable(Type.String({ description: 'Named only where the operator allows it.' })),
  outcome: Type.String(),
  status: nullable(Type.Integer()),
  started_at: Time,
  first_event_ms: nullable(Type.Number()),
  duration_ms: Type.Number(),
  continues: Type.Optional(CONTINUES),
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
  result: responseObject({
    ...pageOf(ConsoleRequest).properties,
    searched_back_to: nullable(
      Type.String({
        format: 'date-time',
        description:
          'Set when the archive of old requests did not answer: what is older than this is there. `next` asks it again, and is refused with 503 while it does not answer.',
      }),
    ),
  }),
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
      response_cache: CUSTOMER_COLUMNS.response_cache,
      cache_saved: CUSTOMER_COLUMNS.cache_saved,
      batch: CUSTOMER_COLUMNS.batch,
      price_percent: CUSTOMER_COLUMNS.price_percent,
      routing: nullable(RoutingSchema),
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
      guarantee: nullable(
        Type.String({ description: 'What became of the guarantee on the answer, where it was asked for.' }),
      ),
      repair: Type.Array(Type.String(), { description: 'What was mended of the answer.' }),
      ...RECEIPT_CREDIT,
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
