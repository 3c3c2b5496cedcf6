/** Tickets: conversations with support. A limit request is data with a ticket, and approving it sets the limits. */

import type { AccountService } from '../accounts/index.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import type { Json } from '../core/json.ts';
import { checkLimitRequest, noSuch, refuseCursor } from '../keys/index.ts';
import type { Notices } from '../notices/index.ts';
import { createChangeRecorder } from '../platform/audit-log.ts';
import { STAFF_ONLY, tellChange } from '../platform/changes.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import { type Page, type PageRequest, startOfPage, toPage } from '../platform/db/pages.ts';
import { type AttachmentInput, readAttachments } from './attachments.ts';
import { addMessage, findTicket, readMessages, refuseFlood } from './conversation.ts';
import { supportReasons } from './reasons.ts';
import type { Ticket, TicketCategory, TicketMessage, TicketState } from './ticket-rows.ts';
import * as rows from './ticket-rows.ts';

export interface NewTicket {
  category: TicketCategory;
  subject: string;
  text: string;
  requestIds?: string[] | undefined;
  attachments?: AttachmentInput[] | undefined;
  wish?: { rules: Json } | undefined;
}

export interface Tickets {
  open(accountId: string, ticket: NewTicket, author: string): Promise<Ticket>;
  /** Staff begin the conversation; the customer is notified, and the ticket waits for their answer. */
  openFor(accountId: string, ticket: Pick<NewTicket, 'category' | 'subject' | 'text'>, actor: string): Promise<Ticket>;
  /** `accountId` undefined: staff are reading. Reading marks the messages as read. */
  read(id: string, accountId: string | undefined): Promise<{ ticket: Ticket; messages: TicketMessage[] }>;
  write(
    id: string,
    from: { accountId: string | undefined; author: string },
    message: { text: string; attachments?: AttachmentInput[] | undefined; close?: boolean | undefined },
  ): Promise<void>;
  close(id: string, accountId: string | undefined, author: string): Promise<void>;
  decide(id: string, approve: boolean, text: string | undefined, actor: string): Promise<void>;
  list(
    filter: { accountId?: string | undefined; state?: TicketState | undefined },
    page: PageRequest,
  ): Promise<Page<Ticket>>;
  /** Of one account, or of all accounts. */
  countOpen(accountId?: string): Promise<number>;
  /** Assigns the ticket to a member of staff, or to nobody. */
  assign(id: string, personId: string | null): Promise<void>;
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
  accounts: Pick<AccountService, 'updateWithin'>;
  notices: Pick<Notices, 'raise'>;
}

/** A time before every message. */
const NEVER = new Date(0);

export function createTickets(options: TicketsOptions): Tickets {
  const { db, clock } = options;
  return {
    open: (accountId, { category, subject, text, requestIds = [], attachments = [], wish }, author) =>
      db.transaction(async (tx) => {
        const files = readAttachments(attachments);
        await refuseFlood(tx, accountId, clock.now(), files);
        // Checked here already, not only when somebody approves it.
        if (wish) checkLimitRequest(wish.rules);
        const now = new Date(clock.now());
        const id = makeId('tkt', now.getTime(), options.randomBytes);
        await rows.insertTicket(tx, { id, accountId, category, subject: subject.trim(), requestIds, wish }, now);
        await addMessage(options, tx, id, { side: 'customer', author, text }, files);
        await tellStaff(options, tx, { event: 'ticket.opened', occasion: id }, { id, subject });
        await tellTicket(options, tx, accountId, id);
        return findTicket(tx, id, accountId);
      }),
    openFor: (accountId, { category, subject, text }, actor) =>
      db.transaction(async (tx) => {
        const now = new Date(clock.now());
        const id = makeId('tkt', now.getTime(), options.randomBytes);
        await rows.insertTicket(tx, { id, accountId, category, subject: subject.trim(), requestIds: [] }, now, NEVER);
        await addMessage(options, tx, id, { side: 'staff', author: actor, text });
        await rows.setState(tx, now, id, 'answered');
        await createChangeRecorder(options, 'ticket')(tx, actor, 'ticket.open', id, { account_id: accountId, subject });
        const ticket = await findTicket(tx, id, accountId);
        await tellCustomer(options, tx, ticket);
        await tellTicket(options, tx, accountId, id);
        return ticket;
      }),
    read: (id, accountId) =>
      db.transaction(async (tx) => {
        const ticket = await findTicket(tx, id, accountId);
        const messages = await readMessages(
          tx,
          id,
          accountId === undefined ? 'staff' : 'customer',
          new Date(clock.now()),
        );
        return { ticket, messages };
      }),
    write: (id, { accountId, author }, { text, attachments = [], close }) =>
      db.transaction(async (tx) => {
        const ticket = await findTicket(tx, id, accountId);
        const files = readAttachments(attachments);
        if (accountId !== undefined) await refuseFlood(tx, accountId, clock.now(), files);
        const side = accountId === undefined ? 'staff' : 'customer';
        await addMessage(options, tx, id, { side, author, text }, files);
        await rows.setState(tx, new Date(clock.now()), id, close ? 'closed' : side === 'staff' ? 'answered' : 'open');
        if (side === 'staff') await tellCustomer(options, tx, ticket);
        else await tellReplied(options, tx, ticket);
        await tellTicket(options, tx, ticket.accountId, id);
      }),
    close: (id, accountId, author) =>
      db.transaction(async (tx) => {
        const ticket = await findTicket(tx, id, accountId);
        await rows.setState(tx, new Date(clock.now()), id, 'closed');
        await addMessage(options, tx, id, { side: 'system', author, text: 'closed' });
        await tellTicket(options, tx, ticket.accountId, id);
      }),
    decide: (id, approve, text, actor) => decide(options, { id, approve, text, actor }),
    async list({ accountId, state }, page) {
      const start = startOfPage(page) ?? refuseCursor();
      const tickets = await rows.selectTickets(db, { accountId, state }, start);
      return toPage(tickets, start, ({ updatedAt, id }) => ({ time: updatedAt, id }));
    },
    countOpen: (accountId) => rows.countOpenTickets(db, accountId),
    assign: (id, personId) =>
      db.transaction(async (tx) => {
        const ticket = await findTicket(tx, id, undefined);
        await rows.ASSIGN_TICKET.run(tx, [id, personId]);
        await tellTicket(options, tx, ticket.accountId, id);
      }),
    async attachment(ticketId, id, accountId) {
      await findTicket(db, ticketId, accountId);
      return (await rows.selectAttachment(db, ticketId, id)) ?? noSuch('attachment', id);
    },
  };
}

