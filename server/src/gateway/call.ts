/** A request as the web server hands it to the gateway. No web server is needed to run one. */

import type { Language } from '@dargah/core/text.ts';
import type { WindowStates } from '../admission/index.ts';
import type { Money } from '../core/money.ts';
import type { CalledEndpoint, KeySnapshot } from '../keys/index.ts';
import type { MemoryShare } from '../platform/memory-budget.ts';
import type { RequestState } from '../requestlog/index.ts';
import type { RequestTrace } from '../tracing/index.ts';

/** All that is read of a request's headers; the fast path (packages/http-fast-path) keeps no others. */
export const CALL_HEADERS = [
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'referer',
  'origin',
  'accept-language',
  'idempotency-key',
  'x-svc-hop',
  'anthropic-beta',
  'content-type',
  'x-forwarded-for',
  'traceparent',
  'last-event-id',
] as const;

export type CallHeaders = { [name in (typeof CALL_HEADERS)[number]]?: string | string[] | undefined };

/** The first, where a header came more than once. */
export function oneHeader(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

export interface Call {
  /** `x-svc-request-id`. */
  id: string;
  endpoint: CalledEndpoint;
  receivedAt: number;
  /** Monotonic, for durations. */
  startedMs: number;
  /** As they came. What the fields below say is read from them once (http/incoming.ts). */
  headers: CallHeaders;
  keyText: string | undefined;
  /** In whose name the gateway itself asks, where no key text came (own-call.ts). */
  own?: KeySnapshot;
  /** The batch that it is a line of. */
  batch?: { id: string; pricePercent: number };
  /** Who asks with the key of the playground: a stream that outlives its connection is theirs alone. */
  personId?: string;
  ip: string;
  referrer: string | undefined;
  language: Language;
  idempotencyKey: string | undefined;
  /** Under an Idempotency-Key: asked just before the charge. False when another replica answers under the key by now. */
  mayCharge?: () => Promise<boolean>;
  /** How many gateways this request already went through (`x-svc-hop`). */
  hop: number;
  /** The client's own options for a provider of the same protocol (`anthropic-beta`); sent along on relay only. */
  relayHeaders: Record<string, string>;
  contentType: string | undefined;
  /** What the address says beside the body, where it names the model: the same body there is another request. */
  address?: string;
  /** Raw body; parsed once, by the gateway. */
  body: Uint8Array;
  client: ClientConnection;
  /** Its place in a trace, where a collector is configured. */
  trace: RequestTrace | undefined;
  metadata: ResponseMetadata;
}

/** The client's side of the wire, as far as the gateway must know. */
export interface ClientConnection {
  readonly gone: boolean;
  onGone(listener: () => void): void;
}

/** What became known on the way. Whatever the answer is, its headers are written from this. */
export interface ResponseMetadata {
  key?: KeySnapshot;
  windows: WindowStates;
  model?: string;
  cost?: Money;
  /** What the response cache said, where it was asked. */
  cache?: 'hit' | 'joined' | 'miss';
  /** How the request ended, once it has. */
  state?: RequestState;
  /** What the request makes us hold beside a small body; opened by the first that needs it, released when the request has ended. */
  memory: MemoryShare | undefined;
  warnings: string[];
}
