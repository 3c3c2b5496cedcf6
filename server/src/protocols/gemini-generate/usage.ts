/** `usageMetadata` in disjoint buckets. Google counts cached tokens inside the prompt and thoughts outside the answer. */
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { toTomanNumber } from '../../core/money.ts';
import { type Bucket, completionTokens, emptyUsage, promptTokens, totalTokens, type Usage } from '../../core/usage.ts';
import type { AnswerClosing } from '../protocol.ts';

/**
 * The reports of one stream. Each repeats the counters, grown: the newest is true, their sum never. A report may leave
 * out counters that still hold, and after a search of its own the model starts some anew; the total tells which it was.
 */
export class StreamUsage {
  #latest: JsonObject = {};
  readonly #seen = new Set<Bucket>();

  add(metadata: JsonObject): Usage {
    const joined = { ...this.#latest, ...metadata };
    this.#latest = addsUp(joined) ? joined : metadata;
    const { buckets, ...usage } = readUsage(this.#latest);
    // A bucket that is no longer part of the total would otherwise live on in what was reported before.
    const emptied = emptyUsage().buckets;
    for (const bucket of this.#seen) emptied[bucket] = 0;
    for (const bucket of Object.keys(buckets) as Bucket[]) this.#seen.add(bucket);
    return { ...usage, buckets: { ...emptied, ...buckets } };
  }
}

function addsUp(metadata: JsonObject): boolean {
  const total = count(metadata['totalTokenCount']);
  const counters = ['promptTokenCount', 'toolUsePromptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount'];
  return total === undefined || total === counters.reduce((sum, key) => sum + (count(metadata[key]) ?? 0), 0);
}

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

/** The count is missing when there was no output, and sometimes when there was some: then it follows from the total. */
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
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? Math.trunc(value) : undefined;
}

/** The final report, with the charge in toman. */
export function encodeUsage({ usage, cost }: Pick<AnswerClosing, 'usage' | 'cost'>): JsonObject {
  const { cacheRead = 0, reasoning, audioInput = 0, imageInput = 0 } = usage.buckets;
  const prompt = promptTokens(usage);
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: completionTokens(usage) - (reasoning ?? 0),
    totalTokenCount: totalTokens(usage),
    ...(cacheRead > 0 && { cachedContentTokenCount: cacheRead }),
    ...(reasoning !== undefined && { thoughtsTokenCount: reasoning }),
    ...(audioInput + imageInput > 0 && {
      promptTokensDetails: details({ TEXT: prompt - audioInput - imageInput, AUDIO: audioInput, IMAGE: imageInput }),
    }),
    cost: toTomanNumber(cost),
  };
}

function details(counts: Record<string, number>): JsonObject[] {
  return Object.entries(counts)
    .filter(([, tokenCount]) => tokenCount > 0)
    .map(([modality, tokenCount]) => ({ modality, tokenCount }));
}
