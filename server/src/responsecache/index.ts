/** Answers that equal requests of the same account are given again, in this process and over replicas (ADR 0070). */
export type { CacheBounds, ClaimedAnswer, ResponseCache } from './response-cache.ts';
export { createResponseCache } from './shared-answers.ts';
