/** What a key may look up: models, itself, receipts; described. */
import Type from 'typebox';
import { AnyJson, CancelledStream, inputObject } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { CallingKey, Credits, ModelList, ModelObject, PriceChangeList } from '../key-answers.ts';
import { Receipt } from '../receipt-schema.ts';
import { RULES } from './usual-errors.ts';

export const listModels = describeRoute({
  method: 'GET',
  path: '/api/v1/models',
  access: { guard: 'key', endpoint: 'models' },
  operationId: 'listModels',
  tag: 'Models of the key',
  summary: { fa: 'مدل‌هایی که کلید مجاز است', en: 'Models the key may use, with toman prices' },
  query: Type.Object({
    offset: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'How many to leave out at the beginning; all others are listed at once.',
      }),
    ),
  }),
  result: ModelList,
  errors: RULES,
});

export const getModel = describeRoute({
  method: 'GET',
  path: '/api/v1/models/:vendor/:model',
  // Model ids contain a slash, written plainly or as %2F.
  servedAt: '/api/v1/models/*',
  access: { guard: 'key', endpoint: 'models' },
  operationId: 'getModel',
  tag: 'Models of the key',
  summary: { fa: 'یک مدل', en: 'One model' },
  result: ModelObject,
  errors: [...RULES, 'model_not_found'],
});

export const listPriceChanges = describeRoute({
  method: 'GET',
  path: '/api/v1/prices',
  access: { guard: 'key', endpoint: 'models' },
  operationId: 'listPriceChanges',
  tag: 'Models of the key',
  summary: { fa: 'تغییر قیمت مدل‌ها، تازه‌ترین‌ها اول', en: 'Changes of prices, newest first, announced ones included' },
  query: inputObject({
    model: Type.Optional(Type.String({ maxLength: 256, description: 'Of this model alone.' })),
    since: Type.Optional(Type.String({ maxLength: 40, description: 'In force since then or later; RFC 3339.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, description: 'At most so many; 100 by default.' })),
  }),
  result: PriceChangeList,
  errors: [...RULES, 'invalid_request', 'model_not_found'],
});

export const getCallingKey = describeRoute({
  method: 'GET',
  path: '/api/v1/key',
  access: { guard: 'key', endpoint: 'key' },
  operationId: 'getCallingKey',
  tag: 'Account',
  summary: { fa: 'قواعد، حدها و کیف پول کلید', en: 'Rules, limits and wallet of the calling key' },
  result: CallingKey,
  errors: RULES,
});

export const getCredits = describeRoute({
  method: 'GET',
  path: '/api/v1/credits',
  access: { guard: 'key', endpoint: 'key' },
  operationId: 'getCredits',
  tag: 'Account',
  summary: { fa: 'اعتبار و مصرف حساب به شکل OpenRouter', en: "Credit and use of the account, in OpenRouter's form" },
  result: Credits,
  errors: RULES,
});

export const continueRequestStream = describeRoute({
  method: 'GET',
  path: '/api/v1/requests/:id/stream',
  access: { guard: 'key', endpoint: 'requests' },
  operationId: 'continueRequestStream',
  tag: 'Account',
  summary: { fa: 'ادامهٔ یک استریم', en: 'Continue a stream after the last frame that was received' },
  description:
    'For streams that were asked for with `svc.resume_seconds`, by any key of the same account. `Last-Event-ID` is the number of the last frame that was received; without it all frames come. Nothing is generated or charged again.',
  params: { id: 'The `x-svc-request-id` of the stream.' },
  result: AnyJson,
  resultType: 'text/event-stream',
  streams: true,
  errors: [...RULES, 'invalid_request', 'model_not_allowed', 'not_found', 'stream_gone'],
});

export const cancelRequestStream = describeRoute({
  method: 'DELETE',
  path: '/api/v1/requests/:id/stream',
  access: { guard: 'key', endpoint: 'requests' },
  operationId: 'cancelRequestStream',
  tag: 'Account',
  summary: { fa: 'لغو استریمی که ادامه دارد', en: 'Stop a stream that outlives its connection' },
  description: 'The provider is stopped, and what it had written is charged.',
  params: { id: 'The `x-svc-request-id` of the stream.' },
  result: CancelledStream,
  errors: [...RULES, 'not_found'],
});

export const getReceipt = describeRoute({
  method: 'GET',
  path: '/api/v1/requests/:id',
  access: { guard: 'key', endpoint: 'requests' },
  operationId: 'getReceipt',
  tag: 'Account',
  summary: { fa: 'رسید یک درخواست', en: 'Receipt of one request of the own account' },
  params: { id: 'The `x-svc-request-id` of the answer.' },
  result: Receipt,
  errors: [...RULES, 'not_found'],
});
