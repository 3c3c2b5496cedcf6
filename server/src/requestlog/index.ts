export { completedAmong } from './completed.ts';
export { dropOldPartitions, preparePartitions } from './partitions.ts';
export {
  customerReceipt,
  FOR_CUSTOMER,
  FOR_OPERATOR,
  formulaText,
  operatorReceipt,
  type ShownColumn,
} from './receipt.ts';
export type * from './record.ts';
export {
  type EndedRequest,
  RECORD,
  type RequestClosing,
  type RequestOpening,
  type RequestRecord,
} from './record-columns.ts';
export { LINES_AS_BATCH, LOG_COLUMNS, REPLACED_COLUMNS } from './record-sql.ts';
export {
  createdAtOf,
  decodeRecord,
  encodeRecord,
  idOf,
  isRecordText,
  killedRecord,
  OWN_COLUMNS,
  SHARED_COLUMNS,
  SHARED_SEPARATOR,
  withoutDetail,
} from './record-text.ts';
export {
  createRequestLog,
  type RequestFilter,
  type RequestLog,
  type RequestLogOptions,
  type UsageDay,
} from './store.ts';
export { createRequestTexts, type KeptText, type RequestTexts, type TextToKeep } from './texts.ts';
export {
  createUsageReports,
  NO_USAGE,
  type UsageFilter,
  type UsageGrouping,
  type UsageReports,
  type UsageSum,
} from './usage.ts';
