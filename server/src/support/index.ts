export { type Announcements, createAnnouncements } from './announcements.ts';
export { createIncidents, type Incidents } from './incidents.ts';
export type { Announcement, Incident } from './news-rows.ts';
export { TicketList } from './ticket-list.ts';
export type { ListedTicket, TicketListFilter } from './ticket-list-rows.ts';
export type { Ticket, TicketMessage } from './ticket-rows.ts';
export { createTickets, type Tickets } from './tickets.ts';
