export { type CutOverOptions, type CutOverResult, cutOver } from './cut-over.ts';
export * from './events.ts';
