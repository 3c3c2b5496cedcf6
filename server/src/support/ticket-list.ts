/** Tickets for staff, by account, by assignee, and by how long they wait. */
import type { Clock } from '../core/clock.ts';
import { type ListPlace, TimedList, type Walked } from '../lists/index.ts';
import type { Database } from '../platform/db/index.ts';
import { conditionsOfTickets, LISTED_TICKETS, type ListedTicket, type TicketListFilter } from './ticket-list-rows.ts';

export class TicketList {
  readonly #list: TimedList<ListedTicket, ListedTicket>;

  constructor(tools: { db: Database; clock: Clock }) {
    this.#list = new TimedList<ListedTicket, ListedTicket>(tools, {
      table: LISTED_TICKETS,
      read: (row) => row,
      place: ({ updatedAt, id }) => ({ time: updatedAt, id }),
    });
  }

  page(filter: TicketListFilter, place: ListPlace): Promise<Walked<ListedTicket>> {
    return this.#list.page(conditionsOfTickets(filter), place);
  }

  count(filter: TicketListFilter, max: number): Promise<number | null> {
    return this.#list.count(conditionsOfTickets(filter), max);
  }
}
