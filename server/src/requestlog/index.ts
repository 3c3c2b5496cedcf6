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
  isRecordText,
  killedRecord,
  OPENING_COLUMNS,
  RECORD_PARTS,
  type RecordColumn,
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
