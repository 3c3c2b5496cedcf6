/** The two sides of a call: the request, and the receiver of the answer. */

/** Several pieces are one body that is there as a whole; an iterable may still be made while it is sent. */
export type CallBody = string | Uint8Array | readonly Uint8Array[] | AsyncIterable<Uint8Array>;

export interface OutgoingCall {
  method: string;
  headers: Record<string, string>;
  body?: CallBody | undefined;
}

/** The connection under a running call. */
export interface Carrier {
  /** Nothing more is read until `resume`, as after `onBody` returned false. */
  pause(): void;
  resume(): void;
  /** Closes the connection at once. The taker hears nothing more. */
  drop(): void;
}

export interface AnswerHead {
  readonly status: number;
  /** Finds a header by its lower-case name; repeated ones are joined by `, `. */
  header(name: string): string | undefined;
  headers(): Record<string, string>;
}

/** Called in this order: assigned, sent, head, body…, end; `onError` may come instead of any of them and ends all. */
export interface AnswerHandler {
  /** True when nobody waits any more: a queued call is then never sent. */
  readonly done: boolean;
  onAssigned(carrier: Carrier): void;
  /** Called when the connection is open and the request is on its way. */
  onSent(): void;
  onHead(head: AnswerHead): void;
  /** The bytes are the taker's own. False when no more should come until `Carrier.resume`. */
  onBody(chunk: Buffer): boolean;
  onEnd(): void;
  onError(error: Error): void;
}

export interface PoolStats {
  connected: number;
  running: number;
  queued: number;
}

/** Connections to one destination. */
export interface ClientPool {
  /** `path` with its query. An `INVALID_CALL` error goes to the taker when the call cannot be written as HTTP. */
  dispatch(call: OutgoingCall, path: string, handler: AnswerHandler): void;
  stats(): PoolStats;
  /** Finishes running and queued calls, then closes everything. */
  close(): void;
  /** Everything ends now; running and waiting calls fail with the reason. */
  destroy(reason: Error): Promise<void>;
}

/** The error of a call that was not even sent, because its path or a header is not valid HTTP. */
export function invalidCall(): Error {
  return Object.assign(new Error('the call cannot be written as HTTP'), { code: 'INVALID_CALL' });
}
