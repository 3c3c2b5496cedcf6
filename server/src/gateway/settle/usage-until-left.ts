/** The usage that a provider reported after the client had left, without what was generated after that moment. */
import { completionTokens, type Usage } from '../../core/usage.ts';

export interface Leaving {
  /** Our own counts of what was shown before that moment and what came after. */
  shownBefore: number;
  shownAfter: number;
  /** The share of all reasoning that was done by then. */
  thoughtShare: number;
}

export function usageUntilLeft(reported: Usage, { shownBefore, shownAfter, thoughtShare }: Leaving): Usage {
  if (shownAfter === 0 && thoughtShare === 1) return reported;
  const shown = shownBefore + shownAfter;
  const shownShare = shown === 0 ? thoughtShare : shownBefore / shown;
  const { buckets } = reported;
  const until: Usage['buckets'] = { ...buckets };
  if (buckets.audioOutput !== undefined) until.audioOutput = Math.round(buckets.audioOutput * shownShare);
  if (buckets.reasoning !== undefined) until.reasoning = Math.round(buckets.reasoning * thoughtShare);
  if (buckets.output !== undefined) {
    // Where reasoning is reported apart, the rest was shown. Anthropic reports one sum: what was not shown is
    // reasoning.
    const thought = buckets.reasoning === undefined ? Math.max(0, buckets.output - shown) : 0;
    until.output = Math.round((buckets.output - thought) * shownShare + thought * thoughtShare);
  }
  return { ...reported, buckets: until, source: 'estimated' };
}

/** How much of the reported output was reasoning, given how much of the answer itself was seen. */
export function reportedThought(usage: Usage, answered: number): number {
  return usage.buckets.reasoning ?? Math.max(0, completionTokens(usage) - answered);
}
