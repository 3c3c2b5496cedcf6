/** Lists of many rows: filters without an index, views that people save, exports in the background, figures of accounts. */
export { AccountFigures } from './account-figures.ts';
export { AuditLogList } from './audit-log-list.ts';
export type { AuditLogFilter } from './audit-log-list-rows.ts';
export { EXPORTS_WAITING, type ExportJob } from './export-rows.ts';
export {
  createExports,
  EXPORT_LIFETIME_MS,
  type ExportableList,
  type Exports,
  type ExportsOptions,
} from './exports.ts';
export { listReasons } from './reasons.ts';
export type { SavedView } from './saved-view-rows.ts';
export { createSavedViews, type SavedViews } from './saved-views.ts';
export { cutPage, type ListPlace, reportOn, TimedList } from './timed-list.ts';
export { type Filtered, listedTable, noFilter } from './timed-list-sql.ts';
export { stepSizes, type Walked, type WalkStep, walk } from './walk.ts';
