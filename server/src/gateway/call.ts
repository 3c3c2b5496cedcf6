/** A request as the web server hands it to the gateway, and the answer it gets back. No web server is needed to run one. */
import type { WindowStates } from '../admission/index.ts';
import type { Language } from '../core/errors.ts';
import type { Money } from '../core/money.ts';
import type { Endpoint, KeySnapshot } from '../keys/index.ts';
import type { RequestState } from '../requestlog/index.ts';

export interface Call {
  /** `x-svc-request-id`. */
  id: string;
  endpoint: Endpoint;
  receivedAt: number;
  /** Monotonic, for durations. */
  startedMs: number;
  keyText: string | undefined;
  ip: string;
  referrer: string | undefined;
  language: Language;
  idempotencyKey: string | undefined;
  /** How many gateways this request already went through (`x-svc-hop`). */
  hop: number;
  /** The client's own wishes to a provider of the same language (`anthropic-beta`); sent along on relay only. */
  relayHeaders: Record<string, string>;
  contentType: string | undefined;
  /** Raw body; parsed once, by the gateway. */
  body: Uint8Array;
  client: ClientConnection;
  trail: Trail;
}

/** The client's side of the wire, as far as the gateway must know. */
export interface ClientConnection {
  readonly gone: boolean;
  onGone(listener: () => void): void;
}

/** What became known on the way. Whatever the answer is, its headers are written from this. */
export interface Trail {
  key?: KeySnapshot;
  windows: WindowStates;
  model?: string;
  cost?: Money;
  /** How the request ended, once it has. */
  state?: RequestState;
  warnings: string[];
}

export type Answer = BodyAnswer | StreamAnswer;

export interface BodyAnswer {
  kind: 'body';
  status: number;
  contentType: string;
  body: string | Uint8Array;
  headers?: Record<string, string>;
}

/** Headers may go out as soon as this is returned: the commit point has passed. `run` writes the frames and never throws. */
export interface StreamAnswer {
  kind: 'stream';
  contentType: string;
  headers?: Record<string, string>;
  run(sink: Sink): Promise<void>;
}

/** Where frames go. `write` returns a promise when the reader is slower than we are. */
export interface Sink {
  write(data: string | Uint8Array): Promise<void> | undefined;
  /** Ends the answer. Nothing may be written afterwards. */
  end(): void;
  /** Cuts the connection: for an answer that can no longer be completed and must not look complete. */
  cut(): void;
  readonly gone: boolean;
}

export function jsonAnswer(value: unknown, status = 200): BodyAnswer {
  return { kind: 'body', status, contentType: 'application/json; charset=utf-8', body: JSON.stringify(value) };
}
