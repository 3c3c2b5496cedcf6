/** What the list of the audit log reads, and the conditions that its filter becomes. */
import { entryRow } from '../platform/audit-log.ts';
import { adder } from '../platform/db/conditions.ts';
import { column, orNull, readAs } from '../platform/db/index.ts';
import { type Filtered, listedTable, noFilter } from './timed-list-sql.ts';

export interface AuditLogFilter {
  subject?: string | undefined;
  /** As in the log: `staff:per_…`, `operator`. */
  actor?: string | undefined;
  action?: string | undefined;
  accountId?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
}

/** One of subject, person and act leads; what concerns an account is also what was done to its keys. */
export function conditionsOfAuditLog({ subject, actor, action, accountId, from, to }: AuditLogFilter): Filtered {
  const { indexed, others } = noFilter();
  const [byIndex, byLook] = [adder(indexed), adder(others)];
  const leading = subject !== undefined ? 'subject' : actor !== undefined ? 'actor' : 'action';
  byIndex('subject = ?', subject);
  (leading === 'actor' ? byIndex : byLook)('actor = ?', actor);
  (leading === 'action' ? byIndex : byLook)('action = ?', action);
  byIndex('at >= ?', from === undefined ? undefined : new Date(from));
  byIndex('at < ?', to === undefined ? undefined : new Date(to));
  if (accountId !== undefined) {
    others.parts.push(
      `(subject = § or detail ->> 'account_id' = § or subject in (select id from api_key where account_id = §))`,
    );
    others.values.push(accountId, accountId, accountId);
  }
  return { indexed, others };
}

export const LISTED_ENTRIES = listedTable(
  {
    table: 'admin_event',
    time: 'at',
    row: {
      ...entryRow,
      actor_name: readAs(`(select name from person where person.id = split_part(actor, ':', 2))`, orNull(column.text)),
    },
  },
  conditionsOfAuditLog({ subject: '', actor: '', action: '', accountId: '', from: 0, to: 0 }),
);
