export { createTickets, type Ticket, type TicketMessage, type Tickets } from './tickets.ts';
export {
  type Announcement,
  createWordFromOperator,
  type Incident,
  type WordFromOperator,
} from './word-from-operator.ts';
