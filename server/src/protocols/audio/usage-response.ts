/** The `usage` object of audio answers: the provider's own where there is one, ours in the same shape where not, and the cost. */
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { type Money, toTomanNumber } from '../../core/money.ts';
import { completionTokens, promptTokens, totalTokens, type Usage } from '../../core/usage.ts';

interface Charge {
  usage: Usage;
  cost: Money;
}

export function speechUsageResponse({ usage, cost }: Charge): JsonObject {
  const { characters } = usage.buckets;
  return {
    ...(isJsonObject(usage.raw) ? usage.raw : tokensOf(usage)),
    ...(characters !== undefined && { characters }),
    cost: toTomanNumber(cost),
  };
}

export function transcriptionUsageResponse({ usage, cost }: Charge): JsonObject {
  const { seconds } = usage.buckets;
  if (isJsonObject(usage.raw)) return { ...usage.raw, cost: toTomanNumber(cost) };
  if (totalTokens(usage) > 0) return { type: 'tokens', ...tokensOf(usage), cost: toTomanNumber(cost) };
  return { type: 'duration', seconds: seconds ?? 0, cost: toTomanNumber(cost) };
}

function tokensOf(usage: Usage): JsonObject {
  return {
    input_tokens: promptTokens(usage),
    output_tokens: completionTokens(usage),
    total_tokens: totalTokens(usage),
  };
}
