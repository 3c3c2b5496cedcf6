/** Tickets for staff: whose they are, who has taken them, what waits longest. */
import type { Clock } from '../core/clock.ts';
import { type Filtered, type ListPlace, noFilter, TimedList, type Walked } from '../lists/index.ts';
import { adder } from '../platform/db/conditions.ts';
import type { Database } from '../platform/db/index.ts';
import { wordPatterns } from '../platform/db/search-words.ts';
import { TICKET_COLUMNS, type Ticket, type TicketCategory, type TicketState, UNREAD_BY_STAFF } from './ticket-rows.ts';

export interface TicketListFilter {
  accountId?: string | undefined;
  state?: TicketState | undefined;
  category?: TicketCategory | undefined;
  /** A person of staff; null: nobody has taken it. */
  assignedTo?: string | null | undefined;
  unread?: boolean | undefined;
  /** With a wish for other limits that waits. */
  wish?: boolean | undefined;
  words?: string | undefined;
}

export interface ListedTicket extends Ticket {
  assignedTo: string | null;
  assignedName: string | null;
}

export class TicketList {
  readonly #list: TimedList<ListedTicket, ListedTicket>;

  constructor(tools: { db: Database; clock: Clock }) {
    this.#list = new TimedList<ListedTicket, ListedTicket>(tools, {
      table: 'ticket',
      columns: `${TICKET_COLUMNS}, assigned_to as "assignedTo", (select name from person where person.id = assigned_to) as "assignedName"`,
      time: 'updated_at',
      read: (row) => row,
      place: ({ updatedAt, id }) => ({ time: updatedAt, id }),
    });
  }

  page(filter: TicketListFilter, place: ListPlace): Promise<Walked<ListedTicket>> {
    return this.#list.page(conditionsOf(filter), place);
  }

  count(filter: TicketListFilter, max: number): Promise<number | null> {
    return this.#list.count(conditionsOf(filter), max);
  }
}

function conditionsOf(filter: TicketListFilter): Filtered {
  const { indexed, others } = noFilter();
  const [byIndex, byLook] = [adder(indexed), adder(others)];
  const { accountId, assignedTo, state } = filter;
  const leading = accountId !== undefined ? 'account' : typeof assignedTo === 'string' ? 'assigned' : 'state';
  byIndex('account_id = ?', accountId);
  (leading === 'assigned' ? byIndex : byLook)('assigned_to = ?', assignedTo ?? undefined);
  if (assignedTo === null) others.parts.push('assigned_to is null');
  (leading === 'state' ? byIndex : byLook)('state = ?', state);
  byLook('category = ?', filter.category);
  if (filter.unread) others.parts.push(UNREAD_BY_STAFF);
  if (filter.wish) others.parts.push(`wish_state = 'asked'`);
  for (const pattern of wordPatterns(filter.words ?? '')) byLook('search_form(subject) like ?', `%${pattern}`);
  return { indexed, others };
}
