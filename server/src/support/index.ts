export type { Ticket, TicketMessage } from './ticket-rows.ts';
export { createTickets, type Tickets } from './tickets.ts';
export {
  type Announcement,
  createWordFromOperator,
  type Incident,
  type WordFromOperator,
} from './word-from-operator.ts';
