/** The audit log for staff: by person, act, subject, account and time. */
import type { Clock } from '../core/clock.ts';
import type { AuditLogEntry } from '../platform/audit-log.ts';
import type { Database } from '../platform/db/index.ts';
import { type AuditLogFilter, conditionsOfAuditLog, LISTED_ENTRIES } from './audit-log-list-rows.ts';
import { type ListPlace, TimedList } from './timed-list.ts';
import type { Walked } from './walk.ts';

export class AuditLogList {
  readonly #list: TimedList<AuditLogEntry, AuditLogEntry>;

  constructor(tools: { db: Database; clock: Clock }) {
    this.#list = new TimedList<AuditLogEntry, AuditLogEntry>(tools, {
      table: LISTED_ENTRIES,
      read: (row) => row,
      place: ({ at, id }) => ({ time: at, id }),
    });
  }

  page(filter: AuditLogFilter, place: ListPlace): Promise<Walked<AuditLogEntry>> {
    return this.#list.page(conditionsOfAuditLog(filter), place);
  }

  count(filter: AuditLogFilter, max: number): Promise<number | null> {
    return this.#list.count(conditionsOfAuditLog(filter), max);
  }
}
