/** Every vendor there is, in the order the catalog shows them. */
import type { Quirks } from '../protocols/index.ts';
import { anthropic } from './anthropic.ts';
import { azureOpenai } from './azure-openai.ts';
import { azureOpenaiResponses } from './azure-openai-responses.ts';
import { bedrock } from './bedrock.ts';
import { bedrockAnthropic } from './bedrock-anthropic.ts';
import { bedrockOpenai } from './bedrock-openai.ts';
import { cerebras } from './cerebras.ts';
import { cohere } from './cohere.ts';
import { deepseek } from './deepseek.ts';
import { fireworks } from './fireworks.ts';
import { google } from './google.ts';
import { groq } from './groq.ts';
import { jina } from './jina.ts';
import { llamaCpp } from './llama-cpp.ts';
import { minimax } from './minimax.ts';
import { mistral } from './mistral.ts';
import { moonshot } from './moonshot.ts';
import { ollama } from './ollama.ts';
import { openai } from './openai.ts';
import { openaiResponses } from './openai-responses.ts';
import { openrouter } from './openrouter.ts';
import { perplexity } from './perplexity.ts';
import { qwen } from './qwen.ts';
import { sandbox } from './sandbox.ts';
import { together } from './together.ts';
import type { Vendor } from './vendor.ts';
import { vertex } from './vertex.ts';
import { vertexAnthropic } from './vertex-anthropic.ts';
import { vllm } from './vllm.ts';
import { voyage } from './voyage.ts';
import { xai } from './xai.ts';
import { zai } from './zai.ts';

export { type CloudPlace, type CloudSecret, type Environment, placeIn } from './cloud.ts';
export { shippedDataPolicy } from './data-policies.ts';
export { ANY_PAGES, documentPages } from './document-pages.ts';
export { ANY_PICTURE, type PictureTokens, pictureTokens } from './picture-tokens.ts';
export { leastCachedPrefix } from './prompt-cache.ts';
export type { AuthScheme, Vendor } from './vendor.ts';
export { AUTH_SCHEMES } from './vendor.ts';

export const VENDORS: readonly Vendor[] = [
  openai,
  openaiResponses,
  anthropic,
  google,
  deepseek,
  mistral,
  xai,
  qwen,
  moonshot,
  zai,
  minimax,
  cohere,
  voyage,
  jina,
  perplexity,
  groq,
  cerebras,
  together,
  fireworks,
  openrouter,
  azureOpenai,
  azureOpenaiResponses,
  vertex,
  vertexAnthropic,
  bedrockAnthropic,
  bedrock,
  bedrockOpenai,
  ollama,
  vllm,
  llamaCpp,
  sandbox,
];

const byId = new Map(VENDORS.map((vendor) => [vendor.id, vendor]));

export function findVendor(id: string): Vendor | undefined {
  return byId.get(id);
}

/** What one model adds to its vendor's quirks: every rule whose pattern matches, later ones winning. Kept on the route. */
export function modelQuirks(vendor: Vendor, upstreamModel: string): Quirks {
  let quirks: Quirks = {};
  for (const rule of vendor.modelRules ?? [])
    if (rule.match.test(upstreamModel)) quirks = { ...quirks, ...rule.quirks };
  return quirks;
}
