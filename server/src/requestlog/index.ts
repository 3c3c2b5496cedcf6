export type * from './record.ts';
export { decodeOpening, decodeRecord, encodeOpening, encodeRecord, killedRecord, recordOf } from './record-text.ts';
