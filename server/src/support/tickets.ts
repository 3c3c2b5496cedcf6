/** Tickets: a conversation with support. A wish for other limits travels as data, and approving it does what it says. */
import type { AccountService } from '../accounts/index.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { reasons } from '../core/reasons.ts';
import { noSuch, parseAccountRules, refuseCursor } from '../keys/index.ts';
import type { Notices } from '../notices/index.ts';
import { createChangeRecorder } from '../platform/admin-trail.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import { type Page, type PageRequest, startOfPage, toPage } from '../platform/db/pages.ts';
import { type GivenAttachment, readAttachments } from './attachments.ts';

export type TicketState = 'open' | 'answered' | 'waiting' | 'closed';
type Side = 'customer' | 'staff' | 'system';

export interface Ticket {
  id: string;
  accountId: string;
  category: string;
  subject: string;
  state: TicketState;
  requestIds: string[];
  wish: JsonObject | null;
  wishState: 'asked' | 'approved' | 'declined' | null;
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

export interface NewTicket {
  category: string;
  subject: string;
  text: string;
  requestIds?: string[] | undefined;
  attachments?: GivenAttachment[] | undefined;
  wish?: { rules: Json } | undefined;
}

export interface Tickets {
  open(accountId: string, ticket: NewTicket, author: string): Promise<Ticket>;
  /** `accountId` undefined: staff. Whoever reads it has read it. */
  read(id: string, accountId: string | undefined): Promise<{ ticket: Ticket; messages: TicketMessage[] }>;
  write(
    id: string,
    from: { accountId: string | undefined; author: string },
    message: { text: string; attachments?: GivenAttachment[] | undefined; close?: boolean | undefined },
  ): Promise<void>;
  close(id: string, accountId: string | undefined, author: string): Promise<void>;
  decide(id: string, approve: boolean, text: string | undefined, actor: string): Promise<void>;
  list(
    filter: { accountId?: string | undefined; state?: TicketState | undefined },
    page: PageRequest,
  ): Promise<Page<Ticket>>;
  countOpen(): Promise<number>;
  attachment(
    ticketId: string,
    id: string,
    accountId: string | undefined,
  ): Promise<{ name: string; type: string; data: Uint8Array }>;
}

export interface TicketsOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  accounts: Pick<AccountService, 'update'>;
  notices: Pick<Notices, 'raise'>;
}

/** Messages of one account in an hour; more is a script. */
const MOST_PER_HOUR = 30;
const HOUR_MS = 3_600_000;
const COLUMNS = `id, account_id as "accountId", category, subject, state, request_ids as "requestIds", wish,
  wish_state as "wishState", created_at as "createdAt", updated_at as "updatedAt",
  exists (select from ticket_message m where m.ticket_id = ticket.id and m.side <> 'customer' and m.created_at > ticket.customer_read_at) as "unreadByCustomer",
  exists (select from ticket_message m where m.ticket_id = ticket.id and m.side = 'customer'
    and (ticket.staff_read_at is null or m.created_at > ticket.staff_read_at)) as "unreadByStaff"`;

