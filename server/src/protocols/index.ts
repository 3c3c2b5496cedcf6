export type * from './protocol.ts';
export { isFailure } from './protocol.ts';
