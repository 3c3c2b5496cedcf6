export type { Claimant } from './claims/claim-rows.ts';
export type { SharedBounds } from './claims/purge.ts';
export type { SharedAnswer } from './claims/shared-answer.ts';
export { type Claimed, openSharedClaims, type SharedClaims } from './claims/shared-claims.ts';
