export type { SharedBounds } from './purge.ts';
export type { Claimant } from './rows.ts';
export type { SharedAnswer } from './shared-answer.ts';
export { type Claimed, openSharedClaims, type SharedClaims } from './shared-claims.ts';
