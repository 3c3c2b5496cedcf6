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
