/**
 * What no package knows and we maintain by hand: what chat models can do beyond seeing and reasoning, their categories,
 * models for embeddings, speech and transcription, and Persian names. Patterns are tested against the public id.
 */

import type { Capability } from '../model.ts';
import type { UsdPrice } from '../prices/toman-price.ts';
import type { ListedModel } from './listed-model.ts';

interface Rule<Value> {
  match: RegExp;
  give: Value[];
}

/** Removed from what a rule gave. */
interface Exception {
  match: RegExp;
  take: Capability[];
}

export const CAPABILITY_RULES: Rule<Capability>[] = [
  { match: /./, give: ['streaming', 'tools', 'json_object'] },
  { match: /^(openai|google|mistral|xai|cohere|perplexity|fireworks|together|cerebras)\//, give: ['json_schema'] },
  { match: /^groq\/gpt-oss/, give: ['json_schema'] },
  { match: /^anthropic\//, give: ['json_schema', 'files'] },
  { match: /^openai\/(gpt-4o|gpt-4\.1|gpt-[5-9]|o1|o3|o4)/, give: ['files'] },
  { match: /^google\/gemini-/, give: ['files', 'seed'] },
  { match: /^openai\/gpt-4/, give: ['seed', 'logprobs'] },
  { match: /^(groq|cerebras|together|fireworks)\//, give: ['seed'] },
  { match: /^google\/gemini-2\.5-(flash|pro)/, give: ['audio_input'] },
];

export const CAPABILITY_EXCEPTIONS: Exception[] = [
  // Perplexity's models search by themselves, and its API refuses tools.
  { match: /^perplexity\//, take: ['tools', 'json_object'] },
  { match: /^openai\/(gpt-5-chat-latest|o1-pro)/, take: ['tools'] },
  { match: /^openai\/(gpt-4|gpt-4-turbo)$/, take: ['json_schema'] },
  { match: /^openai\/gpt-4$/, take: ['json_object'] },
];

export const CATEGORY_RULES: Rule<string>[] = [
  {
    match:
      /^(openai\/(gpt-6\.1|gpt-6-luna|gpt-5\.5$|gpt-4o)|anthropic\/claude-(opus|sonnet|haiku)-5-5|google\/gemini-(4-|3\.8|2\.5-(pro|flash)$)|xai\/grok-4\.7|deepseek\/|qwen\/qwen3\.8|moonshot\/kimi-k3\.1-pro$|zai\/glm-5\.3)/,
    give: ['popular'],
  },
  {
    match:
      /codex|code|devstral|codestral|^openai\/gpt-(5\.[45]$|6)|^anthropic\/claude-(opus|sonnet)|^xai\/grok-4\.[67]|^deepseek\/|kimi-k|glm-5|minimax-m3|gemini-(4-|3\.1-pro|2\.5-pro)/,
    give: ['coding'],
  },
  {
    match:
      /^openai\/gpt-(4o|4\.1|5-chat|5\.[1-5]$|6\.1)|^anthropic\/claude-(opus|sonnet)|^google\/gemini-(4-|3\.[5-8]|2\.5)|^mistral\/mistral-(large|medium)|^cohere\/command|^qwen\/qwen3\.[78]/,
    give: ['content-generation'],
  },
];

/** A chat model is economical when a million input tokens cost at most this and a million output tokens at most that (USD). */
export const ECONOMICAL = { inputUsd: 0.3, outputUsd: 1.25 };

/** Prices that our sources lack; they are added to theirs. */
export const PRICE_ADDITIONS: { match: RegExp; usd: UsdPrice }[] = [
  { match: /^google\/gemini-2\.5-flash$/, usd: { audio_input: '1' } },
  { match: /^google\/gemini-2\.5-flash-lite$/, usd: { audio_input: '0.3' } },
  // Ten dollars for a thousand searches; pages that Anthropic reads cost their tokens alone.
  { match: /^openai\/(?:gpt-[5-9]|o[34])/, usd: { web_search: '10000', code_session: '30000' } },
  { match: /^anthropic\//, usd: { web_search: '10000', web_fetch: '0' } },
];

/** Tokens per second of hidden reasoning, where at least nine recorded answers show it: their median (ADR 0033). */
export const HIDDEN_RATES: ReadonlyMap<string, number> = new Map([
  ['openai/gpt-5', 53],
  ['openai/gpt-5-mini', 50],
  ['openai/gpt-5-nano', 105],
]);

const other = (
  id: string,
  kind: ListedModel['kind'],
  name: string,
  usd: UsdPrice,
  routes: ListedModel['routes'],
  more: Partial<ListedModel> = {},
): ListedModel => ({
  id,
  kind,
  name,
  usd,
  routes,
  context: undefined,
  maxOutput: undefined,
  capabilities: [],
  categories: [],
  ...more,
});

const at = (vendor: string, model: string): ListedModel['routes'] => [{ vendor, model }];

const REALTIME = {
  input: '4',
  output: '24',
  cache_read: '0.4',
  audio_input: '32',
  audio_output: '64',
  audio_cache_read: '0.4',
};
const REALTIME_MINI = {
  input: '0.6',
  output: '2.4',
  cache_read: '0.06',
  audio_input: '10',
  audio_output: '20',
  audio_cache_read: '0.3',
};

/** USD per million tokens, characters or seconds (0.36 USD an hour is 100 USD per million seconds). */
export const OTHER_MODELS: ListedModel[] = [
  other(
    'openai/text-embedding-3-small',
    'embedding',
    'Text Embedding 3 Small',
    { input: '0.02' },
    at('openai', 'text-embedding-3-small'),
    { context: 8192, categories: ['economical'] },
  ),
  other(
    'openai/text-embedding-3-large',
    'embedding',
    'Text Embedding 3 Large',
    { input: '0.13' },
    at('openai', 'text-embedding-3-large'),
    { context: 8192 },
  ),
  other(
    'google/gemini-embedding-001',
    'embedding',
    'Gemini Embedding',
    { input: '0.15' },
    at('google', 'gemini-embedding-001'),
    { context: 2048 },
  ),
  other('mistral/mistral-embed', 'embedding', 'Mistral Embed', { input: '0.1' }, at('mistral', 'mistral-embed'), {
    context: 8192,
  }),
  other('cohere/embed-v4.0', 'embedding', 'Embed v4', { input: '0.12' }, at('cohere', 'embed-v4.0'), {
    context: 128_000,
  }),
  other(
    'qwen/text-embedding-v4',
    'embedding',
    'Qwen Text Embedding v4',
    { input: '0.07' },
    at('qwen', 'text-embedding-v4'),
    { context: 8192, categories: ['economical'] },
  ),

  // A search is a query with up to a hundred documents: 0.002 USD is 2,000 USD per million.
  other('cohere/rerank-v3.5', 'rerank', 'Rerank v3.5', { searches: '2000' }, at('cohere', 'rerank-v3.5'), {
    context: 4096,
  }),
  other('cohere/rerank-v4.0-fast', 'rerank', 'Rerank v4 Fast', { searches: '2000' }, at('cohere', 'rerank-v4.0-fast'), {
    context: 32_768,
  }),
  other('cohere/rerank-v4.0-pro', 'rerank', 'Rerank v4 Pro', { searches: '2500' }, at('cohere', 'rerank-v4.0-pro'), {
    context: 32_768,
  }),
  other('voyage/rerank-2.5', 'rerank', 'Rerank 2.5', { input: '0.05' }, at('voyage', 'rerank-2.5'), {
    context: 32_000,
  }),
  other('voyage/rerank-2.5-lite', 'rerank', 'Rerank 2.5 Lite', { input: '0.02' }, at('voyage', 'rerank-2.5-lite'), {
    context: 32_000,
    categories: ['economical'],
  }),
  other(
    'jina/jina-reranker-v2-base-multilingual',
    'rerank',
    'Reranker v2 Multilingual',
    { input: '0.05' },
    at('jina', 'jina-reranker-v2-base-multilingual'),
    { context: 1024 },
  ),

  // Their makers charge nothing for it.
  other(
    'openai/omni-moderation-latest',
    'moderation',
    'Omni Moderation',
    { input: '0' },
    at('openai', 'omni-moderation-latest'),
    { context: 32_768, capabilities: ['vision'], categories: ['economical'] },
  ),
  other(
    'mistral/mistral-moderation-latest',
    'moderation',
    'Mistral Moderation',
    { input: '0' },
    at('mistral', 'mistral-moderation-latest'),
    { context: 8192, categories: ['economical'] },
  ),

  other(
    'openai/gpt-image-2',
    'image',
    'GPT Image 2',
    { input: '5', cache_read: '1.25', image_input: '8', image_output: '30' },
    at('openai', 'gpt-image-2'),
    { capabilities: ['vision'] },
  ),
  other(
    'google/gemini-2.5-flash-image',
    'image',
    'Gemini 2.5 Flash Image',
    { input: '0.3', output: '2.5', image_output: '30' },
    at('google', 'gemini-2.5-flash-image'),
    { context: 32_768, capabilities: ['vision'] },
  ),
  // 0.02 USD a picture is 20,000 USD per million.
  other('xai/grok-imagine-image', 'image', 'Grok Imagine', { images: '20000' }, at('xai', 'grok-imagine-image'), {
    capabilities: ['vision'],
  }),

  other('openai/tts-1', 'speech', 'TTS 1', { characters: '15' }, at('openai', 'tts-1'), { categories: ['audio'] }),
  other('openai/tts-1-hd', 'speech', 'TTS 1 HD', { characters: '30' }, at('openai', 'tts-1-hd'), {
    categories: ['audio'],
  }),
  // Billed by audio tokens that its answer does not report; at 800 characters a minute of speech this covers 0.015 USD a minute.
  other('openai/gpt-4o-mini-tts', 'speech', 'GPT-4o mini TTS', { characters: '20' }, at('openai', 'gpt-4o-mini-tts'), {
    categories: ['audio', 'popular'],
  }),

  other('openai/whisper-1', 'transcription', 'Whisper', { seconds: '100' }, at('openai', 'whisper-1'), {
    categories: ['audio'],
  }),
  // Billed by tokens; the maker's own figure of 0.006 (0.003) USD a minute is used, for not every answer format reports tokens.
  other(
    'openai/gpt-4o-transcribe',
    'transcription',
    'GPT-4o Transcribe',
    { seconds: '100' },
    at('openai', 'gpt-4o-transcribe'),
    { categories: ['audio', 'popular'] },
  ),
  other(
    'openai/gpt-4o-mini-transcribe',
    'transcription',
    'GPT-4o mini Transcribe',
    { seconds: '50' },
    at('openai', 'gpt-4o-mini-transcribe'),
    { categories: ['audio', 'economical'] },
  ),
  other(
    'groq/whisper-large-v3',
    'transcription',
    'Whisper Large v3',
    { seconds: '30.84' },
    at('groq', 'whisper-large-v3'),
    { categories: ['audio'] },
  ),
  other(
    'groq/whisper-large-v3-turbo',
    'transcription',
    'Whisper Large v3 Turbo',
    { seconds: '11.12' },
    at('groq', 'whisper-large-v3-turbo'),
    { categories: ['audio', 'economical'] },
  ),
  other(
    'mistral/voxtral-mini-2602',
    'transcription',
    'Voxtral Mini Transcribe 2',
    { seconds: '50' },
    at('mistral', 'voxtral-mini-2602'),
    { categories: ['audio', 'economical'] },
  ),

  other(
    'openai/gpt-audio',
    'chat',
    'GPT Audio',
    { input: '2.5', output: '10', audio_input: '32', audio_output: '64' },
    at('openai', 'gpt-audio'),
    { context: 128_000, maxOutput: 16_384, capabilities: ['streaming', 'tools', 'audio_input'], categories: ['audio'] },
  ),
  other(
    'openai/gpt-audio-mini',
    'chat',
    'GPT Audio mini',
    { input: '0.6', output: '2.4', audio_input: '10', audio_output: '20' },
    at('openai', 'gpt-audio-mini'),
    { context: 128_000, maxOutput: 16_384, capabilities: ['streaming', 'tools', 'audio_input'], categories: ['audio'] },
  ),

  other(
    'openai/gpt-realtime-2.1',
    'realtime',
    'GPT Realtime 2.1',
    { ...REALTIME, image_input: '5' },
    at('openai', 'gpt-realtime-2.1'),
    { maxOutput: 4_096, capabilities: ['tools', 'audio_input', 'vision'], categories: ['audio'] },
  ),
  other(
    'openai/gpt-realtime-2.1-mini',
    'realtime',
    'GPT Realtime 2.1 mini',
    { ...REALTIME_MINI, image_input: '0.8' },
    at('openai', 'gpt-realtime-2.1-mini'),
    { maxOutput: 4_096, capabilities: ['tools', 'audio_input', 'vision'], categories: ['audio', 'economical'] },
  ),
];
