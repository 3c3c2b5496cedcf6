/** Tickets of all accounts, announcements, incidents and notices for staff, described. */
import Type from 'typebox';
import { STAFF_READ, scoped, staff } from '../access.ts';
import { Deleted, inputObject, listOf, nullable, PAGE_QUERY, pageOf, responseObject } from '../building-blocks.ts';
import { Attachments, TicketText } from '../console/tickets.ts';
import { describeRoute } from '../describe-route.ts';
import {
  AnnouncementSchema,
  IncidentSchema,
  NoticeSchema,
  TICKET_CATEGORIES,
  TICKET_STATES,
  TicketSchema,
  TicketWithMessages,
} from '../schemas/notice-schemas.ts';

const tag = 'Support';
const path = '/api/admin/tickets';
const ANSWER = scoped('support', staff('owner', 'support', 'finance'));
const RULES = scoped('support', staff('owner', 'support'));
/** Approving it changes the rules of the account. */
const LIMIT_REQUEST_SCHEMA = scoped('accounts', staff('owner', 'support'));
const Both = (maxLength: number) =>
  inputObject({ fa: Type.String({ minLength: 1, maxLength }), en: Type.String({ minLength: 1, maxLength }) });
const When = Type.String({ maxLength: 64, description: 'RFC 3339, or a day of either calendar.' });

const StaffTicket = responseObject(
  {
    ...TicketSchema.properties,
    assigned_to: nullable(Type.String({ description: 'Who of staff has taken it.' })),
    assigned_name: nullable(Type.String()),
  },
  'StaffTicket',
);

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
    category: Type.Optional(Type.Enum([...TICKET_CATEGORIES])),
    assigned_to: Type.Optional(
      Type.String({ maxLength: 64, description: '`me`, `nobody`, or the id of a person of staff.' }),
    ),
    unread: Type.Optional(Type.Boolean()),
    wish: Type.Optional(Type.Boolean({ description: 'Only those with a wish for other limits that waits.' })),
    q: Type.Optional(Type.String({ maxLength: 200, description: 'Words of the subject.' })),
    sort: Type.Optional(Type.Enum(['newest', 'waiting'], { description: '`waiting`: who waits longest first.' })),
  }),
  result: responseObject({ ...listOf(StaffTicket).properties, open: Type.Integer() }, 'TicketPage'),
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

export const assignTicket = describeRoute({
  method: 'POST',
  path: `${path}/:id/assign`,
  operationId: 'assignTicket',
  tag,
  access: ANSWER,
  summary: { fa: 'گرفتن یا رها کردن تیکت', en: 'Take a ticket, or give it back' },
  body: inputObject({ to: Type.Enum(['me', 'nobody']) }, 'TicketAssignment'),
  result: responseObject({ id: Type.String(), assigned_to: nullable(Type.String()) }, 'AssignedTicket'),
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
  summary: { fa: 'اطلاعیه‌ها', en: 'Announcements, newest first' },
  result: pageOf(AnnouncementSchema),
});

export const announce = describeRoute({
  method: 'POST',
  path: '/api/admin/announcements',
  operationId: 'announce',
  tag,
  access: RULES,
  summary: { fa: 'اطلاعیهٔ جدید', en: 'Announce something to every customer' },
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
  summary: { fa: 'حذف اطلاعیه', en: 'Take an announcement back' },
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
  summary: { fa: 'خبر جدید رخداد', en: 'Add an update to an incident' },
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
  summary: { fa: 'اعلان‌های کارکنان', en: 'Notices for staff, newest first' },
  query: inputObject(PAGE_QUERY),
  result: pageOf(NoticeSchema),
});
