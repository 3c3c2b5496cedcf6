/** Tickets of all accounts, announcements, incidents and notices for staff, described. */
import Type from 'typebox';
import { Attachments, TicketText, TicketWithMessages } from '../../console/routes/tickets.ts';
import { Deleted, inputObject, nullable, PAGE_QUERY, pageOf, responseObject } from '../../openapi/building-blocks.ts';
import { STAFF_READ, scoped, staff } from '../../routes/access.ts';
import { describeRoute } from '../../routes/describe-route.ts';
import {
  AnnouncementSchema,
  IncidentSchema,
  NoticeSchema,
  TICKET_STATES,
  TicketSchema,
} from '../../schemas/notice-schemas.ts';

const tag = 'Support';
const path = '/api/admin/tickets';
const ANSWER = scoped('support', staff('owner', 'support', 'finance'));
const RULES = scoped('support', staff('owner', 'support'));
/** It changes the rules of the account. */
const LIMIT_REQUEST_SCHEMA = scoped('accounts', staff('owner', 'support'));
const Both = (maxLength: number) =>
  inputObject({ fa: Type.String({ minLength: 1, maxLength }), en: Type.String({ minLength: 1, maxLength }) });
const When = Type.String({ maxLength: 64, description: 'RFC 3339, or a day of either calendar.' });

export const listTickets = describeRoute({
  method: 'GET',
  path,
  operationId: 'listTickets',
  tag,
  access: ANSWER,
  summary: { fa: 'تیکت‌های همهٔ حساب‌ها', en: 'Tickets of all accounts, the latest first' },
  query: inputObject({
    ...PAGE_QUERY,
    state: Type.Optional(Type.Enum([...TICKET_STATES])),
    account_id: Type.Optional(Type.String({ maxLength: 64 })),
  }),
  result: responseObject({ ...pageOf(TicketSchema).properties, open: Type.Integer() }, 'TicketPage'),
});

export const getTicket = describeRoute({
  method: 'GET',
  path: `${path}/:id`,
  operationId: 'getTicket',
  tag,
  access: ANSWER,
  summary: { fa: 'یک تیکت', en: 'One ticket with its messages' },
  result: TicketWithMessages,
  errors: ['not_found'],
});

export const answerTicket = describeRoute({
  method: 'POST',
  path: `${path}/:id/messages`,
  operationId: 'answerTicket',
  tag,
  access: ANSWER,
  summary: { fa: 'پاسخ به تیکت', en: 'Answer a ticket' },
  body: inputObject(
    { text: TicketText, attachments: Attachments, close: Type.Optional(Type.Boolean()) },
    'NewTicketAnswer',
  ),
  status: 201,
  result: TicketWithMessages,
  errors: ['not_found'],
});

export const decideWish = describeRoute({
  method: 'POST',
  path: `${path}/:id/wish`,
  operationId: 'decideWish',
  tag,
  access: LIMIT_REQUEST_SCHEMA,
  summary: {
    fa: 'پذیرش یا رد درخواست افزایش حد',
    en: 'Approve or decline the wish for other limits; approving applies it',
  },
  body: inputObject({ approve: Type.Boolean(), text: Type.Optional(TicketText) }, 'WishDecision'),
  result: TicketWithMessages,
  errors: ['not_found', 'conflict'],
});

export const getAttachment = describeRoute({
  method: 'GET',
  path: `${path}/:id/attachments/:attachment`,
  operationId: 'getAttachment',
  tag,
  access: ANSWER,
  summary: { fa: 'دریافت پیوست', en: 'Download an attachment' },
  result: Type.String({ title: 'AttachmentBytes' }),
  resultType: 'application/octet-stream',
  errors: ['not_found'],
});

const NewAnnouncement = inputObject(
  { title: Both(200), text: Both(5_000), from: Type.Optional(When), until: Type.Optional(nullable(When)) },
  'NewAnnouncement',
);

export const listAnnouncements = describeRoute({
  method: 'GET',
  path: '/api/admin/announcements',
  operationId: 'listAnnouncements',
  tag,
  access: STAFF_READ,
  summary: { fa: 'اعلان‌ها', en: 'Announcements, newest first' },
  result: pageOf(AnnouncementSchema),
});

export const announce = describeRoute({
  method: 'POST',
  path: '/api/admin/announcements',
  operationId: 'announce',
  tag,
  access: RULES,
  summary: { fa: 'اعلان تازه', en: 'Announce something to every customer' },
  body: NewAnnouncement,
  status: 201,
  result: AnnouncementSchema,
});

export const deleteAnnouncement = describeRoute({
  method: 'DELETE',
  path: '/api/admin/announcements/:id',
  operationId: 'deleteAnnouncement',
  tag,
  access: RULES,
  summary: { fa: 'حذف اعلان', en: 'Take an announcement back' },
  result: Deleted,
  errors: ['not_found'],
});

export const listIncidents = describeRoute({
  method: 'GET',
  path: '/api/admin/incidents',
  operationId: 'listIncidents',
  tag,
  access: STAFF_READ,
  summary: { fa: 'رخدادها', en: 'Incidents, newest first' },
  result: pageOf(IncidentSchema),
});

const IncidentState = Type.Enum(['investigating', 'identified', 'monitoring', 'resolved']);

export const openIncident = describeRoute({
  method: 'POST',
  path: '/api/admin/incidents',
  operationId: 'openIncident',
  tag,
  access: RULES,
  summary: { fa: 'ثبت رخداد', en: 'Write down an incident; the status page shows it' },
  body: inputObject(
    {
      title: Both(200),
      text: Both(5_000),
      impact: Type.Enum(['minor', 'major', 'maintenance']),
      vendors: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 50 })),
      started_at: Type.Optional(When),
    },
    'NewIncident',
  ),
  status: 201,
  result: IncidentSchema,
});

export const updateIncident = describeRoute({
  method: 'POST',
  path: '/api/admin/incidents/:id/updates',
  operationId: 'updateIncident',
  tag,
  access: RULES,
  summary: { fa: 'خبر تازهٔ رخداد', en: 'Add an update to an incident' },
  body: inputObject({ state: IncidentState, text: Both(5_000) }, 'IncidentUpdate'),
  status: 201,
  result: IncidentSchema,
  errors: ['not_found'],
});

export const listStaffNotices = describeRoute({
  method: 'GET',
  path: '/api/admin/notices',
  operationId: 'listStaffNotices',
  tag,
  access: STAFF_READ,
  summary: { fa: 'آگاهی‌های کارکنان', en: 'Notices for staff, newest first' },
  query: inputObject(PAGE_QUERY),
  result: pageOf(NoticeSchema),
});
