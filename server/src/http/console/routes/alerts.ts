/** Notices and alerts, described: the bell, rules, webhook targets, what was sent, and when things run out. */
import Type from 'typebox';
import { MEMBER_ROLES } from '../../../core/roles.ts';
import {
  Deleted,
  inputObject,
  nullable,
  PAGE_QUERY,
  pageOf,
  responseObject,
  Time,
  Toman,
} from '../../openapi/building-blocks.ts';
import { member } from '../../routes/access.ts';
import { describeRoute } from '../../routes/describe-route.ts';
import {
  AlertRuleInput,
  AlertRuleSchema,
  DeliverySchema,
  EventNameSchema,
  NoticeSchema,
  TargetSchema,
} from '../../schemas/notice-schemas.ts';
import { Done } from '../console-schemas.ts';

const tag = 'Alerts';
const READ = member('alerts', 'read', ...MEMBER_ROLES);
const WRITE = member('alerts', 'write', 'owner', 'admin', 'developer');

export const listNotices = describeRoute({
  method: 'GET',
  path: '/api/console/notices',
  operationId: 'listNotices',
  tag,
  access: READ,
  summary: { fa: 'آگاهی‌ها', en: 'Notices of the account, newest first' },
  query: inputObject(PAGE_QUERY),
  result: responseObject({ ...pageOf(NoticeSchema).properties, unread: Type.Integer() }, 'NoticePage'),
});

export const readNotices = describeRoute({
  method: 'POST',
  path: '/api/console/notices/read',
  operationId: 'readNotices',
  tag,
  access: member('alerts', 'write', ...MEMBER_ROLES),
  summary: { fa: 'خوانده‌شده کردن آگاهی‌ها', en: 'Mark everything up to now as read' },
  result: Done,
});

export const listAlertRules = describeRoute({
  method: 'GET',
  path: '/api/console/alerts/rules',
  operationId: 'listAlertRules',
  tag,
  access: READ,
  summary: { fa: 'قاعده‌های هشدار', en: 'Alert rules, one per event, and the quiet hours' },
  result: responseObject(
    {
      object: Type.Literal('alert_rules'),
      data: Type.Array(AlertRuleSchema),
      quiet_hours: nullable(responseObject({ from: Type.String(), to: Type.String() })),
    },
    'AlertRules',
  ),
});

export const changeAlertRule = describeRoute({
  method: 'PATCH',
  path: '/api/console/alerts/rules/:event',
  operationId: 'changeAlertRule',
  tag,
  access: WRITE,
  summary: { fa: 'تغییر یک هشدار', en: 'Change when an event is told of, and where' },
  body: AlertRuleInput,
  result: AlertRuleSchema,
  errors: ['not_found'],
  example: { channels: ['console', 'email'], terms: { below: 50_000 } },
});

export const setQuietHours = describeRoute({
  method: 'PUT',
  path: '/api/console/alerts/quiet-hours',
  operationId: 'setQuietHours',
  tag,
  access: WRITE,
  summary: { fa: 'ساعت‌های سکوت', en: 'When no e-mail and no SMS is sent; it waits until they end' },
  body: inputObject(
    {
      from: nullable(Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$' })),
      to: nullable(Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$' })),
    },
    'QuietHours',
  ),
  result: Done,
  example: { from: '23:00', to: '07:00' },
});

export const listAlertTargets = describeRoute({
  method: 'GET',
  path: '/api/console/alerts/targets',
  operationId: 'listAlertTargets',
  tag,
  access: READ,
  summary: { fa: 'نشانی‌های وب‌هوک', en: 'Webhook targets' },
  result: pageOf(TargetSchema),
});

export const addAlertTarget = describeRoute({
  method: 'POST',
  path: '/api/console/alerts/targets',
  operationId: 'addAlertTarget',
  tag,
  access: WRITE,
  summary: { fa: 'افزودن نشانی وب‌هوک', en: 'Add a webhook target; its signing secret is shown once' },
  description: 'https only, never a private address. Messages are signed as Standard Webhooks describes.',
  body: inputObject({ url: Type.String({ maxLength: 2000 }) }, 'NewAlertTarget'),
  status: 201,
  result: responseObject({ ...TargetSchema.properties, secret: Type.String() }, 'FreshAlertTarget'),
  errors: ['conflict'],
  example: { url: 'https://example.com/hooks/dargah' },
});

export const enableAlertTarget = describeRoute({
  method: 'POST',
  path: '/api/console/alerts/targets/:id/enable',
  operationId: 'enableAlertTarget',
  tag,
  access: WRITE,
  summary: { fa: 'روشن کردن دوبارهٔ نشانی', en: 'Switch a target on again' },
  result: TargetSchema,
  errors: ['not_found'],
});

export const deleteAlertTarget = describeRoute({
  method: 'DELETE',
  path: '/api/console/alerts/targets/:id',
  operationId: 'deleteAlertTarget',
  tag,
  access: WRITE,
  summary: { fa: 'حذف نشانی', en: 'Delete a target' },
  result: Deleted,
  errors: ['not_found'],
});

export const sendTestAlert = describeRoute({
  method: 'POST',
  path: '/api/console/alerts/test',
  operationId: 'sendTestAlert',
  tag,
  access: WRITE,
  summary: { fa: 'ارسال آزمایشی', en: 'Send a test of an event by its rule’s channels' },
  body: inputObject({ event: EventNameSchema }, 'TestAlert'),
  result: Done,
  errors: ['rate_limited'],
});

export const listDeliveries = describeRoute({
  method: 'GET',
  path: '/api/console/alerts/deliveries',
  operationId: 'listDeliveries',
  tag,
  access: READ,
  summary: { fa: 'تاریخچهٔ ارسال', en: 'What was sent, where, and what came back; newest first' },
  query: inputObject(PAGE_QUERY),
  result: pageOf(DeliverySchema),
});

export const replayDelivery = describeRoute({
  method: 'POST',
  path: '/api/console/alerts/deliveries/:id/replay',
  operationId: 'replayDelivery',
  tag,
  access: WRITE,
  summary: { fa: 'ارسال دوباره', en: 'Send it again' },
  result: DeliverySchema,
  errors: ['not_found', 'rate_limited'],
});

export const getForecast = describeRoute({
  method: 'GET',
  path: '/api/console/forecast',
  operationId: 'getForecast',
  tag,
  access: READ,
  summary: { fa: 'پیش‌بینی پایان موجودی و سقف‌ها', en: 'When the balance and each cap end at the pace of the last days' },
  result: responseObject(
    {
      object: Type.Literal('forecast'),
      data: Type.Array(
        responseObject({
          what: Type.Enum(['balance', 'account', 'key']),
          id: Type.String(),
          name: Type.String(),
          period: nullable(Type.String()),
          left: Toman,
          daily_pace: Toman,
          ends_at: nullable(Time),
          sentence: responseObject({ fa: Type.String(), en: Type.String() }),
        }),
      ),
    },
    'Forecast',
  ),
});
