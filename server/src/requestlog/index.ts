export { closedRecord } from './closed-record.ts';
export { completedAmong } from './completed.ts';
export { dropOldPartitions, preparePartitions } from './partitions.ts';
export { customerReceipt, formulaText, operatorReceipt } from './receipt.ts';
export type * from './record.ts';
export {
  decodeOpening,
  decodeRecord,
  encodeOpening,
  encodeRecord,
  idOf,
  killedRecord,
  OPENING_COLUMNS,
  RECORD_COLUMNS,
  type RecordColumn,
  withoutDetail,
} from './record-text.ts';
export {
  createRequestLog,
  type RequestFilter,
  type RequestLog,
  type RequestLogOptions,
  type UsageDay,
} from './store.ts';
