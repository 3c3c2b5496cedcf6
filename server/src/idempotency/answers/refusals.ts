/** What a request under an Idempotency-Key is told when it neither runs nor gets the first answer. None of it is charged. */

import { GatewayError, invalidRequest } from '../../core/errors.ts';
import { idempotencyReasons } from '../reasons.ts';

const PARAM = 'Idempotency-Key';

/** The text in `x-svc-warnings`. */
export const UNSHARED = 'Idempotency-Key holds on this server only: the database is not reachable';

export function otherBody(): GatewayError {
  return invalidRequest(PARAM, idempotencyReasons.otherBody);
}

/** Answered and charged once. To run it again would charge it again, so the caller must say so with a new key. */
export function answerGone(requestId: string): GatewayError {
  const reason = idempotencyReasons.answerNotKept;
  return new GatewayError('conflict', { param: PARAM, reason, detail: { original_request_id: requestId } });
}

/** The status is 504, which clients retry; the answer may be ready by then. */
export function stillRunning(): GatewayError {
  const reason = idempotencyReasons.stillRunning;
  return new GatewayError('upstream_timeout', { param: PARAM, reason });
}
