/** What the sandbox messenger kept. */
import type { Queryable } from '../platform/db/index.ts';
import { type Page, type PageStart, toPage } from '../platform/db/pages.ts';
import { KEPT_MESSAGES, type OutboxMessage } from './outbox-rows.ts';

export async function listOutbox(db: Queryable, start: PageStart): Promise<Page<OutboxMessage>> {
  const rows = await KEPT_MESSAGES.rows(db, [start.time, start.id, start.fetch]);
  return toPage(rows, start, ({ at, id }) => ({ time: at, id }));
}
