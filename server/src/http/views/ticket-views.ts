/** Tickets, announcements and incidents as answers. */

import type {
  AnnouncementSchema,
  IncidentSchema,
  TicketSchema,
  TicketWithMessages,
} from '@dargah/api/schemas/notice-schemas.ts';
import type { Static } from 'typebox';
import type { Announcement, Incident, Ticket, TicketMessage } from '../../support/index.ts';
import { RawAnswer } from '../routes/handler-result.ts';
import { withoutStaff } from './without-staff.ts';

export function ticketView(ticket: Ticket, reader: 'customer' | 'staff'): Static<typeof TicketSchema> {
  return {
    object: 'ticket',
    id: ticket.id,
    account_id: ticket.accountId,
    category: ticket.category,
    subject: ticket.subject,
    state: ticket.state,
    unread: reader === 'customer' ? ticket.unreadByCustomer : ticket.unreadByStaff,
    request_ids: ticket.requestIds,
    wish: ticket.wish,
    wish_state: ticket.limitRequestState,
    created_at: ticket.createdAt.toISOString(),
    updated_at: ticket.updatedAt.toISOString(),
  };
}

export function conversationView(
  { ticket, messages }: { ticket: Ticket; messages: TicketMessage[] },
  reader: 'customer' | 'staff',
): Static<typeof TicketWithMessages> {
  return {
    ...ticketView(ticket, reader),
    messages: messages.map(({ id, side, author, text, attachments, createdAt }) => ({
      id,
      from: side,
      author: reader === 'customer' ? withoutStaff(author) : author,
      text,
      attachments,
      created_at: createdAt.toISOString(),
    })),
  };
}

/** The answer is always a download, never displayed: a file of a stranger must not run in our pages. */
export function attachmentAnswer({ name, data }: { name: string; data: Uint8Array }): RawAnswer {
  return new RawAnswer({
    kind: 'body',
    status: 200,
    contentType: 'application/octet-stream',
    headers: {
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
      'x-content-type-options': 'nosniff',
    },
    body: data,
  });
}

export function announcementView({ id, title, text, from, until }: Announcement): Static<typeof AnnouncementSchema> {
  return { object: 'announcement', id, title, text, from: from.toISOString(), until: until?.toISOString() ?? null };
}

export function incidentView({
  id,
  title,
  impact,
  vendors,
  state,
  updates,
  startedAt,
  resolvedAt,
}: Incident): Static<typeof IncidentSchema> {
  const times = { started_at: startedAt.toISOString(), resolved_at: resolvedAt?.toISOString() ?? null };
  return { object: 'incident', id, title, impact, vendors, state, updates, ...times };
}
