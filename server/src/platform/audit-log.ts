/** Records who changed what, in the transaction of the change, so that no change lacks its entry. */

import { type AuditLogAct, STAFF_ONLY_ACTS } from '@dargah/core/admin-acts.ts';
import type { Clock } from '../core/clock.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import {
  type AuditLogEntry,
  ENTRIES_OF_ACCOUNT,
  type HistoryReader,
  INSERT_AUDIT_LOG_ENTRY,
} from './audit-log-rows.ts';
import type { Database, Queryable } from './db/database.ts';
import { type Page, type PageStart, toPage } from './db/pages.ts';

export { type AuditLogEntry, entryRow, type HistoryReader } from './audit-log-rows.ts';

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
    await INSERT_AUDIT_LOG_ENTRY.run(tx, [
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

/** Newest first; what concerns one account: the account itself, its keys, its members. */
export async function listAuditLogOfAccount(
  db: Queryable,
  start: PageStart,
  accountId: string,
  reader: HistoryReader,
): Promise<Page<AuditLogEntry>> {
  const rows = await ENTRIES_OF_ACCOUNT(reader).rows(db, [
    accountId,
    start.time,
    start.id,
    start.fetch,
    reader === 'staff' ? [] : STAFF_ONLY_ACTS,
  ]);
  return toPage(rows, start, ({ at, id }) => ({ time: at, id }));
}
