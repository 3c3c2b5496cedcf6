/**
 * `Idempotency-Key`. `answers/` keeps what this process answered and gives it again; `claims/` is what all replicas share:
 * who answers under a key, and what was answered.
 */
export { Idempotency } from './answers/idempotency.ts';
export { LAST_EVENT_ID, REPLAYED, RESUME_SECONDS } from './answers/recorded-answer.ts';
export type { Claimant } from './claims/claim-rows.ts';
export type { Claimed } from './claims/claimed.ts';
export { forgetClaims, type SharedBounds } from './claims/purge.ts';
export type { SharedAnswer } from './claims/shared-answer.ts';
export { openSharedClaims, type SharedClaims } from './claims/shared-claims.ts';
export { withIdempotency } from './with-idempotency.ts';
