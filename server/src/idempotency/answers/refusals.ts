/** What a request under an Idempotency-Key is told when it neither runs nor gets the first answer. None of it is charged. */
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import { reasons } from '../../core/reasons.ts';

const PARAM = 'Idempotency-Key';

/** In `x-svc-warnings`. */
export const UNSHARED = 'Idempotency-Key holds on this server only: the database is not reachable';

export function otherBody(): GatewayError {
  return invalidRequest(
    PARAM,
    reasons.custom('این کلید با بدنهٔ دیگری به کار رفته است.', 'This key was used with a different body.'),
  );
}

/** Answered and charged once. To run it again would charge it again, so the caller must say so with a new key. */
export function answerGone(requestId: string): GatewayError {
  const reason = reasons.custom(
    'پاسخ نخستِ این کلید داده شده اما نگه داشته نشده است: بیش از اندازه بلند بود یا جای خود را به پاسخ‌های تازه‌تر داد. دوباره چیزی کسر نشد؛ برای پرسش دوباره کلید دیگری بفرستید.',
    'The first answer under this key was given but is not kept: it was too long, or made room for newer ones. Nothing was charged again; to ask again send another key.',
  );
  return new GatewayError('conflict', { param: PARAM, reason, detail: { original_request_id: requestId } });
}

/** 504, which clients retry: the answer may be there by then. */
export function stillRunning(): GatewayError {
  const reason = reasons.custom(
    'درخواست نخست با همین کلید هنوز در جریان است.',
    'The first request under this key is still running.',
  );
  return new GatewayError('upstream_timeout', { param: PARAM, reason });
}
