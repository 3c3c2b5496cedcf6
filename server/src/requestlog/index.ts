export type * from './record.ts';
export {
  decodeOpening,
  decodeRecord,
  encodeOpening,
  encodeRecord,
  killedRecord,
  recordOf,
  withoutDetail,
} from './record-text.ts';
