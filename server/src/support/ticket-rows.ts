/** Tickets, their messages and attachments in the database. */

import { HOUR_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { noSuch } from '../keys/index.ts';
import { lockUntilCommit, type Queryable } from '../platform/db/index.ts';
import type { PageStart } from '../platform/db/pages.ts';
import type { ReadAttachment } from './attachments.ts';
import { supportReasons } from './reasons.ts';

/** `open` waits for staff, `answered` for the customer. */
export type TicketCategory = 'general' | 'payment' | 'technical' | 'limits' | 'account';
export type TicketState = 'open' | 'answered' | 'closed';
type Side = 'customer' | 'staff' | 'system';

export interface Ticket {
  id: string;
  accountId: string;
  category: TicketCategory;
  subject: string;
  state: TicketState;
  requestIds: string[];
  wish: JsonObject | null;
  limitRequestState: 'asked' | 'approved' | 'declined' | null;
  unreadByCustomer: boolean;
  unreadByStaff: boolean;
  createdAt: Date;
  updatedAt: Date;
}

export interface TicketMessage {
  id: string;
  side: Side;
  author: string;
  text: string;
  createdAt: Date;
  attachments: { id: string; name: string; type: string; bytes: number }[];
}

/** Messages of one account in an hour; more is a script. */
const MAX_PER_HOUR = 30;
const MEGABYTE = 1024 * 1024;
/** Of all files that one account ever sent: they lie in the database, and every backup carries them. */
const MAX_ATTACHED_MB = 200;
/** Written by the customer since staff last read it. */
export const UNREAD_BY_STAFF = `exists (select from ticket_message m where m.ticket_id = ticket.id and m.side = 'customer'
    and (ticket.staff_read_at is null or m.created_at > ticket.staff_read_at))`;
export const TICKET_COLUMNS = `id, account_id as "accountId", category, subject, state, request_ids as "requestIds", wish,
  wish_state as "limitRequestState", created_at as "createdAt", updated_at as "updatedAt",
  exists (select from ticket_message m where m.ticket_id = ticket.id and m.side <> 'customer' and m.created_at > ticket.customer_read_at) as "unreadByCustomer",
  ${UNREAD_BY_STAFF} as "unreadByStaff"`;

export async function findTicket(tx: Queryable, id: string, accountId: string | undefined): Promise<Ticket> {
  const [row] = await tx.query<Ticket>(`select ${TICKET_COLUMNS} from ticket where id = $1`, [id]);
  // Another account's ticket is no ticket.
  if (!row || (accountId !== undefined && row.accountId !== accountId)) return noSuch('ticket', id);
  return row;
}

export async function insertTicket(
  tx: Queryable,
  ticket: Pick<Ticket, 'id' | 'accountId' | 'category' | 'subject' | 'requestIds'> & {
    wish?: { rules: Json } | undefined;
  },
  now: Date,
  customerReadAt = now,
): Promise<void> {
  const { id, accountId, category, subject, requestIds, wish } = ticket;
  await tx.query(
    `insert into ticket (id, account_id, category, subject, state, request_ids, wish, wish_state, customer_read_at, created_at, updated_at)
     values ($1, $2, $3, $4, 'open', $5::jsonb, $6, $7, $8, $9, $9)`,
    [
      id,
      accountId,
      category,
      subject,
      JSON.stringify(requestIds),
      wish ?? null,
      wish ? 'asked' : null,
      customerReadAt,
      now,
    ],
  );
}

export async function addMessage(
  { clock, randomBytes }: { clock: Clock; randomBytes: RandomBytes },
  tx: Queryable,
  ticketId: string,
  { side, author, text }: { side: Side; author: string; text: string },
  attachments: readonly ReadAttachment[] = [],
): Promise<void> {
  const now = new Date(clock.now());
  const id = makeId('msg', now.getTime(), randomBytes);
  await tx.query(
    'insert into ticket_message (id, ticket_id, side, author, text, created_at) values ($1, $2, $3, $4, $5, $6)',
    [id, ticketId, side, author, text, now],
  );
  for (const { name, type, data } of attachments)
    await tx.query('insert into ticket_attachment (id, message_id, name, type, data) values ($1, $2, $3, $4, $5)', [
      makeId('att', now.getTime(), randomBytes),
      id,
      name,
      type,
      data,
    ]);
}

/** All messages of a ticket; the side that reads them has read it. */
export async function readMessages(
  tx: Queryable,
  id: string,
  side: 'customer' | 'staff',
  now: Date,
): Promise<TicketMessage[]> {
  const column = side === 'staff' ? 'staff_read_at' : 'customer_read_at';
  await tx.query(`update ticket set ${column} = $2 where id = $1`, [id, now]);
  return tx.query<TicketMessage>(
    `select id, side, author, text, created_at as "createdAt", coalesce((
       select jsonb_agg(jsonb_build_object('id', a.id, 'name', a.name, 'type', a.type, 'bytes', octet_length(a.data)) order by a.id)
       from ticket_attachment a where a.message_id = ticket_message.id), '[]') as attachments
     from ticket_message where ticket_id = $1 order by created_at, id`,
    [id],
  );
}

/** What an account may still write and attach. Its messages take turns: of many sent at once, each counts those before it. */
export async function refuseFlood(
  tx: Queryable,
  accountId: string,
  nowMs: number,
  attachments: readonly ReadAttachment[],
): Promise<void> {
  await lockUntilCommit(tx, `ticket messages of ${accountId}`);
  const [row] = await tx.query<{ n: bigint }>(
    `select count(*) as n from ticket_message m join ticket on ticket.id = m.ticket_id
     where ticket.account_id = $1 and m.side = 'customer' and m.created_at > $2`,
    [accountId, new Date(nowMs - HOUR_MS)],
  );
  if (Number(row?.n ?? 0) >= MAX_PER_HOUR) throw new GatewayError('rate_limited', { retryAfterMs: HOUR_MS / 6 });
  if (attachments.length > 0) await refuseTooMuch(tx, accountId, attachments);
}

async function refuseTooMuch(tx: Queryable, accountId: string, attachments: readonly ReadAttachment[]): Promise<void> {
  const [row] = await tx.query<{ bytes: bigint }>(
    `select coalesce(sum(octet_length(a.data)), 0)::bigint as bytes from ticket_attachment a
       join ticket_message m on m.id = a.message_id join ticket on ticket.id = m.ticket_id
     where ticket.account_id = $1 and m.side = 'customer'`,
    [accountId],
  );
  const added = attachments.reduce((sum, { data }) => sum + data.length, 0);
  if (Number(row?.bytes ?? 0) + added > MAX_ATTACHED_MB * MEGABYTE)
    throw invalidRequest('attachments', supportReasons.tooMuchAttached(MAX_ATTACHED_MB));
}

export async function setState(tx: Queryable, now: Date, id: string, state: TicketState): Promise<void> {
  await tx.query('update ticket set state = $2, updated_at = $3 where id = $1', [id, state, now]);
}

export function selectTickets(
  db: Queryable,
  { accountId, state }: { accountId: string | undefined; state: TicketState | undefined },
  start: PageStart,
): Promise<Ticket[]> {
  return db.query<Ticket>(
    `select ${TICKET_COLUMNS} from ticket where ($1::text is null or account_id = $1) and ($2::text is null or state = $2)
       and ($3::timestamptz is null or (updated_at, id) < ($3, $4)) order by updated_at desc, id desc limit $5`,
    [accountId ?? null, state ?? null, start.time, start.id, start.fetch],
  );
}

export async function countOpenTickets(db: Queryable, accountId?: string): Promise<number> {
  const [row] = await db.query<{ n: bigint }>(
    `select count(*) as n from ticket where state = 'open'${accountId === undefined ? '' : ' and account_id = $1'}`,
    accountId === undefined ? [] : [accountId],
  );
  return Number(row?.n ?? 0);
}

export async function selectAttachment(
  db: Queryable,
  ticketId: string,
  id: string,
): Promise<{ name: string; type: string; data: Uint8Array } | undefined> {
  const [row] = await db.query<{ name: string; type: string; data: Uint8Array }>(
    `select a.name, a.type, a.data from ticket_attachment a join ticket_message m on m.id = a.message_id
     where a.id = $1 and m.ticket_id = $2`,
    [id, ticketId],
  );
  return row;
}
