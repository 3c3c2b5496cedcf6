/** The conversation of a ticket: who may read it, what is added to it, and how much an account may write. */

import { HOUR_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { noSuch } from '../keys/index.ts';
import { lockUntilCommit, type Queryable } from '../platform/db/index.ts';
import type { ReadAttachment } from './attachments.ts';
import { supportReasons } from './reasons.ts';
import type { Ticket, TicketMessage, TicketSide } from './ticket-rows.ts';
import * as rows from './ticket-rows.ts';

/** Messages of one account in an hour; more is a script. */
const MAX_PER_HOUR = 30;
const MEGABYTE = 1024 * 1024;
/** The limit for all files that one account ever sent, because they are in the database and in every backup. */
const MAX_ATTACHED_MB = 200;

export async function findTicket(tx: Queryable, id: string, accountId: string | undefined): Promise<Ticket> {
  const ticket = await rows.TICKET_BY_ID.first(tx, [id]);
  // A ticket of another account is answered as if it did not exist.
  if (!ticket || (accountId !== undefined && ticket.accountId !== accountId)) return noSuch('ticket', id);
  return ticket;
}

export async function addMessage(
  { clock, randomBytes }: { clock: Clock; randomBytes: RandomBytes },
  tx: Queryable,
  ticketId: string,
  { side, author, text }: { side: TicketSide; author: string; text: string },
  attachments: readonly ReadAttachment[] = [],
): Promise<void> {
  const now = new Date(clock.now());
  const id = makeId('msg', now.getTime(), randomBytes);
  await rows.INSERT_MESSAGE.run(tx, [id, ticketId, side, author, text, now]);
  for (const { name, type, data } of attachments)
    await rows.INSERT_ATTACHMENT.run(tx, [makeId('att', now.getTime(), randomBytes), id, name, type, data]);
}

/** All messages of a ticket; they are marked as read by the side that asks. */
export async function readMessages(
  tx: Queryable,
  id: string,
  side: 'customer' | 'staff',
  now: Date,
): Promise<TicketMessage[]> {
  await rows.MARK_READ_BY[side].run(tx, [id, now]);
  return rows.MESSAGES_OF_TICKET.rows(tx, [id]);
}

/**
 * Refuses a message or file beyond the account's limits. Messages of an account wait for each other, so that each
 * counts those before it.
 */
export async function refuseFlood(
  tx: Queryable,
  accountId: string,
  nowMs: number,
  attachments: readonly ReadAttachment[],
): Promise<void> {
  await lockUntilCommit(tx, `ticket messages of ${accountId}`);
  const { n } = await rows.COUNT_MESSAGES_SINCE.only(tx, [accountId, new Date(nowMs - HOUR_MS)]);
  if (Number(n) >= MAX_PER_HOUR) throw new GatewayError('rate_limited', { retryAfterMs: HOUR_MS / 6 });
  if (attachments.length > 0) await refuseTooMuch(tx, accountId, attachments);
}

async function refuseTooMuch(tx: Queryable, accountId: string, attachments: readonly ReadAttachment[]): Promise<void> {
  const { bytes } = await rows.ATTACHED_BYTES.only(tx, [accountId]);
  const added = attachments.reduce((sum, { data }) => sum + data.length, 0);
  if (Number(bytes) + added > MAX_ATTACHED_MB * MEGABYTE)
    throw invalidRequest('attachments', supportReasons.tooMuchAttached(MAX_ATTACHED_MB));
}
