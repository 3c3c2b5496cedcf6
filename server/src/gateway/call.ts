/** A request as the web server hands it to the gateway. No web server is needed to run one. */

import type { Language } from '@dargah/core/text.ts';
import type { WindowStates } from '../admission/index.ts';
import type { Money } from '../core/money.ts';
import type { CalledEndpoint, KeySnapshot } from '../keys/index.ts';
import type { MemoryShare } from '../platform/memory-budget.ts';
import type { RequestState } from '../requestlog/index.ts';
import type { RequestTrace } from '../tracing/index.ts';
import type { JsonLiterals } from './json-literals.ts';

/** All headers that are read of a request; the fast path (packages/http-fast-path) keeps no others. */
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

/** The first value, where a header came more than once. */
export function oneHeader(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

export interface Call {
  /** `x-svc-request-id`. */
  id: string;
  endpoint: CalledEndpoint;
  receivedAt: number;
  /** Monotonic time of arrival, for durations. */
  startedMs: number;
  /** The headers as they came. The fields below are read from them once (http/incoming.ts). */
  headers: CallHeaders;
  keyText: string | undefined;
  /** The caller in whose name the gateway itself asks, where no key was presented (own-call.ts). */
  own?: KeySnapshot;
  /** The batch that it is a line of. */
  batch?: { id: string; pricePercent: number };
  /** The person who uses the key of the playground: only they may continue the stream. */
  personId?: string;
  ip: string;
  referrer: string | undefined;
  language: Language;
  idempotencyKey: string | undefined;
  /**
   * Under an Idempotency-Key: called just before the charge. Returns false when another replica answers under the key
   * by now.
   */
  mayCharge?: () => Promise<boolean>;
  /** How many gateways this request already went through (`x-svc-hop`). */
  hop: number;
  /** The client's own options for a provider of the same protocol (`anthropic-beta`); sent along on relay only. */
  relayHeaders: Record<string, string>;
  contentType: string | undefined;
  /**
   * What the address says beside the body, where it names the model: the same body at another address is another
   * request.
   */
  address?: string;
  /** Raw body; parsed once, by the gateway. */
  body: Uint8Array;
  /** The long texts of the body, once it was parsed: what a provider is sent takes them as they are. */
  literals?: JsonLiterals;
  client: ClientConnection;
  /** The span of the request, where a collector is configured. */
  trace: RequestTrace | undefined;
  metadata: ResponseMetadata;
}

/** The client's connection, as far as the gateway must know it. */
export interface ClientConnection {
  readonly gone: boolean;
  onGone(listener: () => void): void;
}

/** Response metadata: what became known on the way. The headers of every answer are written from it. */
export interface ResponseMetadata {
  key?: KeySnapshot;
  windows: WindowStates;
  model?: string;
  cost?: Money;
  /** The state of the response cache, where it was asked. */
  cache?: 'hit' | 'joined' | 'miss';
  /** How the request ended, once it has. */
  state?: RequestState;
  /**
   * The memory that the request holds beside a small body; opened when first needed, released when the request has
   * ended.
   */
  memory: MemoryShare | undefined;
  warnings: string[];
}
