/** Outages, and how each member of staff is notified of them, described. */
import { STAFF_ROLES } from '@dargah/core/roles.ts';
import Type from 'typebox';
import { STAFF_READ, scoped, staff } from '../access.ts';
import { Deleted, inputObject, nullable, PAGE_QUERY, pageOf, responseObject, Time } from '../building-blocks.ts';
import { Done } from '../console/console-schemas.ts';
import { describeRoute } from '../describe-route.ts';
import { Both, Channel, STAFF_EVENTS, TargetSchema } from '../schemas/notice-schemas.ts';

const tag = 'Outages';
const path = '/api/admin/outages';
const own = '/api/admin/alerts';
/** Each person sets this for themselves; a token has nobody to notify. */
const OWN = staff(...STAFF_ROLES);
const Severity = Type.Enum(['warning', 'major', 'critical'], { title: 'Severity' });
const StaffEvent = Type.Enum([...STAFF_EVENTS], { title: 'StaffEvent' });
const Clock = Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$' });

export const OutageSchema = responseObject(
  {
    object: Type.Literal('outage'),
    id: Type.String(),
    kind: StaffEvent,
    subject: Type.String({ description: 'The model, provider, gateway, check or replica it is about.' }),
    severity: Severity,
    title: Both,
    text: Both,
    link: Type.String({ description: 'Where in the console it leads.' }),
    opened_at: Time,
    closed_at: nullable(Time),
    ending: nullable(Type.Enum(['recovered', 'quiet'])),
    acknowledged_at: nullable(Time),
    acknowledged_by: nullable(Type.String()),
    failed: Type.Integer({ description: 'Requests that customers did not get answered.' }),
    answered: Type.Integer(),
    accounts: Type.Integer({ description: 'Accounts that met a failure.' }),
    peak_share: Type.Number({ description: 'The largest share of failures within five minutes.' }),
    cause: nullable(Type.String({ description: 'The commonest failure: its kind and status.' })),
    provider: nullable(Type.String()),
    vendor: nullable(Type.String({ description: 'Of the model, as the status page groups it.' })),
    reopened: Type.Integer({ description: 'How often it came back within half an hour.' }),
  },
  'Outage',
);

export const listOutages = describeRoute({
  method: 'GET',
  path,
  operationId: 'listOutages',
  tag,
  access: STAFF_READ,
  summary: { fa: 'قطعی‌ها', en: 'Outages, newest first' },
  query: inputObject(PAGE_QUERY),
  result: responseObject(
    { ...pageOf(OutageSchema).properties, open: Type.Array(OutageSchema, { description: 'All that are open now.' }) },
    'OutagePage',
  ),
});

export const listOutageTold = describeRoute({
  method: 'GET',
  path: `${path}/:id/told`,
  operationId: 'listOutageTold',
  tag,
  access: STAFF_READ,
  summary: { fa: 'چه کسی از یک قطعی باخبر شد', en: 'Who was told of an outage, and what became of each message' },
  result: responseObject(
    {
      object: Type.Literal('list'),
      data: Type.Array(
        responseObject(
          {
            person_id: Type.String(),
            name: Type.String(),
            channel: Type.Enum(['email', 'sms', 'webhook']),
            phase: Type.Enum(['opened', 'closed']),
            state: Type.Enum(['waiting', 'sent', 'failed']),
            problem: nullable(Type.String()),
            at: { ...Time, description: 'When it was sent, or begun.' },
          },
          'OutageMessage',
        ),
      ),
    },
    'OutageMessages',
  ),
  errors: ['not_found'],
});

export const acknowledgeOutage = describeRoute({
  method: 'POST',
  path: `${path}/:id/acknowledge`,
  operationId: 'acknowledgeOutage',
  tag,
  access: scoped('support', staff('owner', 'finance', 'support')),
  summary: { fa: 'دیدم', en: 'Say that you see it; the first to say so stays' },
  result: OutageSchema,
  errors: ['not_found'],
});

const Choice = responseObject(
  {
    event: StaffEvent,
    title: Both,
    severity: Severity,
    channels: Type.Array(Channel),
    chosen: Type.Boolean({ description: 'Chosen by this person; else as the kind says.' }),
  },
  'StaffAlertChoice',
);

