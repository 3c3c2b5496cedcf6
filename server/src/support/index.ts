export { type Announcement, type Announcements, createAnnouncements } from './announcements.ts';
export { createIncidents, type Incident, type Incidents } from './incidents.ts';
export { type ListedTicket, TicketList, type TicketListFilter } from './ticket-list.ts';
export type { Ticket, TicketMessage } from './ticket-rows.ts';
export { createTickets, type Tickets } from './tickets.ts';
