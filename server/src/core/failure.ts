/**
 * A failure of a provider, with the provider's own text. Never shown to a client: the gateway maps it to one of its own
 * errors.
 */
import type { FailureKind } from '@dargah/core/failure-kinds.ts';

export type { FailureKind } from '@dargah/core/failure-kinds.ts';

export interface UpstreamFailure {
  kind: FailureKind;
  status?: number;
  /** The provider's own text, for the operator's receipt and the log; never for the client. */
  message: string;
  /** Provider's own code, for the receipt. */
  code?: string;
  retryAfterMs?: number;
  /** The request field the provider complained about, when it is a field of ours. */
  param?: string;
  /** context-too-long: both numbers of "prompt is too long: N tokens > M maximum", when the provider gave them. */
  tooLong?: { tokens?: number; maximum?: number };
}

/** False for faults of the client, which would fail on every route; every other failure is worth another route. */
export function isRetryable(kind: FailureKind): boolean {
  return kind !== 'client-fault' && kind !== 'context-too-long';
}
