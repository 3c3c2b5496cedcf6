/** Tickets, announcements and incidents for customers, described. */
import Type from 'typebox';
import { MEMBER_ROLES } from '../../../core/roles.ts';
import { inputObject, PAGE_QUERY, pageOf, responseObject } from '../../openapi/building-blocks.ts';
import { member } from '../../routes/access.ts';
import { describeRoute } from '../../routes/describe-route.ts';
import {
  AnnouncementSchema,
  IncidentSchema,
  TICKET_CATEGORIES,
  TicketMessageSchema,
  TicketSchema,
} from '../../schemas/notice-schemas.ts';
import { RequestedLimits } from '../../schemas/rule-schemas.ts';

const tag = 'Tickets';
const path = '/api/console/tickets';
const READ = member('tickets', 'read', ...MEMBER_ROLES);
const WRITE = member('tickets', 'write', 'owner', 'admin', 'developer', 'billing');

export const TicketText = Type.String({ minLength: 1, maxLength: 10_000 });
export const Attachments = Type.Optional(
  Type.Array(
    inputObject({
      name: Type.String({ minLength: 1, maxLength: 200 }),
      type: Type.String({ maxLength: 100 }),
      data: Type.String({ maxLength: 4_200_000, description: 'base64, at most 3 MB.' }),
    }),
    { maxItems: 3 },
  ),
);
export const TicketWithMessages = responseObject(
  { ...TicketSchema.properties, messages: Type.Array(TicketMessageSchema) },
  'TicketWithMessages',
);

export const listOwnTickets = describeRoute({
  method: 'GET',
  path,
  operationId: 'listOwnTickets',
  tag,
  access: READ,
  summary: { fa: 'تیکت‌ها', en: 'Tickets, the latest first' },
  query: inputObject(PAGE_QUERY),
  result: pageOf(TicketSchema),
});

export const openTicket = describeRoute({
  method: 'POST',
  path,
  operationId: 'openTicket',
  tag,
  access: WRITE,
  summary: { fa: 'تیکت تازه', en: 'Open a ticket' },
  description: '`wish` asks for other limits of the account; approving the ticket applies it.',
  body: inputObject(
    {
      category: Type.Enum([...TICKET_CATEGORIES]),
      subject: Type.String({ minLength: 1, maxLength: 200 }),
      text: TicketText,
      request_ids: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 20 })),
      attachments: Attachments,
      wish: Type.Optional(inputObject({ rules: RequestedLimits }, 'LimitWish')),
    },
    'NewTicket',
  ),
  status: 201,
  result: TicketWithMessages,
  errors: ['rate_limited'],
  example: { category: 'limits', subject: 'rpm', text: 'more, please', wish: { rules: { rpm: 600 } } },
});

export const getOwnTicket = describeRoute({
  method: 'GET',
  path: `${path}/:id`,
  operationId: 'getOwnTicket',
  tag,
  access: READ,
  summary: { fa: 'یک تیکت', en: 'One ticket with its messages; it counts as read from then on' },
  result: TicketWithMessages,
  errors: ['not_found'],
});

export const answerOwnTicket = describeRoute({
  method: 'POST',
  path: `${path}/:id/messages`,
  operationId: 'answerOwnTicket',
  tag,
  access: WRITE,
  summary: { fa: 'پاسخ', en: 'Write into a ticket; a closed one opens again' },
  body: inputObject({ text: TicketText, attachments: Attachments }, 'NewTicketMessage'),
  status: 201,
  result: TicketWithMessages,
  errors: ['not_found', 'rate_limited'],
});

export const closeOwnTicket = describeRoute({
  method: 'POST',
  path: `${path}/:id/close`,
  operationId: 'closeOwnTicket',
  tag,
  access: WRITE,
  summary: { fa: 'بستن تیکت', en: 'Close a ticket' },
  result: TicketWithMessages,
  errors: ['not_found'],
});

export const getOwnAttachment = describeRoute({
  method: 'GET',
  path: `${path}/:id/attachments/:attachment`,
  operationId: 'getOwnAttachment',
  tag,
  access: READ,
  summary: { fa: 'دریافت پیوست', en: 'Download an attachment' },
  result: Type.String({ title: 'AttachmentBytes' }),
  resultType: 'application/octet-stream',
  errors: ['not_found'],
});

export const listOwnAnnouncements = describeRoute({
  method: 'GET',
  path: '/api/console/announcements',
  operationId: 'listOwnAnnouncements',
  tag,
  access: READ,
  summary: { fa: 'اعلان‌ها', en: 'Announcements of the operator that are in force' },
  result: pageOf(AnnouncementSchema),
});

export const getIncidents = describeRoute({
  method: 'GET',
  path: '/api/console/incidents',
  operationId: 'getIncidents',
  tag,
  access: { guard: 'open' },
  summary: { fa: 'رخدادها', en: 'Incidents of the last ninety days, newest first' },
  result: pageOf(IncidentSchema),
});
