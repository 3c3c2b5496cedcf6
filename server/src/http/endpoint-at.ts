/**
 * Which endpoint an address belongs to, and which protocol its callers speak: for faults that arise before an endpoint is
 * reached (a body too large, an unknown path), which must be explained in the caller's own protocol all the same.
 */
import type { FastifyRequest } from 'fastify';
import { withoutTrailing } from '../core/trailing.ts';
import { type CalledEndpoint, ENDPOINTS } from '../keys/index.ts';
import {
  anthropicMessagesClient,
  type ClientCodec,
  geminiGenerateClient,
  openaiChatClient,
} from '../protocols/index.ts';
import { isGeminiUrl, methodIn } from './gemini-address.ts';

export interface EndpointAt {
  endpoint: CalledEndpoint;
  codec: ClientCodec;
}

const FIRST_VERSION = /^\/api\/v1\/([^?]*)/;

/** Addresses that are called with an API key: without one a caller learns nothing else. */
export function isBehindKey(url: string): boolean {
  return url.startsWith('/api/v1/') || url.startsWith('/api/v1beta/');
}

/**
 * At an unknown address, the header that carries the key tells which SDK calls: SDKs of Google ask for files and
 * caches.
 */
export function endpointOf({ url, headers }: Pick<FastifyRequest, 'url' | 'headers'>): EndpointAt {
  const at = endpointAt(url);
  const isGoogles = at.endpoint === 'unknown' && headers['x-goog-api-key'] !== undefined;
  return isGoogles ? { ...at, codec: geminiGenerateClient } : at;
}

export function endpointAt(url: string): EndpointAt {
  if (isGeminiUrl(url)) return { endpoint: geminiEndpoint(url), codec: geminiGenerateClient };
  const name = withoutTrailing(FIRST_VERSION.exec(url)?.[1] ?? '', '/').replaceAll('/', '.');
  const endpoint = ENDPOINTS.find((known) => known === name) ?? ENDPOINTS.find((known) => name.startsWith(`${known}.`));
  return {
    endpoint: endpoint ?? roomAt(url),
    codec: endpoint?.startsWith('messages') ? anthropicMessagesClient : openaiChatClient,
  };
}

function geminiEndpoint(url: string): CalledEndpoint {
  switch (methodIn(url)) {
    case 'generateContent':
    case 'streamGenerateContent':
      return 'gemini.generate';
    case 'countTokens':
      return 'gemini.count_tokens';
    case 'embedContent':
    case 'batchEmbedContents':
      return 'gemini.embed';
    default:
      return url.startsWith('/api/v1beta/models') ? 'models' : 'unknown';
  }
}

function roomAt(url: string): CalledEndpoint {
  if (url.startsWith('/api/admin/')) return 'operator';
  return url.startsWith('/api/console/') ? 'console' : 'unknown';
}
