export { Conformance, type RunInput } from './conformance.ts';
export type { ConformanceResult, ConformanceRun, HistoryEntry } from './conformance-rows.ts';
export type { ProbedAnswer } from './verdict.ts';
