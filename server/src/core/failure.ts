/** What went wrong at a provider. Never shown to a client: the gateway maps it to one of its own errors. */

export type FailureKind =
  /** Could not reach it: DNS, TCP, TLS. */
  | 'connect'
  /** No first event, a stalled stream, or the whole deadline. */
  | 'timeout'
  /** 429 or an in-band equivalent. */
  | 'rate-limited'
  /** 5xx, 529, "overloaded". */
  | 'server'
  /** 401/403 of our credential, or no money there. */
  | 'credential'
  /** The provider does not know the model, or it was withdrawn. */
  | 'model-gone'
  /** The client's own fault: 400, 413, 422. */
  | 'client-fault'
  | 'context-too-long'
  /** HTML page, `null`, broken JSON, grammar violation. */
  | 'malformed'
  /** The stream ended without its terminal marker. */
  | 'truncated'
  /** 200 with nothing in it. */
  | 'empty';

export interface UpstreamFailure {
  kind: FailureKind;
  status?: number;
  /** The provider's words, for the receipt of the operator and the log; never for the client. */
  message: string;
  /** Provider's own code, for the receipt. */
  code?: string;
  retryAfterMs?: number;
  /** The request field the provider complained about, when it is one of ours. */
  param?: string;
  /** context-too-long: the two numbers of "prompt is too long: N tokens > M maximum", when the provider gave them. */
  tooLong?: { tokens?: number; maximum?: number };
}

/** Faults of the client would fail on every route alike; everything else is worth another route. */
export function isRetryable(kind: FailureKind): boolean {
  return kind !== 'client-fault' && kind !== 'context-too-long';
}
