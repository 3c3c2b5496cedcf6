/**
 * Turns an HTTP request into a Call: identity, address, language. No header is trusted unless a trusted proxy set it.
 */

import type { Language } from '@dargah/core/text.ts';
import { makeId } from '../core/ids.ts';
import { type Call, type CallHeaders, type ClientConnection, type Gateway, oneHeader } from '../gateway/index.ts';
import type { CalledEndpoint } from '../keys/index.ts';
import type { MemoryShare } from '../platform/memory-budget.ts';
import type { ClientAddress, Incoming } from './client-address.ts';
import { keyInQuery } from './gemini-address.ts';
import type { Reply } from './reply.ts';

const EMPTY = new Uint8Array(0);

export interface Arrival {
  incoming: Incoming;
  outgoing: Reply;
  endpoint: CalledEndpoint;
  /** Bytes, where the body was read; forms stay on the wire. */
  body: unknown;
  /** What is held for a large body. */
  memory?: MemoryShare | undefined;
}

export function callOf(arrival: Arrival, addressOf: ClientAddress, gw: Gateway): Call {
  return callBy(arrival, new HttpClient(arrival.outgoing), addressOf, gw);
}

/** Makes the call of a client whose connection is not the answer to this request: one of many messages on a socket. */
export function callBy(
  { incoming, endpoint, body, memory }: Omit<Arrival, 'outgoing'>,
  client: ClientConnection,
  addressOf: ClientAddress,
  gw: Gateway,
): Call {
  const { headers } = incoming;
  const now = gw.clock.now();
  return {
    id: makeId('req', now, gw.randomBytes),
    endpoint,
    receivedAt: now,
    startedMs: gw.clock.monotonicMs(),
    headers,
    keyText: keyTextOf(headers) ?? (incoming.url === undefined ? undefined : keyInQuery(incoming.url)),
    ip: addressOf(incoming),
    referrer: oneHeader(headers.referer) ?? oneHeader(headers.origin),
    language: languageOf(oneHeader(headers['accept-language'])),
    idempotencyKey: oneHeader(headers['idempotency-key']),
    hop: Math.max(0, Number.parseInt(oneHeader(headers['x-svc-hop']) ?? '0', 10) || 0),
    relayHeaders: relayHeadersOf(headers['anthropic-beta']),
    contentType: oneHeader(headers['content-type']),
    body: body instanceof Uint8Array ? body : EMPTY,
    client,
    trace: gw.tracer?.begin(oneHeader(headers.traceparent)),
    metadata: { windows: NO_WINDOWS, warnings: [], memory },
  };
}

const NO_HEADERS: Record<string, string> = {};
/** It is shared by all calls, so it must never be written to; the first state of a window replaces it. */
const NO_WINDOWS: Call['metadata']['windows'] = new Map();

/** A provider understands fields of a beta only with the header that names the beta. */
function relayHeadersOf(betas: string | string[] | undefined): Record<string, string> {
  return betas === undefined ? NO_HEADERS : { 'anthropic-beta': String(betas).slice(0, 2_048) };
}

/** Reads `Authorization: Bearer`, `x-api-key` or `x-goog-api-key`, in every protocol, on every endpoint. */
function keyTextOf(headers: CallHeaders): string | undefined {
  const authorization = oneHeader(headers.authorization);
  if (
    authorization !== undefined &&
    authorization.length > 7 &&
    authorization.slice(0, 7).toLowerCase() === 'bearer '
  ) {
    return authorization.slice(7).trim();
  }
  const key = oneHeader(headers['x-api-key']) || oneHeader(headers['x-goog-api-key']);
  return key === undefined || key === '' ? undefined : key;
}

/** Persian unless English is preferred. `*` and unknown languages mean Persian: it is the language of the service. */
export function languageOf(header: string | undefined): Language {
  if (header === undefined) return 'fa';
  let best: { language: Language; quality: number } = { language: 'fa', quality: 0 };
  for (const item of header.split(',', 16)) {
    const [tag = '', ...parameters] = item.trim().toLowerCase().split(';');
    const language = tag.startsWith('en') ? 'en' : tag.startsWith('fa') ? 'fa' : undefined;
    if (!language) continue;
    const weight = parameters.find((parameter) => parameter.trim().startsWith('q='));
    const quality = weight ? Number.parseFloat(weight.trim().slice(2)) : 1;
    if (quality > best.quality) best = { language, quality };
  }
  return best.language;
}

class HttpClient implements ClientConnection {
  #gone = false;
  #listeners: (() => void)[] = [];

  constructor(outgoing: Reply) {
    // It fires once, so `once` would only add a wrapper.
    outgoing.on('close', () => {
      // 'close' also follows a normal end; only an unfinished answer means that the client left.
      if (outgoing.writableFinished) return;
      this.#gone = true;
      for (const listener of this.#listeners) listener();
    });
  }

  get gone(): boolean {
    return this.#gone;
  }

  onGone(listener: () => void): void {
    if (this.#gone) listener();
    else this.#listeners.push(listener);
  }
}
