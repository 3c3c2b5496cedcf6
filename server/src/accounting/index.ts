export { requireCovered } from './covered.ts';
export { type CutOverOptions, type CutOverResult, cutOver } from './cut-over.ts';
export * from './events.ts';
