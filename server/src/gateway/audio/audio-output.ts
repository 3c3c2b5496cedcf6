/** Estimates and outputs of audio, in the form that admission and settlement use. */
import type { Model } from '../../catalog/index.ts';
import { costOf } from '../../core/price.ts';
import { promptTokens, totalTokens, type Usage } from '../../core/usage.ts';
import { pricedByTokens } from '../../protocols/index.ts';
import { type Estimate, knownPrice } from '../admit/estimate.ts';
import type { RequestOutput } from '../settle/request-output.ts';

export function estimateAudio(model: Model, usage: Usage): Estimate {
  const want = costOf(model.price, usage);
  const byTokens = pricedByTokens(model.price);
  const inputTokens = byTokens ? promptTokens(usage) : 0;
  const outputTokens = byTokens ? totalTokens(usage) - inputTokens : 0;
  return { ...knownPrice({ inputTokens, likelyInput: inputTokens, outputTokens }, want), inputUsage: usage };
}

export interface AudioOutput {
  /** The provider marked the end. */
  finished: boolean;
  /** Some of it was sent to the client. */
  delivered: boolean;
  usage: Usage;
}

export function audioOutputOf({ finished, delivered, usage }: AudioOutput): RequestOutput {
  return {
    finishSeen: finished,
    generated: delivered,
    delivered,
    reported: usage.source === 'upstream' ? usage : undefined,
    counted: () => usage,
  };
}
