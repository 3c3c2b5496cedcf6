/** Every statement on tickets, their messages and attachments. */
import type { Json, JsonObject } from '../core/json.ts';
import {
  column,
  columnsOf,
  command,
  orNull,
  type Queryable,
  type RowOf,
  readAs,
  statement,
} from '../platform/db/index.ts';
import type { PageStart } from '../platform/db/pages.ts';

/** `open` waits for staff, `answered` for the customer. */
export type TicketCategory = 'general' | 'payment' | 'technical' | 'limits' | 'account';
export type TicketState = 'open' | 'answered' | 'closed';
export type TicketSide = 'customer' | 'staff' | 'system';

/** True when the customer has written since staff last read the ticket. */
export const UNREAD_BY_STAFF = `exists (select from ticket_message m where m.ticket_id = ticket.id and m.side = 'customer'
    and (ticket.staff_read_at is null or m.created_at > ticket.staff_read_at))`;

export const ticketRow = {
  id: column.text,
  accountId: column.text,
  category: column.textOf<TicketCategory>(),
  subject: column.text,
  state: column.textOf<TicketState>(),
  requestIds: column.jsonOf<string[]>(),
  wish: orNull(column.jsonOf<JsonObject>()),
  limitRequestState: readAs('wish_state', orNull(column.textOf<'asked' | 'approved' | 'declined'>())),
  createdAt: column.timestamp,
  updatedAt: column.timestamp,
  unreadByCustomer: readAs(
    `exists (select from ticket_message m where m.ticket_id = ticket.id and m.side <> 'customer' and m.created_at > ticket.customer_read_at)`,
    column.boolean,
  ),
  unreadByStaff: readAs(UNREAD_BY_STAFF, column.boolean),
};
export type Ticket = RowOf<typeof ticketRow>;
const TICKET = columnsOf(ticketRow);

export const TICKET_BY_ID = statement(ticketRow, `select ${TICKET} from ticket where id = $1`);
const TICKETS = statement(
  ticketRow,
  `select ${TICKET} from ticket where ($1::text is null or account_id = $1) and ($2::text is null or state = $2)
     and ($3::timestamptz is null or (updated_at, id) < ($3, $4)) order by updated_at desc, id desc limit $5`,
);

export function selectTickets(
  db: Queryable,
  { accountId, state }: { accountId: string | undefined; state: TicketState | undefined },
  start: PageStart,
): Promise<Ticket[]> {
  return TICKETS.rows(db, [accountId ?? null, state ?? null, start.time, start.id, start.fetch]);
}

const INSERT_TICKET = command(
  `insert into ticket (id, account_id, category, subject, state, request_ids, wish, wish_state, customer_read_at, created_at, updated_at)
   values ($1, $2, $3, $4, 'open', $5::jsonb, $6, $7, $8, $9, $9)`,
);

export async function insertTicket(
  tx: Queryable,
  ticket: Pick<Ticket, 'id' | 'accountId' | 'category' | 'subject' | 'requestIds'> & {
    wish?: { rules: Json } | undefined;
  },
  now: Date,
  customerReadAt = now,
): Promise<void> {
  const { id, accountId, category, subject, requestIds, wish } = ticket;
  await INSERT_TICKET.run(tx, [
    id,
    accountId,
    category,
    subject,
    JSON.stringify(requestIds),
    wish ?? null,
    wish ? 'asked' : null,
    customerReadAt,
    now,
  ]);
}

const SET_STATE = command('update ticket set state = $2, updated_at = $3 where id = $1');

export async function setState(tx: Queryable, now: Date, id: string, state: TicketState): Promise<void> {
  await SET_STATE.run(tx, [id, state, now]);
}

export const ASSIGN_TICKET = command('update ticket set assigned_to = $2 where id = $1');
/** No row comes back when no limit request waits any more. */
export const DECIDE_LIMIT_REQUEST = statement(
  { id: column.text },
  `update ticket set wish_state = $2 where id = $1 and wish_state = 'asked' returning id`,
);
export const MARK_READ_BY = {
  staff: command('update ticket set staff_read_at = $2 where id = $1'),
  customer: command('update ticket set customer_read_at = $2 where id = $1'),
};

const OPEN_TICKETS = statement({ n: column.bigint }, `select count(*) as n from ticket where state = 'open'`);
const OPEN_TICKETS_OF_ACCOUNT = statement({ n: column.bigint }, `${OPEN_TICKETS.text} and account_id = $1`);

/** Of one account, or of all accounts. */
export async function countOpenTickets(db: Queryable, accountId?: string): Promise<number> {
  const { n } = await (accountId === undefined ? OPEN_TICKETS.only(db) : OPEN_TICKETS_OF_ACCOUNT.only(db, [accountId]));
  return Number(n);
}

const messageRow = {
  id: column.text,
  side: column.textOf<TicketSide>(),
  author: column.text,
  text: column.text,
  createdAt: column.timestamp,
  attachments: readAs(
    `coalesce((
       select jsonb_agg(jsonb_build_object('id', a.id, 'name', a.name, 'type', a.type, 'bytes', octet_length(a.data)) order by a.id)
       from ticket_attachment a where a.message_id = ticket_message.id), '[]')`,
    column.jsonOf<{ id: string; name: string; type: string; bytes: number }[]>(),
  ),
};
export type TicketMessage = RowOf<typeof messageRow>;
export const MESSAGES_OF_TICKET = statement(
  messageRow,
  `select ${columnsOf(messageRow)} from ticket_message where ticket_id = $1 order by created_at, id`,
);
export const INSERT_MESSAGE = command(
  'insert into ticket_message (id, ticket_id, side, author, text, created_at) values ($1, $2, $3, $4, $5, $6)',
);
export const COUNT_MESSAGES_SINCE = statement(
  { n: column.bigint },
  `select count(*) as n from ticket_message m join ticket on ticket.id = m.ticket_id
   where ticket.account_id = $1 and m.side = 'customer' and m.created_at > $2`,
);

export const INSERT_ATTACHMENT = command(
  'insert into ticket_attachment (id, message_id, name, type, data) values ($1, $2, $3, $4, $5)',
);
/** The size of all files that the account ever sent. */
export const ATTACHED_BYTES = statement(
  { bytes: column.bigint },
  `select coalesce(sum(octet_length(a.data)), 0)::bigint as bytes from ticket_attachment a
     join ticket_message m on m.id = a.message_id join ticket on ticket.id = m.ticket_id
   where ticket.account_id = $1 and m.side = 'customer'`,
);
const ATTACHMENT = statement(
  { name: column.text, type: column.text, data: column.bytes },
  `select a.name, a.type, a.data from ticket_attachment a join ticket_message m on m.id = a.message_id
   where a.id = $1 and m.ticket_id = $2`,
);

export function selectAttachment(
  db: Queryable,
  ticketId: string,
  id: string,
): Promise<{ name: string; type: string; data: Uint8Array } | undefined> {
  return ATTACHMENT.first(db, [id, ticketId]);
}
