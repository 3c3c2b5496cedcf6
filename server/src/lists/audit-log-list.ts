/** The audit log for staff: by person, act, subject, account and time. */
import type { Clock } from '../core/clock.ts';
import type { AuditLogEntry } from '../platform/audit-log.ts';
import { adder } from '../platform/db/conditions.ts';
import type { Database } from '../platform/db/index.ts';
import { type Filtered, type ListPlace, noFilter, TimedList } from './timed-list.ts';
import type { Walked } from './walk.ts';

export interface AuditLogFilter {
  subject?: string | undefined;
  /** As in the log, for example `staff:per_…` or `operator`. */
  actor?: string | undefined;
  action?: string | undefined;
  accountId?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
}

export class AuditLogList {
  readonly #list: TimedList<AuditLogEntry, AuditLogEntry>;

  constructor(tools: { db: Database; clock: Clock }) {
    this.#list = new TimedList<AuditLogEntry, AuditLogEntry>(tools, {
      table: 'admin_event',
      columns: `id, at, actor, (select name from person where person.id = split_part(actor, ':', 2)) as actor_name, action, subject, detail`,
      time: 'at',
      read: (row) => row,
      place: ({ at, id }) => ({ time: at, id }),
    });
  }

  page(filter: AuditLogFilter, place: ListPlace): Promise<Walked<AuditLogEntry>> {
    return this.#list.page(conditionsOf(filter), place);
  }

  count(filter: AuditLogFilter, max: number): Promise<number | null> {
    return this.#list.count(conditionsOf(filter), max);
  }
}

/** Subject, person and act have indexes, and one of them leads. Entries of an account include those of its keys. */
function conditionsOf({ subject, actor, action, accountId, from, to }: AuditLogFilter): Filtered {
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