const PersonAlerts = responseObject(
  {
    object: Type.Literal('staff_alerts'),
    person_id: Type.String(),
    name: Type.String(),
    role: Type.Enum([...STAFF_ROLES]),
    email: Type.Array(Type.String()),
    sms: Type.Array(Type.String()),
    webhooks: Type.Integer(),
    quiet_hours: nullable(responseObject({ from: Type.String(), to: Type.String() })),
    quiet_holds: Type.Enum(['warnings', 'all'], { description: 'What quiet hours hold back.' }),
    choices: Type.Array(Choice),
  },
  'StaffAlerts',
);

export const getOwnAlerts = describeRoute({
  method: 'GET',
  path: own,
  operationId: 'getOwnAlerts',
  tag,
  access: OWN,
  summary: { fa: 'هشدارهای من', en: 'How you are told' },
  result: responseObject(
    {
      ...PersonAlerts.properties,
      can: responseObject({ email: Type.Boolean(), sms: Type.Boolean() }),
      targets: Type.Array(TargetSchema),
    },
    'OwnStaffAlerts',
  ),
  errors: ['not_found'],
});

export const listStaffAlerts = describeRoute({
  method: 'GET',
  path: `${own}/everyone`,
  operationId: 'listStaffAlerts',
  tag,
  access: staff('owner'),
  summary: { fa: 'هشدارهای همهٔ کارکنان', en: 'How everybody of staff is told' },
  result: pageOf(PersonAlerts),
});

export const chooseAlertChannels = describeRoute({
  method: 'PUT',
  path: `${own}/events/:event`,
  operationId: 'chooseAlertChannels',
  tag,
  access: OWN,
  summary: { fa: 'انتخاب کانال‌های یک هشدار', en: 'Choose by which channels you are told of a kind' },
  body: inputObject(
    {
      channels: nullable(
        Type.Array(Channel, { maxItems: 4, description: '`null`: as the kind says. Empty: you are not told.' }),
      ),
    },
    'AlertChannels',
  ),
  result: Done,
  errors: ['not_found'],
  example: { channels: ['console', 'sms'] },
});

export const setStaffQuietHours = describeRoute({
  method: 'PUT',
  path: `${own}/quiet-hours`,
  operationId: 'setStaffQuietHours',
  tag,
  access: OWN,
  summary: { fa: 'ساعت‌های سکوت من', en: 'When your e-mails and SMS wait, by the clock of Tehran' },
  body: inputObject(
    { from: nullable(Clock), to: nullable(Clock), holds: Type.Enum(['warnings', 'all']) },
    'StaffQuietHours',
  ),
  result: Done,
  example: { from: '23:00', to: '07:00', holds: 'warnings' },
});

export const testStaffAlert = describeRoute({
  method: 'POST',
  path: `${own}/test`,
  operationId: 'testStaffAlert',
  tag,
  access: OWN,
  summary: { fa: 'ارسال آزمایشی به من', en: 'Send yourself a test by one channel' },
  body: inputObject({ channel: Type.Enum(['email', 'sms', 'webhook']) }, 'StaffAlertTest'),
  result: Done,
  errors: ['conflict', 'rate_limited'],
});

export const addStaffTarget = describeRoute({
  method: 'POST',
  path: `${own}/targets`,
  operationId: 'addStaffTarget',
  tag,
  access: OWN,
  summary: { fa: 'افزودن وب‌هوک خود', en: 'Add a webhook of your own; its signing secret is shown once' },
  description: 'https only, never a private address. Messages are signed as Standard Webhooks describes.',
  body: inputObject({ url: Type.String({ maxLength: 2000 }) }, 'NewStaffTarget'),
  status: 201,
  result: responseObject({ ...TargetSchema.properties, secret: Type.String() }, 'FreshStaffTarget'),
  errors: ['conflict'],
  example: { url: 'https://example.com/hooks/dargah' },
});

export const enableStaffTarget = describeRoute({
  method: 'POST',
  path: `${own}/targets/:id/enable`,
  operationId: 'enableStaffTarget',
  tag,
  access: OWN,
  summary: { fa: 'روشن کردن دوبارهٔ وب‌هوک', en: 'Switch a webhook on again' },
  result: TargetSchema,
  errors: ['not_found'],
});

export const deleteStaffTarget = describeRoute({
  method: 'DELETE',
  path: `${own}/targets/:id`,
  operationId: 'deleteStaffTarget',
  tag,
  access: OWN,
  summary: { fa: 'حذف وب‌هوک', en: 'Delete a webhook' },
  result: Deleted,
  errors: ['not_found'],
});
