/**
 * Fetches pictures and files that a request names by address, for providers that fetch none themselves. One per
 * request: an address is fetched once, however many routes need it, and only when a route does.
 */

import type { ChatRequest } from '../../core/chat.ts';
import { type GatewayError, invalidRequest } from '../../core/errors.ts';
import { reasons } from '../../core/reasons.ts';
import { MEDIA_MEMORY_FACTOR, type MemoryShare } from '../../platform/memory-budget.ts';
import { type FetchLimits, type SafeFetch, SafeFetchError } from '../../platform/upstream/index.ts';
import { type FetchedMedia, inlineMedia, mediaUrls, type Quirks, type UpstreamCodec } from '../../protocols/index.ts';
import { gatewayReasons } from '../reasons.ts';

/** Over all media of a request: Google's own limit for a request with its media inside. */
const MAX_BYTES = 20 * 1024 * 1024;
const MAX_ADDRESSES = 32;
/** The time limit for all of them together, so that a slow picture server does not delay the model. */
const MAX_MS = 20_000;
const TYPES = ['image/*', 'audio/*', 'video/*', 'text/*', 'application/pdf'];

export class RequestMedia {
  readonly #fetch: SafeFetch;
  readonly #memory: () => MemoryShare;
  #fetched: Promise<Map<string, FetchedMedia>> | undefined;

  /** `memory`: what the request holds; opened when the first address is fetched. */
  constructor(fetch: SafeFetch, memory: () => MemoryShare) {
    this.#fetch = fetch;
    this.#memory = memory;
  }

  /** The request as this protocol can carry it. Throws invalid_request when an address gives no media. */
  async putInto(request: ChatRequest, { readsUrl }: UpstreamCodec, quirks: Quirks): Promise<ChatRequest> {
    if (!readsUrl) return request;
    const urls = mediaUrls(request).filter((url) => !readsUrl(url, quirks));
    if (urls.length === 0) return request;
    this.#fetched ??= this.#fetchAll(urls);
    return inlineMedia(request, await this.#fetched);
  }

  async #fetchAll(urls: string[]): Promise<Map<string, FetchedMedia>> {
    if (urls.length > MAX_ADDRESSES) throw invalidRequest('messages', reasons.tooLong('messages', MAX_ADDRESSES));
    const fetched = new Map<string, FetchedMedia>();
    const memory = this.#memory();
    const reserve = (bytes: number) => memory.reserve('media', bytes * MEDIA_MEMORY_FACTOR);
    let left = MAX_BYTES;
    // One after the other: in parallel each could use the whole memory allowance.
    for (const url of urls) {
      const limits = { maxBytes: left, totalMs: MAX_MS / urls.length, types: TYPES, reserve };
      const { bytes, type } = await this.#fetchOne(url, limits);
      left -= bytes.length;
      fetched.set(url, { mediaType: type, data: Buffer.from(bytes).toString('base64') });
    }
    return fetched;
  }

  async #fetchOne(url: string, limits: FetchLimits): ReturnType<SafeFetch> {
    try {
      return await this.#fetch(url, limits);
    } catch (error) {
      throw error instanceof SafeFetchError ? unfetchable(url, error) : error;
    }
  }
}

function unfetchable(url: string, error: SafeFetchError): GatewayError {
  const shown = url.slice(0, 200);
  return invalidRequest('messages', gatewayReasons.mediaUnreadable(shown, error.reason), { cause: error });
}
