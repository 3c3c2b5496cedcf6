/**
 * Which endpoint an address belongs to, and which protocol its callers speak: for faults that arise before an endpoint is
 * reached (a body too large, an unknown path), which must be explained in the caller's own protocol all the same.
 */
import { withoutTrailing } from '../core/trailing.ts';
import { type CalledEndpoint, ENDPOINTS } from '../keys/index.ts';
import { anthropicMessagesClient, type ClientCodec, openaiChatClient } from '../protocols/index.ts';

export interface EndpointAt {
  endpoint: CalledEndpoint;
  codec: ClientCodec;
}

const FIRST_VERSION = /^\/api\/v1\/([^?]*)/;

export function endpointAt(url: string): EndpointAt {
  const name = withoutTrailing(FIRST_VERSION.exec(url)?.[1] ?? '', '/').replaceAll('/', '.');
  const endpoint = ENDPOINTS.find((known) => known === name) ?? ENDPOINTS.find((known) => name.startsWith(`${known}.`));
  return {
    endpoint: endpoint ?? roomAt(url),
    codec: endpoint?.startsWith('messages') ? anthropicMessagesClient : openaiChatClient,
  };
}

function roomAt(url: string): CalledEndpoint {
  if (url.startsWith('/api/admin/')) return 'operator';
  return url.startsWith('/api/console/') ? 'console' : 'unknown';
}
