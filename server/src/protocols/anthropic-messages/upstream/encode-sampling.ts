/** Sampling in the narrower terms of this protocol. A warning names everything left out. */
import type { Sampling } from '../../../core/chat.ts';
import { invalidRequest } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import { protocolReasons } from '../../reasons.ts';

export interface SamplingLimits {
  /** The model answers 400 to any of temperature, top_p, top_k. */
  rejected: boolean;
  /** Thinking excludes temperature and top_k, and a top_p below this. */
  thinking: boolean;
}

const MIN_TOP_P_WHILE_THINKING = 0.95;

export function encodeSampling(sampling: Sampling, limits: SamplingLimits, warnings: string[]): JsonObject {
  if (sampling.count !== undefined && sampling.count > 1) {
    throw invalidRequest('n', protocolReasons.oneAnswerOnly(sampling.count));
  }
  warnAboutUnknown(sampling, warnings);
  const stop = encodeStop(sampling.stop, warnings);
  return { ...(stop && { stop_sequences: stop }), ...encodeRandomness(sampling, limits, warnings) };
}

function encodeRandomness(
  { temperature, topP, topK }: Sampling,
  limits: SamplingLimits,
  warnings: string[],
): JsonObject {
  const drop = (field: string, why: string) => {
    warnings.push(`${field} dropped: ${why}`);
    return {};
  };
  const reason = limits.rejected ? 'the model does not accept it' : 'not compatible with thinking';
  const blocked = limits.rejected || limits.thinking;
  const wire: JsonObject = {};
  if (temperature !== undefined) {
    if (blocked && (limits.rejected || temperature !== 1)) drop('temperature', reason);
    else wire['temperature'] = Math.min(1, temperature);
    if (!blocked && temperature > 1) warnings.push('temperature lowered to 1: the highest the provider accepts');
  }
  if (topP !== undefined) {
    if (limits.rejected || (limits.thinking && topP < MIN_TOP_P_WHILE_THINKING)) drop('top_p', reason);
    // Newer models refuse both at once. A top_p of 1 has no effect, so it is dropped.
    else if (wire['temperature'] === undefined) wire['top_p'] = topP;
    else if (topP < 1) drop('top_p', 'the provider takes temperature or top_p, not both');
  }
  if (topK !== undefined) {
    if (blocked) drop('top_k', reason);
    else wire['top_k'] = topK;
  }
  return wire;
}

function warnAboutUnknown(sampling: Sampling, warnings: string[]): void {
  const { seed, presencePenalty, frequencyPenalty, logitBias, logprobs, topLogprobs } = sampling;
  const fields: [string, boolean][] = [
    ['seed', seed !== undefined],
    ['presence_penalty', Boolean(presencePenalty)],
    ['frequency_penalty', Boolean(frequencyPenalty)],
    ['logit_bias', logitBias !== undefined],
    ['logprobs', logprobs === true],
    ['top_logprobs', topLogprobs !== undefined],
  ];
  for (const [field, given] of fields) {
    if (given) warnings.push(`${field} dropped: the provider's API has no such field`);
  }
}

function encodeStop(stop: string[] | undefined, warnings: string[]): string[] | undefined {
  const usable = stop?.filter((sequence) => sequence.trim() !== '');
  if (usable?.length !== stop?.length) {
    warnings.push('stop dropped in part: the provider refuses sequences of white space alone');
  }
  return usable?.length ? usable : undefined;
}
