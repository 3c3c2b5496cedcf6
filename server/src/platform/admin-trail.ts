/** Who changed what, written in the transaction that changed it: a change without its trace cannot happen. */
import type { JsonObject } from '../core/json.ts';
import type { Queryable } from './db/database.ts';
import { type Page, type PageStart, toPage } from './db/pages.ts';

export interface AdminEvent {
  id: string;
  at: Date;
  /** `operator`, `config`, `cli`, a user's id, … */
  actor: string;
  /** `key.create`, `account.update`, … */
  action: string;
  /** Id of what was changed. */
  subject: string;
  detail: JsonObject;
}

export async function recordAdminEvent(tx: Queryable, event: AdminEvent): Promise<void> {
  await tx.query('insert into admin_event (id, at, actor, action, subject, detail) values ($1, $2, $3, $4, $5, $6)', [
    event.id,
    event.at,
    event.actor,
    event.action,
    event.subject,
    event.detail,
  ]);
}

/** Newest first; of one subject, or of all. */
export async function listAdminEvents(db: Queryable, start: PageStart, subject?: string): Promise<Page<AdminEvent>> {
  const rows = await db.query<AdminEvent>(
    `select id, at, actor, action, subject, detail from admin_event
      where ($1::text is null or subject = $1) and ($2::timestamptz is null or (at, id) < ($2, $3))
      order by at desc, id desc limit $4`,
    [subject ?? null, start.time, start.id, start.fetch],
  );
  return toPage(rows, start, ({ at, id }) => ({ time: at, id }));
}