export function createTickets({ db, clock, randomBytes, accounts, notices }: TicketsOptions): Tickets {
  const changed = createChangeRecorder({ db, clock, randomBytes }, 'ticket');

  async function find(tx: Queryable, id: string, accountId: string | undefined): Promise<Ticket> {
    const [row] = await tx.query<Ticket>(`select ${COLUMNS} from ticket where id = $1`, [id]);
    // Another account's ticket is no ticket.
    if (!row || (accountId !== undefined && row.accountId !== accountId)) return noSuch('ticket', id);
    return row;
  }

  async function say(
    tx: Queryable,
    ticketId: string,
    { side, author, text }: { side: Side; author: string; text: string },
    attachments: GivenAttachment[] = [],
  ): Promise<void> {
    const now = new Date(clock.now());
    const id = makeId('msg', now.getTime(), randomBytes);
    await tx.query(
      'insert into ticket_message (id, ticket_id, side, author, text, created_at) values ($1, $2, $3, $4, $5, $6)',
      [id, ticketId, side, author, text, now],
    );
    for (const { name, type, data } of readAttachments(attachments))
      await tx.query('insert into ticket_attachment (id, message_id, name, type, data) values ($1, $2, $3, $4, $5)', [
        makeId('att', now.getTime(), randomBytes),
        id,
        name,
        type,
        data,
      ]);
  }

  async function refuseFlood(tx: Queryable, accountId: string): Promise<void> {
    const [row] = await tx.query<{ n: bigint }>(
      `select count(*) as n from ticket_message m join ticket on ticket.id = m.ticket_id
       where ticket.account_id = $1 and m.side = 'customer' and m.created_at > $2`,
      [accountId, new Date(clock.now() - HOUR_MS)],
    );
    if (Number(row?.n ?? 0) >= MOST_PER_HOUR) throw new GatewayError('rate_limited', { retryAfterMs: HOUR_MS / 6 });
  }

  const setState = (tx: Queryable, id: string, state: TicketState) =>
    tx.query('update ticket set state = $2, updated_at = $3 where id = $1', [id, state, new Date(clock.now())]);

  const tell = (tx: Queryable, ticket: Ticket) =>
    notices.raise(
      {
        accountId: ticket.accountId,
        event: 'ticket.answered',
        occasion: `${ticket.id}:${clock.now()}`,
        data: { ticket: ticket.id, subject: ticket.subject },
        link: `/console/tickets/${ticket.id}`,
      },
      tx,
    );

  return {
    open: (accountId, { category, subject, text, requestIds = [], attachments, wish }, author) =>
      db.transaction(async (tx) => {
        await refuseFlood(tx, accountId);
        // Refused here, not when somebody approves it.
        if (wish) parseAccountRules(wish.rules);
        const now = new Date(clock.now());
        const id = makeId('tkt', now.getTime(), randomBytes);
        await tx.query(
          `insert into ticket (id, account_id, category, subject, state, request_ids, wish, wish_state, customer_read_at, created_at, updated_at)
           values ($1, $2, $3, $4, 'open', $5::jsonb, $6, $7, $8, $8, $8)`,
          [
            id,
            accountId,
            category,
            subject.trim(),
            JSON.stringify(requestIds),
            wish ?? null,
            wish ? 'asked' : null,
            now,
          ],
        );
        await say(tx, id, { side: 'customer', author, text }, attachments);
        const link = `/operator/tickets/${id}`;
        await notices.raise(
          { accountId: '', event: 'ticket.opened', occasion: id, data: { ticket: id, subject }, link },
          tx,
        );
        return find(tx, id, accountId);
      }),
    read: (id, accountId) =>
      db.transaction(async (tx) => {
        const ticket = await find(tx, id, accountId);
        const column = accountId === undefined ? 'staff_read_at' : 'customer_read_at';
        await tx.query(`update ticket set ${column} = $2 where id = $1`, [id, new Date(clock.now())]);
        const messages = await tx.query<TicketMessage>(
          `select id, side, author, text, created_at as "createdAt", coalesce((
             select jsonb_agg(jsonb_build_object('id', a.id, 'name', a.name, 'type', a.type, 'bytes', octet_length(a.data)) order by a.id)
             from ticket_attachment a where a.message_id = ticket_message.id), '[]') as attachments
           from ticket_message where ticket_id = $1 order by created_at, id`,
          [id],
        );
        return { ticket, messages };
      }),
    write: (id, { accountId, author }, { text, attachments, close }) =>
      db.transaction(async (tx) => {
        const ticket = await find(tx, id, accountId);
        if (accountId !== undefined) await refuseFlood(tx, accountId);
        const side = accountId === undefined ? 'staff' : 'customer';
        await say(tx, id, { side, author, text }, attachments);
        await setState(tx, id, close ? 'closed' : side === 'staff' ? 'answered' : 'open');
        if (side === 'staff') await tell(tx, ticket);
      }),
    close: (id, accountId, author) =>
      db.transaction(async (tx) => {
        await find(tx, id, accountId);
        await setState(tx, id, 'closed');
        await say(tx, id, { side: 'system', author, text: 'closed' });
      }),
    async decide(id, approve, text, actor) {
      const ticket = await db.transaction(async (tx) => {
        const found = await find(tx, id, undefined);
        const rows = await tx.query(
          `update ticket set wish_state = $2 where id = $1 and wish_state = 'asked' returning id`,
          [id, approve ? 'approved' : 'declined'],
        );
        if (rows.length === 0) throw new GatewayError('conflict', { reason: nothingAsked });
        await changed(tx, actor, approve ? 'ticket.approve' : 'ticket.decline', id, { wish: found.wish });
        const words = approve ? 'approved' : 'declined';
        await say(tx, id, { side: text === undefined ? 'system' : 'staff', author: actor, text: text ?? words });
        await setState(tx, id, 'answered');
        await tell(tx, found);
        return found;
      });
      if (!approve) return;
      try {
        await accounts.update(ticket.accountId, { rules: ticket.wish?.['rules'] ?? {} }, actor);
      } catch (error) {
        // The limits did not change, so nothing was approved.
        await db.query(`update ticket set wish_state = 'asked' where id = $1`, [id]);
        throw error;
      }
    },
    async list({ accountId, state }, page) {
      const start = startOfPage(page) ?? refuseCursor();
      const rows = await db.query<Ticket>(
        `select ${COLUMNS} from ticket where ($1::text is null or account_id = $1) and ($2::text is null or state = $2)
           and ($3::timestamptz is null or (updated_at, id) < ($3, $4)) order by updated_at desc, id desc limit $5`,
        [accountId ?? null, state ?? null, start.time, start.id, start.fetch],
      );
      return toPage(rows, start, ({ updatedAt, id }) => ({ time: updatedAt, id }));
    },
    async countOpen() {
      const [row] = await db.query<{ n: bigint }>(`select count(*) as n from ticket where state = 'open'`);
      return Number(row?.n ?? 0);
    },
    async attachment(ticketId, id, accountId) {
      await find(db, ticketId, accountId);
      const [row] = await db.query<{ name: string; type: string; data: Uint8Array }>(
        `select a.name, a.type, a.data from ticket_attachment a join ticket_message m on m.id = a.message_id
         where a.id = $1 and m.ticket_id = $2`,
        [id, ticketId],
      );
      return row ?? noSuch('attachment', id);
    },
  };
}

const nothingAsked = reasons.custom('این تیکت درخواست بازی ندارد.', 'This ticket has no open wish.');
