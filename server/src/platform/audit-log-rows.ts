/** Entries of the audit log in the database. */
import type { AuditLogAct } from '@dargah/core/admin-acts.ts';
import type { JsonObject } from '../core/json.ts';
import { column, command, orNull, type RowOf, statementFor } from './db/index.ts';

export const entryRow = {
  id: column.text,
  at: column.timestamp,
  /** `operator`, `config`, `startup`, `staff:per_…`, `person:per_…`, `management-key:mk_…`, `operator-token:opt_…`, … */
  actor: column.text,
  /** What the person is called; null for programs and for people who are not to be named to the reader. */
  actor_name: orNull(column.text),
  action: column.textOf<AuditLogAct>(),
  /** Id of what was changed. */
  subject: column.text,
  detail: column.jsonOf<JsonObject>(),
};
export type AuditLogEntry = RowOf<typeof entryRow>;

export const INSERT_AUDIT_LOG_ENTRY = command(
  'insert into admin_event (id, at, actor, action, subject, detail) values ($1, $2, $3, $4, $5, $6)',
);

/**
 * The readers of an account's history. Its own people see neither what staff write for each other, nor which member of
 * staff did something.
 */
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

export const ENTRIES_OF_ACCOUNT = statementFor(
  entryRow,
  (reader: HistoryReader) =>
    `select e.id, e.at, e.actor, p.name as actor_name, e.action, e.subject, e.detail
       from admin_event e left join person p on ${reader === 'staff' ? `p.id = split_part(e.actor, ':', 2)` : `e.actor = 'person:' || p.id`}
      where e.id in (${OF_ACCOUNT}) order by e.at desc, e.id desc limit $4`,
  ['staff'],
  ['customer'],
);
