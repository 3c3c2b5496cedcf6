/** What a response of a realtime session used, in our buckets. */
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';

/** Returns undefined where the provider reports nothing that can be charged by. */
export function readRealtimeUsage(report: Json | undefined): Usage | undefined {
  if (!isJsonObject(report)) return undefined;
  const input = count(report['input_tokens']);
  const output = count(report['output_tokens']);
  if (input === undefined && output === undefined) return undefined;
  return {
    buckets: { ...inputBuckets(report, input ?? 0), ...outputBuckets(report, output ?? 0) },
    source: 'upstream',
    raw: report,
  };
}

/** Cached tokens are part of their kind, and cheaper. What is not split is text. */
function inputBuckets(usage: JsonObject, total: number): Usage['buckets'] {
  const details = objectIn(usage, 'input_token_details');
  const cached = objectIn(details, 'cached_tokens_details');
  const audio = within(details['audio_tokens'], total);
  const images = within(details['image_tokens'], total - audio);
  const text = total - audio - images;
  const audioCached = within(cached['audio_tokens'], audio);
  const imagesCached = within(cached['image_tokens'], images);
  const rest = within(details['cached_tokens'], total) - audioCached - imagesCached;
  const textCached = within(cached['text_tokens'] ?? Math.max(0, rest), text);
  return {
    inputFresh: text - textCached,
    audioInput: audio - audioCached,
    ...(images > 0 && { imageInput: images - imagesCached }),
    cacheRead: textCached + imagesCached,
    audioCacheRead: audioCached,
  };
}

function outputBuckets(usage: JsonObject, total: number): Usage['buckets'] {
  const audio = within(objectIn(usage, 'output_token_details')['audio_tokens'], total);
  return { output: total - audio, audioOutput: audio };
}

function objectIn(from: JsonObject, name: string): JsonObject {
  const value = from[name];
  return isJsonObject(value) ? value : {};
}

function count(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function within(value: Json | undefined, most: number): number {
  return Math.min(count(value) ?? 0, Math.max(0, most));
}
