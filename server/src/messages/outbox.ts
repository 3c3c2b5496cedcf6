/** What the sandbox messenger kept. */
import type { Queryable } from '../platform/db/index.ts';
import { type Page, type PageStart, toPage } from '../platform/db/pages.ts';
import type { MessageChannel } from './message.ts';

export interface OutboxMessage {
  id: string;
  at: Date;
  channel: MessageChannel;
  to: string;
  kind: string;
  subject: string | null;
  text: string;
}

export async function listOutbox(db: Queryable, start: PageStart): Promise<Page<OutboxMessage>> {
  const rows = await db.query<OutboxMessage>(
    `select id, at, channel, recipient as "to", kind, subject, text from outbox_message
      where ($1::timestamptz is null or (at, id) < ($1, $2)) order by at desc, id desc limit $3`,
    [start.time, start.id, start.fetch],
  );
  return toPage(rows, start, ({ at, id }) => ({ time: at, id }));
}