interface Decision {
  id: string;
  approve: boolean;
  text: string | undefined;
  actor: string;
}

async function decide(options: TicketsOptions, { id, approve, text, actor }: Decision): Promise<void> {
  const { db, clock } = options;
  const changed = createChangeRecorder(options, 'ticket');
  await db.transaction(async (tx) => {
    const found = await findTicket(tx, id, undefined);
    const asked = await rows.DECIDE_LIMIT_REQUEST.first(tx, [id, approve ? 'approved' : 'declined']);
    if (!asked) throw new GatewayError('conflict', { reason: supportReasons.nothingAsked });
    await changed(tx, actor, approve ? 'ticket.approve' : 'ticket.decline', id, { wish: found.wish });
    const words = approve ? 'approved' : 'declined';
    await addMessage(options, tx, id, {
      side: text === undefined ? 'system' : 'staff',
      author: actor,
      text: text ?? words,
    });
    await rows.setState(tx, new Date(clock.now()), id, 'answered');
    await tellCustomer(options, tx, found);
    await tellTicket(options, tx, found.accountId, id);
    // In the same transaction as the approval, so that a limit request is never approved without its limits being set.
    if (approve)
      await options.accounts.updateWithin(
        tx,
        found.accountId,
        { rules: found.wish?.['rules'] ?? {}, reason: text ?? `${found.subject} (${id})` },
        actor,
      );
  });
}

async function tellStaff(
  { notices }: TicketsOptions,
  tx: Queryable,
  news: { event: 'ticket.opened' | 'ticket.replied'; occasion: string },
  { id, subject }: Pick<Ticket, 'id' | 'subject'>,
): Promise<void> {
  const link = `/operator/tickets/${id}`;
  await notices.raise({ accountId: STAFF_ONLY, ...news, data: { ticket: id, subject }, link }, tx);
}

/** Staff are told of an open ticket once, and again only after they answered it or it was closed. */
async function tellReplied(options: TicketsOptions, tx: Queryable, ticket: Ticket): Promise<void> {
  if (ticket.state === 'open') return;
  // Named after the answer that it follows, so that two messages at once are one reply.
  const occasion = `${ticket.id}:${ticket.updatedAt.getTime()}`;
  await tellStaff(options, tx, { event: 'ticket.replied', occasion }, ticket);
}

/** Updates the conversation in open pages of both sides. */
function tellTicket({ db }: TicketsOptions, tx: Queryable, accountId: string, id: string): Promise<void> {
  return tellChange(db, tx, accountId, { what: 'tickets', id });
}

async function tellCustomer({ notices, clock }: TicketsOptions, tx: Queryable, ticket: Ticket): Promise<void> {
  const news = {
    accountId: ticket.accountId,
    event: 'ticket.answered' as const,
    occasion: `${ticket.id}:${clock.now()}`,
    data: { ticket: ticket.id, subject: ticket.subject },
    link: `/console/tickets/${ticket.id}`,
  };
  await notices.raise(news, tx);
}
