export type { Approval } from './approvals.ts';
export {
  type CostCorrection,
  type CostCorrections,
  correctionView,
  createCostCorrections,
} from './cost-corrections.ts';
export { type CostTasks, type CostTasksOptions, costTasks } from './cost-tasks.ts';
export { requireCovered } from './covered.ts';
export { type CreditByHand, createCreditByHand, type Given } from './credit-by-hand.ts';
export { type CreditLimits, checkLimits, type LimitPair } from './credit-limits.ts';
export { type CutOverOptions, type CutOverResult, cutOver } from './cut-over.ts';
export * from './events.ts';
export { endGifts } from './gift-ends.ts';
export { type HandAct, handAct } from './hand-act.ts';
export type { HandEntry } from './hand-entries.ts';
