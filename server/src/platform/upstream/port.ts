/**
 * What the request path knows of a provider's wire: one call out, one reply back. The network (`transport.ts`) and the
 * in-process sandbox (`sandbox/`) both implement it, so nothing above can tell them apart.
 */

import type { SignedScheme } from '@dargah/core/catalog-terms.ts';
import type { UpstreamFailure } from '../../core/failure.ts';
import type { MaybePromise } from '../../core/maybe-promise.ts';
import type { Cancellation } from './cancellation.ts';
import type { EgressTerms } from './egress/index.ts';

export type UpstreamBody = string | Uint8Array | readonly Uint8Array[] | AsyncIterable<Uint8Array>;

export interface CallSigning {
  scheme: SignedScheme;
  secret: string;
  /** Amazon's, where the address does not say it. */
  region: string | undefined;
}

export interface UpstreamCall {
  /** Whose connections to use, normally the provider's id: a provider that hangs must not hold another's sockets. */
  pool: string;
  url: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers: Record<string, string>;
  body?: UpstreamBody | undefined;
  /** How the provider is reached; undefined: directly, whatever the environment says. */
  egress?: EgressTerms | undefined;
  /** What signs it, where the credential itself is never sent. */
  signing?: CallSigning | undefined;
  /** Ends the call at once, at any stage. One may be shared by all attempts of a request. */
  cancellation?: Cancellation | undefined;
  /** The request has been written to the provider's connection. */
  onSent?: (() => void) | undefined;
  connectMs: number;
  /** From sending to the status line. */
  headersMs: number;
  /** From sending to `reply.markFirstEvent()`: a provider that only sends comments has not answered. */
  firstEventMs?: number;
  /** Longest wait for the next bytes while somebody is waiting for them; a slow reader of ours does not count. */
  idleMs: number;
  /** An instant of Clock.monotonicMs(), not a duration: it holds across attempts. */
  deadlineAtMs?: number;
}

/** The reply has one owner, who reads it to the end, or calls `release` or `abort`. */
export interface UpstreamReply {
  readonly status: number;
  /** The way out it came by; undefined where there is none. */
  readonly via?: string | undefined;
  /** Lower-case names; repeated headers joined by `, `. */
  readonly headers: Record<string, string>;
  /** One header by its lower-case name; cheaper than `headers`, which decodes all of them. */
  header(name: string): string | undefined;
  /** The next bytes, or null at a clean end. Rejects with TransportError. One read at a time. */
  read(): Promise<Uint8Array | null>;
  /** The next `read` would say that nothing follows. Absent where that is known only by reading. */
  readonly over?: boolean;
  /** The whole body; rejects as `malformed` when it is larger than the limit. */
  text(limitBytes: number): MaybePromise<string>;
  /** The beginning of a body we only want to quote (an error page); never rejects. */
  excerpt(limitBytes: number): Promise<string>;
  /** The route has really answered: `firstEventMs` no longer applies. */
  markFirstEvent(): void;
  /** From now on what comes within a few milliseconds is read together. For a stream whose first words are there. */
  pace(): void;
  /** Nothing more is wanted of the answer. A short rest is read and dropped, so that the socket can be kept. */
  release(): void;
  /** Closes the socket at once. Harmless after the end. */
  abort(reason: string): void;
}

/** A WebSocket to a provider. Messages that came before `listen` are handed over then. */
export interface UpstreamSocket {
  /** The way out it goes by; undefined where there is none. */
  readonly via?: string | undefined;
  /** What was sent and has not left this process. */
  readonly waitingBytes: number;
  send(text: string): void;
  listen(listener: UpstreamSocketListener): void;
  /** While our reader is slow, nothing is read. */
  pause(): void;
  resume(): void;
  close(): void;
}

export interface UpstreamSocketListener {
  message(text: string): void;
  /** Comes once, also after our own `close`. */
  closed(reason: string): void;
}

export type SocketCall = Pick<UpstreamCall, 'pool' | 'url' | 'headers' | 'egress' | 'connectMs'>;

export interface UpstreamTransport {
  /** Resolves with the headers of any status. Rejects with TransportError only. */
  send(call: UpstreamCall): Promise<UpstreamReply>;
  /** Opens a WebSocket at an address of `https:` or `http:`. Rejects with TransportError only. Absent: none can be opened. */
  openSocket?(call: SocketCall): Promise<UpstreamSocket>;
  /** Ends every connection. Running calls fail. */
  close(): Promise<void>;
}

export type TransportPhase = 'connect' | 'headers' | 'body';

/** Its message names host and cause, never a header or a body. */
export class TransportError extends Error {
  readonly failure: UpstreamFailure;
  readonly phase: TransportPhase;

  constructor(failure: UpstreamFailure, phase: TransportPhase) {
    super(failure.message);
    this.failure = failure;
    this.phase = phase;
  }
}
