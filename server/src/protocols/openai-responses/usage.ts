/** The `usage` object of this protocol; its details are always there, as the SDKs expect. Reading it is the chat protocol's. */
import type { Json, JsonObject } from '../../core/json.ts';
import { toTomanNumber } from '../../core/money.ts';
import { completionTokens, promptTokens, type Usage } from '../../core/usage.ts';
import { decodeUsage as decodeChatUsage } from '../openai-chat/usage.ts';
import type { AnswerClosing } from '../protocol.ts';

/** Zero cache writes stand in every answer, also of models that have no cache; a bucket for them says nothing. */
export function decodeUsage(wire: Json | undefined): Usage | undefined {
  const usage = decodeChatUsage(wire);
  if (usage?.buckets.cacheWrite5m === 0) delete usage.buckets.cacheWrite5m;
  return usage;
}

export function encodeUsage({ usage, cost }: Pick<AnswerClosing, 'usage' | 'cost'>): JsonObject {
  const { buckets } = usage;
  const input = promptTokens(usage);
  const output = completionTokens(usage);
  const written = (buckets.cacheWrite5m ?? 0) + (buckets.cacheWrite1h ?? 0);
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: buckets.cacheRead ?? 0,
      cache_write_tokens: written,
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: buckets.reasoning ?? 0 },
    total_tokens: input + output,
    cost: toTomanNumber(cost),
    ...(usage.source === 'estimated' && { estimated: true }),
  };
}
