/**
 * The `usage` object. On the wire the details are parts of their totals; in the canonical form buckets do not overlap.
 * Providers disagree on what a total includes, so `total_tokens` is the judge wherever two readings are possible.
 */
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { toTomanNumber } from '../../core/money.ts';
import { type Bucket, completionTokens, promptTokens, type Usage } from '../../core/usage.ts';
import type { Closing } from '../protocol.ts';

type Buckets = Partial<Record<Bucket, number>>;

/** undefined when there is nothing countable in it. */
export function decodeUsage(value: Json | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const prompt = count(value['prompt_tokens']) ?? count(value['input_tokens']);
  const total = count(value['total_tokens']);
  const completion = count(value['completion_tokens']) ?? count(value['output_tokens']) ?? difference(total, prompt);
  const buckets: Buckets = {};
  if (prompt !== undefined) readPrompt(value, prompt, completion ?? 0, total, buckets);
  if (completion !== undefined) readCompletion(value, prompt ?? 0, completion, total, buckets);
  return Object.keys(buckets).length === 0 ? undefined : { buckets, source: 'upstream', raw: value };
}

function readPrompt(
  wire: JsonObject,
  prompt: number,
  completion: number,
  total: number | undefined,
  buckets: Buckets,
): void {
  const details = object(wire['prompt_tokens_details']) ?? object(wire['input_tokens_details']) ?? {};
  const cached =
    count(details['cached_tokens']) ??
    count(wire['prompt_cache_hit_tokens']) ??
    count(wire['cached_tokens']) ??
    count(wire['num_cached_tokens']);
  const written = count(details['cache_write_tokens']);
  const aside = (cached ?? 0) + (written ?? 0);
  // Proxies of other languages leave cached tokens out of the prompt; then the total only adds up with them on top.
  const outside = aside > 0 && (total === undefined ? aside > prompt : total === prompt + completion + aside);
  // More cached than there was, in a total that leaves no room for it (seen at Azure): the detail is not to be believed.
  const absurd = aside > prompt && !outside;
  let fresh = outside ? prompt + aside : prompt;
  const take = (bucket: Bucket, amount: number | undefined): void => {
    if (amount === undefined) return;
    buckets[bucket] = Math.min(amount, fresh);
    fresh -= buckets[bucket];
  };
  take('cacheRead', absurd ? undefined : cached);
  take('cacheWrite5m', absurd ? undefined : written);
  take('audioInput', positive(details['audio_tokens']));
  take('imageInput', positive(details['image_tokens']));
  buckets.inputFresh = fresh;
}

function readCompletion(
  wire: JsonObject,
  prompt: number,
  completion: number,
  total: number | undefined,
  buckets: Buckets,
): void {
  const details = object(wire['completion_tokens_details']) ?? object(wire['output_tokens_details']) ?? {};
  const reported = count(details['reasoning_tokens']) ?? count(wire['reasoning_tokens']);
  const input = buckets.inputFresh === undefined ? prompt : promptTokens({ buckets, source: 'upstream' });
  // Gemini's and xAI's chat endpoints leave reasoning out of the completion: it shows only in the total.
  const hidden = total === undefined ? 0 : Math.max(0, total - input - completion);
  const outside = total === undefined ? (reported ?? 0) > completion : hidden > 0 && hidden === (reported ?? hidden);
  const said = reported ?? (hidden > 0 ? hidden : undefined);
  // Inside the completion there cannot be more of it than the completion.
  const reasoning = said === undefined || outside ? said : Math.min(said, completion);
  let plain = completion;
  if (reasoning !== undefined) {
    buckets.reasoning = reasoning;
    if (!outside) plain -= reasoning;
  }
  const audio = positive(details['audio_tokens']);
  if (audio !== undefined) {
    buckets.audioOutput = Math.min(audio, plain);
    plain -= buckets.audioOutput;
  }
  buckets.output = plain;
}

/** What the client is told, with what it paid. Only known details are written: unknown is not zero. */
export function encodeUsage({ usage, cost }: Pick<Closing, 'usage' | 'cost'>): JsonObject {
  const { buckets } = usage;
  const prompt = promptTokens(usage);
  const completion = completionTokens(usage);
  const written = sum(buckets.cacheWrite5m, buckets.cacheWrite1h);
  const promptDetails = {
    ...(buckets.cacheRead !== undefined && { cached_tokens: buckets.cacheRead }),
    ...(written !== undefined && { cache_write_tokens: written }),
    ...(buckets.audioInput !== undefined && { audio_tokens: buckets.audioInput }),
    ...(buckets.imageInput !== undefined && { image_tokens: buckets.imageInput }),
  };
  const completionDetails = {
    ...(buckets.reasoning !== undefined && { reasoning_tokens: buckets.reasoning }),
    ...(buckets.audioOutput !== undefined && { audio_tokens: buckets.audioOutput }),
  };
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...(Object.keys(promptDetails).length > 0 && { prompt_tokens_details: promptDetails }),
    ...(Object.keys(completionDetails).length > 0 && { completion_tokens_details: completionDetails }),
    cost: toTomanNumber(cost),
    ...(usage.source === 'estimated' && { estimated: true }),
  };
}

function object(value: Json | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

function count(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** Zero audio or image tokens are written by providers for models that have neither; a bucket for them says nothing. */
function positive(value: Json | undefined): number | undefined {
  return count(value) || undefined;
}

function difference(total: number | undefined, part: number | undefined): number | undefined {
  return total === undefined || part === undefined || total < part ? undefined : total - part;
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}
