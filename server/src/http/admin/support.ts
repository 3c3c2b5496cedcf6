/** Tickets of all accounts, announcements, incidents and notices, for staff. */

import * as routes from '@dargah/api/admin/support.ts';
import { page } from '@dargah/api/building-blocks.ts';
import type { Notices, StaffAlerts } from '../../notices/index.ts';
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

export function support(
  register: Register,
  { tickets, announcements, incidents }: SupportServices,
  { notices, staff }: { notices: Notices; staff: Pick<StaffAlerts, 'hiddenFrom'> },
): void {
  const shown = async (id: string) => conversationView(await tickets.read(id, undefined), 'staff');
  register(routes.listTickets, async ({ query }) => {
    const { state, account_id: accountId, ...rest } = query;
    const { items, next } = await tickets.list({ accountId, state }, rest);
    const open = await tickets.countOpen();
    return {
      ...page(
        items.map((ticket) => ticketView(ticket, 'staff')),
        next,
      ),
      open,
    };
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
    const { items, next } = await notices.list('', query, hidden);
    return page(items.map(noticeView), next);
  });
}
