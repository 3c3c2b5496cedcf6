/**
 * The `usage` object. On the wire the details are parts of their totals; in the canonical form buckets do not overlap.
 * Providers disagree on what a total includes, so `total_tokens` is the judge wherever two readings are possible.
 */
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { toTomanNumber } from '../../core/money.ts';
import { type Bucket, completionTokens, promptTokens, type Usage } from '../../core/usage.ts';
import type { AnswerClosing } from '../protocol.ts';

type Buckets = Partial<Record<Bucket, number>>;

/** Returns undefined when there is nothing countable in it. */
export function decodeUsage(value: Json | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const prompt = count(value['prompt_tokens']) ?? count(value['input_tokens']);
  const total = count(value['total_tokens']);
  const completion = count(value['completion_tokens']) ?? count(value['output_tokens']) ?? difference(total, prompt);
  if (prompt === undefined && completion === undefined) return undefined;
  const buckets: Buckets = {};
  if (prompt !== undefined) readPrompt(value, prompt, completion ?? 0, total, buckets);
  if (completion !== undefined) readCompletion(value, prompt ?? 0, completion, total, buckets);
  return { buckets, source: 'upstream', raw: value };
}

const NO_DETAILS: JsonObject = {};

function readPrompt(
  wire: JsonObject,
  prompt: number,
  completion: number,
  total: number | undefined,
  buckets: Buckets,
): void {
  const details = object(wire['prompt_tokens_details']) ?? object(wire['input_tokens_details']) ?? NO_DETAILS;
  const cached =
    count(details['cached_tokens']) ??
    count(wire['prompt_cache_hit_tokens']) ??
    count(wire['cached_tokens']) ??
    count(wire['num_cached_tokens']);
  const written = count(details['cache_write_tokens']);
  const aside = (cached ?? 0) + (written ?? 0);
  // Proxies of other protocols leave cached tokens out of the prompt; then the total only adds up with them on top.
  const outside = aside > 0 && (total === undefined ? aside > prompt : total === prompt + completion + aside);
  const audio = positive(details['audio_tokens']);
  // Some count sound beside the prompt; then the total only adds up with it on top.
  const audioOutside = audio !== undefined && total === prompt + completion + audio + (outside ? aside : 0);
  let fresh = outside ? prompt + aside : prompt;
  // A cached count above the prompt (seen at Azure) means that all of the prompt was cached.
  fresh -= put(buckets, 'cacheRead', cached, fresh);
  fresh -= put(buckets, 'cacheWrite5m', written, fresh);
  if (audioOutside) buckets.audioInput = audio;
  else fresh -= put(buckets, 'audioInput', audio, fresh);
  fresh -= put(buckets, 'imageInput', positive(details['image_tokens']), fresh);
  buckets.inputFresh = fresh;
}

/** A detail cannot be more than what is left of its total. */
function put(buckets: Buckets, bucket: Bucket, amount: number | undefined, most: number): number {
  if (amount === undefined) return 0;
  const fits = Math.min(amount, most);
  buckets[bucket] = fits;
  return fits;
}

function readCompletion(
  wire: JsonObject,
  prompt: number,
  completion: number,
  total: number | undefined,
  buckets: Buckets,
): void {
  const details = object(wire['completion_tokens_details']) ?? object(wire['output_tokens_details']) ?? NO_DETAILS;
  const reported = count(details['reasoning_tokens']) ?? count(wire['reasoning_tokens']);
  const input = buckets.inputFresh === undefined ? prompt : promptTokens({ buckets, source: 'upstream' });
  // Gemini's and xAI's chat endpoints leave reasoning out of the completion: it shows only in the total.
  const hidden = total === undefined ? 0 : Math.max(0, total - input - completion);
  const outside = total === undefined ? (reported ?? 0) > completion : hidden > 0 && hidden === (reported ?? hidden);
  const said = reported ?? (hidden > 0 ? hidden : undefined);
  // Reasoning that is part of the completion cannot be more than the completion.
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

/** The usage for the client, with its cost. Only known details are written: unknown is not zero. */
export function encodeUsage({ usage, cost }: Pick<AnswerClosing, 'usage' | 'cost'>): JsonObject {
  const { buckets } = usage;
  const prompt = promptTokens(usage);
  const completion = completionTokens(usage);
  const wire: JsonObject = {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  };
  // Assigned one by one, because each spread of an optional object would make a copy (docs/performance.md).
  const written = sum(buckets.cacheWrite5m, buckets.cacheWrite1h);
  addDetail(wire, 'prompt_tokens_details', 'cached_tokens', buckets.cacheRead);
  addDetail(wire, 'prompt_tokens_details', 'cache_write_tokens', written);
  addDetail(wire, 'prompt_tokens_details', 'audio_tokens', buckets.audioInput);
  addDetail(wire, 'prompt_tokens_details', 'image_tokens', buckets.imageInput);
  addDetail(wire, 'completion_tokens_details', 'reasoning_tokens', buckets.reasoning);
  addDetail(wire, 'completion_tokens_details', 'audio_tokens', buckets.audioOutput);
  wire['cost'] = toTomanNumber(cost);
  if (usage.source === 'estimated') wire['estimated'] = true;
  return wire;
}

function addDetail(wire: JsonObject, details: string, name: string, amount: number | undefined): void {
  if (amount === undefined) return;
  const known = object(wire[details]);
  if (known) known[name] = amount;
  else wire[details] = { [name]: amount };
}

function object(value: Json | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

function count(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** Providers write zero audio or image tokens for models that have neither; such a bucket is left out. */
function positive(value: Json | undefined): number | undefined {
  return count(value) || undefined;
}

function difference(total: number | undefined, part: number | undefined): number | undefined {
  return total === undefined || part === undefined || total < part ? undefined : total - part;
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}
