/** Who changed what, written in the transaction that changed it: a change without its trace cannot happen. */

import { type AuditLogAct, STAFF_ONLY_ACTS } from '@dargah/core/admin-acts.ts';
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

/** Who reads what happened to an account. Its own people do not read what staff write for each other, nor who of staff did something. */
export type HistoryReader = 'customer' | 'staff';

/** One row more than is shown, of each place where entries of an account stand: each is found by an index of its own. */
const OF_ACCOUNT = `
  (select id from admin_event e where e.subject = $1 and __BEFORE__ order by e.at desc, e.id desc limit $4)
  union (select id from admin_event e where e.detail->>'account_id' = $1 and __BEFORE__ order by e.at desc, e.id desc limit $4)
  union (select found.id from api_key k cross join lateral (
    select e.id from admin_event e where e.subject = k.id and __BEFORE__ order by e.at desc, e.id desc limit $4
  ) found where k.account_id = $1)`.replaceAll(
  '__BEFORE__',
  '($2::timestamptz is null or (e.at, e.id) < ($2, $3)) and e.action <> all($5::text[])',
);

/** Newest first; what concerns one account: the account itself, its keys, its members. */
export async function listAuditLogOfAccount(
  db: Queryable,
  start: PageStart,
  accountId: string,
  reader: HistoryReader,
): Promise<Page<AuditLogEntry>> {
  const actorName = reader === 'staff' ? `p.id = split_part(e.actor, ':', 2)` : `e.actor = 'person:' || p.id`;
  const rows = await db.query<AuditLogEntry>(
    `select e.id, e.at, e.actor, p.name as actor_name, e.action, e.subject, e.detail
       from admin_event e left join person p on ${actorName}
      where e.id in (${OF_ACCOUNT}) order by e.at desc, e.id desc limit $4`,
    [accountId, start.time, start.id, start.fetch, reader === 'staff' ? [] : STAFF_ONLY_ACTS],
  );
  return toPage(rows, start, ({ at, id }) => ({ time: at, id }));
}
