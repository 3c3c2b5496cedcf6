/** Messages to people, described: by which carrier they go, a test message, and the outbox of the sandbox messenger. */
import { CARRIERS, type CarrierId } from '@dargah/core/fields/index.ts';
import Type from 'typebox';
import { STAFF_READ, staff } from '../access.ts';
import { inputObject, nullable, PAGE_QUERY, pageOf, responseObject, Time } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';

const tag = 'People';
const OWNER = staff('owner');

export const listOutbox = describeRoute({
  method: 'GET',
  path: '/api/admin/outbox',
  operationId: 'listOutbox',
  tag,
  access: OWNER,
  summary: { fa: 'پیام‌های آزمایشی فرستاده‌نشده', en: 'Messages that the sandbox messenger kept instead of sending' },
  query: inputObject(PAGE_QUERY),
  result: pageOf(
    responseObject(
      {
        id: Type.String(),
        at: Time,
        channel: Type.Enum(['sms', 'email']),
        to: Type.String(),
        kind: Type.String(),
        subject: nullable(Type.String()),
        text: Type.String(),
      },
      'OutboxMessage',
    ),
  ),
});

const CarrierSettings = responseObject(
  {
    id: Type.Enum(Object.keys(CARRIERS) as CarrierId[]),
    channel: Type.Enum(['sms', 'email']),
    source: Type.Enum(['environment', 'database', 'none'], {
      description: '`environment`: set there and only there; `none`: nobody has set it.',
    }),
    enabled: Type.Boolean(),
    ready: Type.Boolean({ description: 'Messages go by it: it is on and has all it needs.' }),
    secrets: Type.Array(responseObject({ name: Type.String(), set: Type.Boolean() })),
    options: Type.Record(Type.String(), Type.String()),
  },
  'CarrierSettings',
);

export const getMessenger = describeRoute({
  method: 'GET',
  path: '/api/admin/messenger',
  operationId: 'getMessenger',
  tag,
  access: STAFF_READ,
  summary: { fa: 'پیام‌رسان', en: 'Who carries messages to people' },
  description:
    'Set by the environment of the process, or here. What the environment sets stands above and changes only there. Secrets are never shown.',
  result: responseObject(
    {
      object: Type.Literal('messenger'),
      sandbox: Type.Boolean({ description: 'Nothing is set up: messages stay in the outbox.' }),
      carriers: Type.Array(responseObject({ name: Type.String(), channel: Type.Enum(['sms', 'email']) })),
      settings: Type.Array(CarrierSettings),
    },
    'Messenger',
  ),
});

export const changeMessenger = describeRoute({
  method: 'PATCH',
  path: '/api/admin/messenger/:id',
  operationId: 'changeMessenger',
  tag,
  // A fresh proof is asked: whoever delivers the codes can sign in as anybody.
  access: { ...OWNER, freshProof: true },
  summary: { fa: 'تنظیم پیام‌رسان', en: 'Switch a carrier of messages, set its secrets and options' },
  description: 'Only the fields given change; null forgets one. What the environment sets is refused (409).',
  body: inputObject(
    {
      enabled: Type.Optional(Type.Boolean()),
      secrets: Type.Optional(Type.Record(Type.String(), nullable(Type.String({ maxLength: 2000 })))),
      options: Type.Optional(Type.Record(Type.String(), nullable(Type.String({ maxLength: 200 })))),
    },
    'CarrierChange',
  ),
  result: CarrierSettings,
  errors: ['not_found', 'conflict'],
  example: {
    enabled: true,
    secrets: { url: 'smtps://user:password@mail.example:465' },
    options: { from: 'no-reply@example.com' },
  },
});

export const tryMessenger = describeRoute({
  method: 'POST',
  path: '/api/admin/messenger/test',
  operationId: 'tryMessenger',
  tag,
  access: OWNER,
  summary: { fa: 'ارسال پیام آزمایشی', en: 'Send a message to see whether it arrives' },
  body: inputObject(
    { to: Type.String({ minLength: 3, maxLength: 254, description: 'Mobile number or e-mail.' }) },
    'MessengerTest',
  ),
  result: responseObject(
    {
      object: Type.Literal('messenger_test'),
      sandbox: Type.Boolean(),
      trials: Type.Array(responseObject({ carrier: Type.String(), failure: nullable(Type.String()) })),
    },
    'MessengerTestResult',
  ),
  errors: ['rate_limited'],
  example: { to: '09120000000' },
});
