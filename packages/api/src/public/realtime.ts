/** Realtime sessions, described: the address of the WebSocket, and the secrets that browsers open it with. */
import Type from 'typebox';
import { AnyObject, maybe } from '../bodies/parts.ts';
import { AnyJson, responseObject } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { RULES } from './usual-errors.ts';

const access = { guard: 'key', endpoint: 'realtime' } as const;
const tag = 'Realtime';

/** Served, but left out of the document, because OpenAPI cannot describe WebSockets. */
export const openRealtimeSocket = describeRoute({
  method: 'GET',
  path: '/api/v1/realtime',
  access,
  operationId: 'openRealtimeSocket',
  tag,
  summary: { fa: 'اتصال «WebSocket» برای مکالمهٔ زنده', en: 'The WebSocket of a realtime session' },
  result: AnyJson,
  unlisted: true,
});

export const createClientSecret = describeRoute({
  method: 'POST',
  path: '/api/v1/realtime/client_secrets',
  access,
  operationId: 'createClientSecret',
  tag,
  summary: {
    fa: 'رمز کوتاه‌مدت برای مرورگر، فقط برای مکالمهٔ زنده',
    en: 'A short-lived secret for a browser, for realtime sessions only',
  },
  body: Type.Object({
    expires_after: maybe(
      Type.Object({
        anchor: maybe(Type.Literal('created_at')),
        seconds: maybe(Type.Integer({ minimum: 10, maximum: 7_200, description: 'How long it opens sessions.' })),
      }),
    ),
    session: maybe({
      ...AnyObject,
      description: 'The settings that its sessions begin with; `model` is the model they use.',
    }),
  }),
  result: responseObject(
    {
      value: Type.String({ description: 'The secret; it is shown once.' }),
      expires_at: Type.Integer({ description: 'Unix seconds.' }),
      session: AnyObject,
    },
    'ClientSecret',
  ),
  errors: [...RULES, 'model_not_found', 'model_not_allowed', 'not_for_sale', 'rate_limited'],
  example: { session: { type: 'realtime', model: 'sandbox/realtime' } },
});
