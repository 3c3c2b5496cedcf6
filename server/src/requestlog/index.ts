export { readAccountActivity } from './account-activity.ts';
export { type ArchivedDays, createArchivedDays } from './archive/archived-days.ts';
export { withArchive } from './archive/archived-log.ts';
export { openClickHouseArchive } from './archive/clickhouse-archive.ts';
export { createDatabaseArchive } from './archive/database-archive.ts';
export type { LogArchive } from './archive/log-archive.ts';
export { createArchiveMover, forgetArchivedDays } from './archive/move-day.ts';
export { costFactsOf, unsoldCosts } from './attempt-costs.ts';
export { begunRequest } from './begun-request.ts';
export { completedAmong } from './completed.ts';
export { FOCUS_HEAD, focusLine } from './focus-columns.ts';
export { dropOldPartitions, preparePartitions } from './partitions.ts';
export { customerReceipt, operatorReceipt } from './receipt.ts';
export type * from './record.ts';
export {
  RECORD,
  type RequestRecord,
  type StartRecord,
  type WrittenRequest,
} from './record-columns.ts';
export { LINES_AS_BATCH, LOG_COLUMNS, LOG_VALUES, REPLACED_COLUMNS } from './record-sql.ts';
export {
  createdAtOf,
  decodeRecord,
  encodeRecord,
  idOf,
  killedRecord,
  ownText,
  withoutDetail,
} from './record-text.ts';
export type { RequestFilter, WideFilter } from './request-filter.ts';
export { RequestList, type RequestSort } from './request-list.ts';
export { spentSql } from './spent-sql.ts';
export {
  createRequestLog,
  type RequestLog,
  type UsageDay,
} from './store.ts';
export { createRequestTexts, MAX_KEPT_CHARACTERS, type RequestTexts } from './texts.ts';
export { createUsageReports, type KeyCharges, type UsageReports } from './usage.ts';
export { createUsageLines, type UsageLines } from './usage-export.ts';
export { NO_USAGE, type UsageLine, type UsageSum } from './usage-sums.ts';
