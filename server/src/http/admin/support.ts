/** Tickets of all accounts, announcements, incidents and notices, for staff. */

import * as routes from '@dargah/api/admin/support.ts';
import { page } from '@dargah/api/building-blocks.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Notices, StaffAlerts } from '../../notices/index.ts';
import type { Queryable } from '../../platform/db/index.ts';
import type { TicketList, Tickets } from '../../support/index.ts';
import { noticeView } from '../console/alerts.ts';
import type { SupportServices } from '../console/tickets.ts';
import type { Register } from '../routes/register.ts';
import { dateInput } from '../time-input.ts';
import {
  announcementView,
  attachmentAnswer,
  conversationView,
  incidentView,
  ticketView,
} from '../views/ticket-views.ts';
import { type ListOfStaff, listPage, namesOf, totalOf } from './staff-list.ts';

interface StaffSupport {
  notices: Notices;
  staff: Pick<StaffAlerts, 'hiddenFrom'>;
  db: Queryable;
  ticketList: TicketList;
}

export function support(
  register: Register,
  { tickets, announcements, incidents }: SupportServices,
  { notices, staff, db, ticketList }: StaffSupport,
): ListOfStaff<typeof routes.listTickets> {
  const list = listOfTickets(db, ticketList, tickets);
  const shown = async (id: string) => conversationView(await tickets.read(id, undefined), 'staff');
  register(routes.listTickets, ({ query, who }) => list.read(query, { ...who, use: 'list' }));
  register(routes.assignTicket, async ({ params, body, who }) => {
    // A token cannot answer a ticket.
    if (body.to === 'me' && who.personId === null) throw new GatewayError('forbidden');
    const to = body.to === 'me' ? who.personId : null;
    await tickets.assign(params.id, to);
    return { id: params.id, assigned_to: to };
  });
  register(routes.getTicket, ({ params }) => shown(params.id));
  register(routes.answerTicket, async ({ params, body, actor }) => {
    await tickets.write(params.id, { accountId: undefined, author: actor }, body);
    return shown(params.id);
  });
  register(routes.decideWish, async ({ params, body, actor }) => {
    await tickets.decide(params.id, body.approve, body.text, actor);
    return shown(params.id);
  });
  register(routes.getAttachment, async ({ params }) =>
    attachmentAnswer(await tickets.attachment(params.id, params.attachment, undefined)),
  );
  register(routes.listAnnouncements, async () => page((await announcements.list(false)).map(announcementView)));
  register(routes.announce, async ({ body, actor }) => {
    const { title, text, from, until } = body;
    const times = { from: dateInput(from, 'from'), until: dateInput(until ?? undefined, 'until') };
    return announcementView(await announcements.announce({ title, text, ...times }, actor));
  });
  register(routes.deleteAnnouncement, async ({ params, actor }) => {
    await announcements.takeBack(params.id, actor);
    return { id: params.id, deleted: true };
  });
  register(routes.listIncidents, async () => page((await incidents.list()).map(incidentView)));
  register(routes.openIncident, async ({ body, actor }) => {
    const { title, text, impact, vendors = [], started_at: started } = body;
    const startedAt = dateInput(started, 'started_at');
    return incidentView(await incidents.open({ title, text, impact, vendors, startedAt }, actor));
  });
  register(routes.updateIncident, async ({ params, body, actor }) =>
    incidentView(await incidents.update(params.id, body, actor)),
  );
  register(routes.listStaffNotices, async ({ query, who }) => {
    const hidden = who.personId === null ? [] : await staff.hiddenFrom(who.personId);
    const { items, next } = await notices.listForStaff(who.personId, query, hidden);
    return page(items.map(noticeView), next);
  });
  return list;
}

function listOfTickets(
  db: Queryable,
  list: TicketList,
  tickets: Pick<Tickets, 'countOpen'>,
): ListOfStaff<typeof routes.listTickets> {
  return {
    id: 'tickets',
    route: routes.listTickets,
    async read(query, { personId, use }) {
      const { state, account_id: accountId, category, unread, wish, q: words, after, limit = 50, sort } = query;
      const assignedTo = assigned(query.assigned_to, personId);
      const filter = { accountId, state, category, unread, wish, words, assignedTo };
      const place = { after: after ?? null, limit, use, oldestFirst: sort === 'waiting' };
      const found = await list.page(filter, place);
      const total = use === 'job' ? null : await totalOf(after, (max) => list.count(filter, max));
      const accounts = found.rows.map((ticket) => ticket.accountId);
      const names = use === 'job' ? {} : await namesOf(db, accounts);
      const data = found.rows.map((ticket) => ({
        ...ticketView(ticket, 'staff'),
        assigned_to: ticket.assignedTo,
        assigned_name: ticket.assignedName,
      }));
      return { ...listPage(data, found, { total, names }), open: use === 'job' ? 0 : await tickets.countOpen() };
    },
    columns: {
      id: (row) => row.id,
      account_id: (row) => row.account_id,
      category: (row) => row.category,
      subject: (row) => row.subject,
      state: (row) => row.state,
      wish_state: (row) => row.wish_state,
      assigned_to: (row) => row.assigned_to,
      created_at: (row) => row.created_at,
      updated_at: (row) => row.updated_at,
    },
  };
}

function assigned(text: string | undefined, me: string | null): string | null | undefined {
  if (text === 'nobody') return null;
  return text === 'me' ? (me ?? '') : text;
}
