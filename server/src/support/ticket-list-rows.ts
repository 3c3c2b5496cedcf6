/** What the list of tickets reads, and the conditions that its filter becomes. */
import { type Filtered, listedTable, noFilter } from '../lists/index.ts';
import { adder } from '../platform/db/conditions.ts';
import { column, orNull, type RowOf, readAs } from '../platform/db/index.ts';
import { wordPatterns } from '../platform/db/search-words.ts';
import { type TicketCategory, type TicketState, ticketRow, UNREAD_BY_STAFF } from './ticket-rows.ts';

export interface TicketListFilter {
  accountId?: string | undefined;
  state?: TicketState | undefined;
  category?: TicketCategory | undefined;
  /** A person of staff; null for tickets that are assigned to nobody. */
  assignedTo?: string | null | undefined;
  unread?: boolean | undefined;
  /** Only tickets with a limit request that waits for a decision. */
  wish?: boolean | undefined;
  words?: string | undefined;
}

const listedTicketRow = {
  ...ticketRow,
  assignedTo: orNull(column.text),
  assignedName: readAs('(select name from person where person.id = assigned_to)', orNull(column.text)),
};
export type ListedTicket = RowOf<typeof listedTicketRow>;

export function conditionsOfTickets(filter: TicketListFilter): Filtered {
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

export const LISTED_TICKETS = listedTable(
  { table: 'ticket', time: 'updated_at', row: listedTicketRow },
  conditionsOfTickets({
    accountId: '',
    state: 'open',
    category: 'general',
    assignedTo: '',
    unread: true,
    wish: true,
    words: 'a',
  }),
  conditionsOfTickets({ assignedTo: null }),
);
