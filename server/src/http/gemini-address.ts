/**
 * Addresses of Gemini's own API: `/api/v1beta/models/{model}:{method}`, and the same under `/api/v1`, which the SDK for Python
 * calls. A model's id holds slashes and may hold colons, so the method is what follows the last of them.
 */
import type { CallHeaders } from '../gateway/index.ts';

const BETA = '/api/v1beta/';
const MODELS = '/api/v1/models';

const GEMINI_METHODS = [
  'generateContent',
  'streamGenerateContent',
  'countTokens',
  'embedContent',
  'batchEmbedContents',
] as const;

export type GeminiMethod = (typeof GEMINI_METHODS)[number];

export interface GeminiAddress {
  /** The id of the model, as the caller wrote it. */
  model: string;
  method: GeminiMethod;
}

/** `rest` is what the router found behind the version, or behind `models/`. Old SDKs leave out the word `models`. */
export function geminiAddressOf(rest: string): GeminiAddress | undefined {
  const at = rest.lastIndexOf(':');
  const method = GEMINI_METHODS.find((known) => known === rest.slice(at + 1));
  return at > 0 && method ? { model: geminiModelId(rest.slice(0, at)), method } : undefined;
}

export function geminiModelId(name: string): string {
  return name.startsWith('models/') ? name.slice('models/'.length) : name;
}

/** Whether the caller of this address speaks Gemini's protocol, as far as the address can tell. */
export function isGeminiUrl(url: string): boolean {
  return url.startsWith(BETA) || (url.startsWith(`${MODELS}/`) && methodIn(url) !== undefined);
}

export function methodIn(url: string): GeminiMethod | undefined {
  const path = pathOf(url);
  return GEMINI_METHODS.find((method) => path.endsWith(`:${method}`) || path.endsWith(`%3A${method}`));
}

function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

/** All SDKs read the list of models at one address; those of Google are recognised by how they send their key. */
export function speaksGemini(url: string, headers: CallHeaders): boolean {
  if (isGeminiUrl(url)) return true;
  return url.startsWith(MODELS) && (headers['x-goog-api-key'] !== undefined || keyInQuery(url) !== undefined);
}

/**
 * `?key=`, as Google's examples for curl write it. At no other address is a key read from the query, because proxies
 * log it.
 */
export function keyInQuery(url: string): string | undefined {
  const query = url.indexOf('?');
  if (query === -1 || !(url.startsWith(BETA) || url.startsWith(MODELS))) return undefined;
  return new URLSearchParams(url.slice(query + 1)).get('key') || undefined;
}
