/** Tickets of an account, and what the operator announces. */
import type { Json } from '../../core/json.ts';
import type { Announcements, Incidents, Tickets } from '../../support/index.ts';
import { page } from '../openapi/building-blocks.ts';
import type { Register } from '../routes/register.ts';
import {
  announcementView,
  attachmentAnswer,
  conversationView,
  incidentView,
  ticketView,
} from '../schemas/ticket-views.ts';
import * as routes from './routes/tickets.ts';

export interface SupportServices {
  tickets: Tickets;
  announcements: Announcements;
  incidents: Incidents;
}

export function ownTickets(register: Register, { tickets, announcements, incidents }: SupportServices): void {
  const shown = async (id: string, accountId: string) =>
    conversationView(await tickets.read(id, accountId), 'customer');
  register(routes.listOwnTickets, async ({ who, query }) => {
    const { items, next } = await tickets.list({ accountId: who.accountId }, query);
    return page(
      items.map((ticket) => ticketView(ticket, 'customer')),
      next,
    );
  });
  register(routes.openTicket, async ({ who, body }) => {
    const { category, subject, text, attachments, wish, request_ids: requestIds } = body;
    const requested = wish && { rules: wish.rules as Json };
    const ticket = { category, subject, text, requestIds, attachments, wish: requested };
    const { id } = await tickets.open(who.accountId, ticket, who.actor);
    return shown(id, who.accountId);
  });
  register(routes.getOwnTicket, ({ who, params }) => shown(params.id, who.accountId));
  register(routes.answerOwnTicket, async ({ who, params, body }) => {
    await tickets.write(params.id, { accountId: who.accountId, author: who.actor }, body);
    return shown(params.id, who.accountId);
  });
  register(routes.closeOwnTicket, async ({ who, params }) => {
    await tickets.close(params.id, who.accountId, who.actor);
    return shown(params.id, who.accountId);
  });
  register(routes.getOwnAttachment, async ({ who, params }) =>
    attachmentAnswer(await tickets.attachment(params.id, params.attachment, who.accountId)),
  );
  register(routes.listOwnAnnouncements, async () => page((await announcements.list(true)).map(announcementView)));
  register(routes.getIncidents, async () => page((await incidents.list()).map(incidentView)));
}
