/** `usageMetadata` in disjoint buckets. Google counts cached tokens inside the prompt and thoughts outside the answer. */
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';

export function readUsage(metadata: JsonObject): Usage {
  const prompt = count(metadata['promptTokenCount']);
  const toolPrompt = count(metadata['toolUsePromptTokenCount']);
  const cached = count(metadata['cachedContentTokenCount']);
  const thoughts = count(metadata['thoughtsTokenCount']);
  const buckets: Usage['buckets'] = {};
  if (prompt !== undefined || toolPrompt !== undefined) {
    let fresh = (prompt ?? 0) + (toolPrompt ?? 0);
    const take = (wanted: number): number => {
      const taken = Math.min(fresh, Math.max(0, wanted));
      fresh -= taken;
      return taken;
    };
    if (cached !== undefined) buckets.cacheRead = take(cached);
    // The details repeat the cached tokens of their kind; those are counted above already.
    const audio = take(freshOf('AUDIO', metadata));
    const image = take(freshOf('IMAGE', metadata));
    if (audio > 0) buckets.audioInput = audio;
    if (image > 0) buckets.imageInput = image;
    buckets.inputFresh = fresh;
  }
  if (thoughts !== undefined) buckets.reasoning = thoughts;
  const output = outputTokens(metadata, (prompt ?? 0) + (toolPrompt ?? 0) + (thoughts ?? 0));
  if (output !== undefined) {
    const audio = Math.min(output, tokensOf('AUDIO', metadata['candidatesTokensDetails']));
    if (audio > 0) buckets.audioOutput = audio;
    buckets.output = output - audio;
  }
  return { buckets, source: 'upstream', raw: metadata };
}

/** The count is left out when nothing was said, and sometimes when something was: the total then still tells. */
function outputTokens(metadata: JsonObject, others: number): number | undefined {
  const candidates = count(metadata['candidatesTokenCount']);
  if (candidates !== undefined) return candidates;
  const total = count(metadata['totalTokenCount']);
  return total === undefined ? undefined : Math.max(0, total - others);
}

function freshOf(modality: string, metadata: JsonObject): number {
  return tokensOf(modality, metadata['promptTokensDetails']) - tokensOf(modality, metadata['cacheTokensDetails']);
}

function tokensOf(modality: string, details: Json | undefined): number {
  if (!Array.isArray(details)) return 0;
  let sum = 0;
  for (const entry of details) {
    if (isJsonObject(entry) && entry['modality'] === modality) sum += count(entry['tokenCount']) ?? 0;
  }
  return sum;
}

function count(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.trunc(value) : undefined;
}
