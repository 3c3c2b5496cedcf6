/** Lists of many rows: filters without an index, views that people save, exports in the background, figures of accounts. */
export { AccountFigures } from './account-figures.ts';
export { type AuditLogFilter, AuditLogList } from './audit-log-list.ts';
export type { ExportJob } from './export-rows.ts';
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
export {
  cutPage,
  type Filtered,
  type ListPlace,
  noFilter,
  reportOn,
  TimedList,
} from './timed-list.ts';
export { stepSizes, type Walked, type WalkStep, walk } from './walk.ts';
