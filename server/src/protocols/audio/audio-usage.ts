/**
 * The usage of audio, in the buckets of its price. A provider may report tokens for a model we sell by the second, or
 * nothing for one we sell by the token; every bucket that the price counts must be filled, or the request would be
 * free.
 */
import { isJsonObject, type Json } from '../../core/json.ts';
import type { Price } from '../../core/price.ts';
import { estimateTokens } from '../../core/token-estimate.ts';
import type { Bucket, Usage } from '../../core/usage.ts';

const TOKEN_PRICES: readonly Bucket[] = ['inputFresh', 'audioInput', 'output', 'audioOutput'];
/** This is measured on OpenAI's published per-minute estimates: 1,250 tokens of speech a minute, 14 characters a second. */
const AUDIO_TOKENS_PER_CHARACTER = 1.5;
/** Ten tokens a second go in; fast speech comes out as five. */
const AUDIO_TOKENS_PER_SECOND = 10;
const TEXT_TOKENS_PER_SECOND = 5;

type Buckets = Usage['buckets'];

export function pricedByTokens({ perUnit }: Price): boolean {
  return TOKEN_PRICES.some((bucket) => perUnit[bucket] !== undefined);
}

/** The estimate is used before anything is sent, and where a token-priced answer came without a count. */
export function estimateSpeech(price: Price, input: string, characters: number): Usage {
  const audioOutput = Math.ceil(characters * AUDIO_TOKENS_PER_CHARACTER);
  return estimated(price, { characters, inputFresh: estimateTokens(input), audioOutput });
}

export function estimateTranscription(price: Price, seconds: number): Usage {
  return estimated(price, {
    seconds,
    audioInput: seconds * AUDIO_TOKENS_PER_SECOND,
    output: seconds * TEXT_TOKENS_PER_SECOND,
  });
}

/** Only priced buckets are estimated: tokens of a model sold by the second would be invented. */
function estimated(price: Price, { characters, seconds, ...tokens }: Buckets): Usage {
  const length: Buckets = {
    ...(characters !== undefined && { characters }),
    ...(seconds !== undefined && { seconds }),
  };
  return {
    buckets: soldByLength(price) ? length : { ...length, ...tokens },
    source: 'estimated',
  };
}

/** Characters are counted from the request itself, so they are exact. */
export function speechUsage(price: Price, input: string, characters: number, reported: Json | undefined): Usage {
  const tokens = readTokens(reported, 'audioOutput');
  const raw = isJsonObject(reported) ? { raw: reported } : {};
  if (tokens) return { buckets: chargeable(price, { ...tokens, characters }), source: 'upstream', ...raw };
  if (price.perUnit.characters !== undefined) return { buckets: { characters }, source: 'upstream', ...raw };
  return { ...estimateSpeech(price, input, characters), ...raw };
}

export interface HeardLength {
  /** The provider's `usage`. */
  reported: Json | undefined;
  /** `duration` of verbose answers. */
  duration: Json | undefined;
  /** Our own measurement of the file, or the longer time that the captions prove. */
  measuredSeconds: number;
}

export function transcriptionUsage(price: Price, { reported, duration, measuredSeconds }: HeardLength): Usage {
  const known = readSeconds(reported) ?? wholeSeconds(duration);
  const seconds = known ?? Math.max(1, Math.ceil(measuredSeconds));
  const tokens = readTokens(reported, 'output');
  const raw = isJsonObject(reported) ? { raw: reported } : {};
  const told = price.perUnit.seconds !== undefined ? known !== undefined : tokens !== undefined;
  if (!tokens && !told) return { ...estimateTranscription(price, seconds), ...raw };
  return { buckets: chargeable(price, { ...tokens, seconds }), source: told ? 'upstream' : 'estimated', ...raw };
}

/**
 * A model priced both by tokens and by length is charged by length, because the same audio must not be charged twice.
 */
function chargeable(price: Price, buckets: Buckets): Buckets {
  if (!soldByLength(price) || !pricedByTokens(price)) return buckets;
  const { characters, seconds } = buckets;
  return { ...(characters !== undefined && { characters }), ...(seconds !== undefined && { seconds }) };
}

function soldByLength({ perUnit }: Price): boolean {
  return perUnit.characters !== undefined || perUnit.seconds !== undefined;
}

function readSeconds(usage: Json | undefined): number | undefined {
  return isJsonObject(usage) ? wholeSeconds(usage['seconds']) : undefined;
}

/** Prices are per whole second; a begun one counts, and an answer shorter than one still costs one. */
function wholeSeconds(value: Json | undefined): number | undefined {
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof seconds !== 'number' || !(seconds >= 0) || seconds > Number.MAX_SAFE_INTEGER) return undefined;
  return Math.max(1, Math.ceil(seconds));
}

function readTokens(usage: Json | undefined, output: 'output' | 'audioOutput'): Buckets | undefined {
  if (!isJsonObject(usage)) return undefined;
  const input = count(usage['input_tokens'] ?? usage['prompt_tokens']);
  const produced = count(usage['output_tokens'] ?? usage['completion_tokens']);
  if (input === undefined && produced === undefined) return undefined;
  const details = usage['input_token_details'] ?? usage['prompt_tokens_details'];
  const audio = Math.min(input ?? 0, (isJsonObject(details) ? count(details['audio_tokens']) : undefined) ?? 0);
  return { inputFresh: (input ?? 0) - audio, ...(audio > 0 && { audioInput: audio }), [output]: produced ?? 0 };
}

function count(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
