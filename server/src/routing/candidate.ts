/** A target that a plan may use, with what is known about it at this moment. */
import type { TargetFacts } from './health.ts';
import type { Target } from './target.ts';

export interface Candidate {
  target: Target;
  facts: TargetFacts;
  /** Position of its model in the caller's list. */
  modelRank: number;
  sticky: boolean;
}
