/** Who changed what, written in the transaction that changed it: a change without its trace cannot happen. */
import type { Clock } from '../core/clock.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { Database, Queryable } from './db/database.ts';
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

/** Tells every replica of a change and writes its trail, both inside the transaction that makes the change. */
export type RecordChange = (
  tx: Queryable,
  actor: string,
  action: string,
  subject: string,
  detail: JsonObject,
) => Promise<void>;

export interface ChangeRecorderOptions {
  db: Pick<Database, 'publish'>;
  clock: Clock;
  randomBytes: RandomBytes;
}

/** `topic` is what subscribers of the database listen to: `key`, `account`, … */
export function createChangeRecorder({ db, clock, randomBytes }: ChangeRecorderOptions, topic: string): RecordChange {
  return async (tx, actor, action, subject, detail) => {
    await db.publish(tx, topic, subject);
    const nowMs = clock.now();
    await tx.query('insert into admin_event (id, at, actor, action, subject, detail) values ($1, $2, $3, $4, $5, $6)', [
      makeId('evt', nowMs, randomBytes),
      new Date(nowMs),
      actor,
      action,
      subject,
      detail,
    ]);
  };
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

/** Newest first; what concerns one account: the account itself, its keys, its members. */
export async function listAccountEvents(db: Queryable, start: PageStart, accountId: string): Promise<Page<AdminEvent>> {
  const rows = await db.query<AdminEvent>(
    `select id, at, actor, action, subject, detail from admin_event
      where (subject = $1 or detail->>'account_id' = $1
             or subject in (select id from api_key where account_id = $1))
        and ($2::timestamptz is null or (at, id) < ($2, $3))
      order by at desc, id desc limit $4`,
    [accountId, start.time, start.id, start.fetch],
  );
  return toPage(rows, start, ({ at, id }) => ({ time: at, id }));
}
