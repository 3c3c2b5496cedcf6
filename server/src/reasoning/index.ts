export { createReasoningRates, type KeptRates } from './kept-rates.ts';
export type { ReasoningRates } from './rates.ts';
