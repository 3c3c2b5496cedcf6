/** The playground, described: chat through the session, charged to a key of its own. */
import Type from 'typebox';
import { member } from '../access.ts';
import { AnyJson, CancelledStream, inputObject, nullable, responseObject, TomanInput } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { ConsoleKey } from './keys.ts';

const tag = 'Playground';
const playing = ['owner', 'admin', 'developer'] as const;

export const getPlayground = describeRoute({
  method: 'GET',
  path: '/api/console/playground',
  operationId: 'getPlayground',
  tag,
  access: member('playground', 'read', ...playing),
  summary: {
    fa: 'کلید محیط آزمایش و مدل‌های مجاز',
    en: 'The key that the playground is charged to, and the models it may use',
  },
  query: inputObject({
    models: Type.Optional(
      Type.Enum(['all', 'none'], { description: 'With `none` the list of models is left empty, which is shorter.' }),
    ),
  }),
  result: responseObject(
    {
      key: ConsoleKey,
      models: Type.Array(AnyJson),
      resume_seconds: Type.Integer({
        description:
          'What the console asks for as `svc.resume_seconds`, so that an answer goes on after a reload; 0 where the key or the service does not allow it.',
      }),
    },
    'Playground',
  ),
});

export const changePlayground = describeRoute({
  method: 'PATCH',
  path: '/api/console/playground',
  operationId: 'changePlayground',
  tag,
  access: member('playground', 'write', 'owner', 'admin'),
  summary: { fa: 'تغییر سقف محیط آزمایش', en: 'Change the caps of the playground' },
  body: inputObject(
    { daily: Type.Optional(nullable(TomanInput)), monthly: Type.Optional(nullable(TomanInput)) },
    'PlaygroundCaps',
  ),
  result: ConsoleKey,
});

export const playgroundChat = describeRoute({
  method: 'POST',
  path: '/api/console/playground/chat',
  operationId: 'playgroundChat',
  tag,
  access: member('playground', 'write', ...playing),
  summary: { fa: 'گفت‌وگو در محیط آزمایش', en: 'Chat, charged to the playground key' },
  description: 'The body and the answer are those of `POST /api/v1/chat/completions`, streams included.',
  body: Type.Record(Type.String(), AnyJson),
  result: AnyJson,
  streams: true,
  errors: ['insufficient_balance', 'spend_cap_reached', 'rate_limited', 'model_not_found', 'upstream_error'],
});

const stream = {
  path: '/api/console/playground/requests/:id/stream',
  tag,
  params: { id: 'The `x-svc-request-id` of an own chat in the playground.' },
} as const;

export const continuePlaygroundStream = describeRoute({
  ...stream,
  method: 'GET',
  operationId: 'continuePlaygroundStream',
  access: member('playground', 'read', ...playing),
  summary: {
    fa: 'ادامهٔ پاسخی که در محیط آزمایش استریم می‌شود',
    en: 'Continue an own answer of the playground after the last frame that was received',
  },
  description:
    'For whoever asked, while the answer runs and `resume_seconds` afterwards. `Last-Event-ID` is the number of the last frame that was received. Nothing is generated or charged again.',
  result: AnyJson,
  resultType: 'text/event-stream',
  streams: true,
  errors: ['invalid_request', 'not_found', 'stream_gone'],
});

export const cancelPlaygroundStream = describeRoute({
  ...stream,
  method: 'DELETE',
  operationId: 'cancelPlaygroundStream',
  access: member('playground', 'write', ...playing),
  summary: { fa: 'لغو پاسخ خود در محیط آزمایش', en: 'Stop an own answer of the playground' },
  description: 'The provider is stopped, and what it had written is charged.',
  result: CancelledStream,
  errors: ['not_found'],
});
