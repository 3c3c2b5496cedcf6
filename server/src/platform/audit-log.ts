/** Who changed what, written in the transaction that changed it: a change without its trace cannot happen. */

import type { AuditLogAct } from '@dargah/core/admin-acts.ts';
import type { Clock } from '../core/clock.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import type { Database, Queryable } from './db/database.ts';
import { type Page, type PageStart, toPage } from './db/pages.ts';

export interface AuditLogEntry {
  id: string;
  at: Date;
  /** `operator`, `config`, `startup`, `staff:per_…`, `person:per_…`, `management-key:mk_…`, `operator-token:opt_…`, … */
  actor: string;
  /** What the person is called; null for programs and for people who are not to be named to the reader. */
  actor_name: string | null;
  action: AuditLogAct;
  /** Id of what was changed. */
  subject: string;
  detail: JsonObject;
}

/** Tells every replica of a change and writes its audit log entry, both inside the transaction that makes the change. */
export type RecordChange = (
  tx: Queryable,
  actor: string,
  action: AuditLogAct,
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

/**
 * What a change made different, field by field and by path: `{before: {'caps.daily': '5'}, after: {'caps.daily': '9'}}`.
 * Fields that only one side has are null on the other. Never give it a secret: the audit log is shown.
 */
export function difference(before: JsonObject, after: JsonObject): { before: JsonObject; after: JsonObject } {
  const [was, is] = [flatten(before), flatten(after)];
  const changed = [...new Set([...was.keys(), ...is.keys()])].filter(
    (path) => JSON.stringify(was.get(path) ?? null) !== JSON.stringify(is.get(path) ?? null),
  );
  const only = (side: Map<string, Json>) => Object.fromEntries(changed.map((path) => [path, side.get(path) ?? null]));
  return { before: only(was), after: only(is) };
}

function flatten(value: JsonObject, prefix = ''): Map<string, Json> {
  return new Map(
    Object.entries(value).flatMap(([name, inner]): [string, Json][] =>
      isJsonObject(inner) ? [...flatten(inner, `${prefix}${name}.`)] : [[`${prefix}${name}`, inner ?? null]],
    ),
  );
}

/** Newest first; what concerns one account: the account itself, its keys, its members. The operator's staff stay unnamed. */
export async function listAuditLogOfAccount(
  db: Queryable,
  start: PageStart,
  accountId: string,
): Promise<Page<AuditLogEntry>> {
  const rows = await db.query<AuditLogEntry>(
    `select e.id, e.at, e.actor, p.name as actor_name, e.action, e.subject, e.detail
       from admin_event e left join person p on e.actor = 'person:' || p.id
      where (e.subject = $1 or e.detail->>'account_id' = $1
             or e.subject in (select id from api_key where account_id = $1))
        and ($2::timestamptz is null or (e.at, e.id) < ($2, $3))
      order by e.at desc, e.id desc limit $4`,
    [accountId, start.time, start.id, start.fetch],
  );
  return toPage(rows, start, ({ at, id }) => ({ time: at, id }));
}
