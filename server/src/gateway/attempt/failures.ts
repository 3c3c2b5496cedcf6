/** Maps failures of providers to the client's error. No text of a provider passes, with one exception. */

import type { Text } from '@dargah/core/text.ts';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import type { UpstreamFailure } from '../../core/failure.ts';
import { TransportError } from '../../platform/upstream/index.ts';
import { SseFrameTooLarge } from '../../protocols/index.ts';
import { gatewayReasons } from '../reasons.ts';

/** Turns an error while a stream was read into a failure; a fault of our own is thrown again. */
export function failureOfReading(error: unknown): UpstreamFailure {
  if (error instanceof TransportError) return error.failure;
  if (error instanceof SseFrameTooLarge) return { kind: 'malformed', message: error.message };
  throw error;
}

/** The error for a request all of whose routes failed; `last` is the last failure. */
export function errorFor(last: UpstreamFailure | undefined, timedOut: boolean, retryAfterMs?: number): GatewayError {
  if (last?.kind === 'context-too-long') return promptTooLong(last.tooLong ?? {}, last);
  if (last?.kind === 'client-fault') {
    return invalidRequest(last.param, gatewayReasons.providerRefused, {
      cause: last,
      ...(last.status === 413 ? { status: 413 } : {}),
    });
  }
  if (timedOut || last?.kind === 'timeout') return new GatewayError('upstream_timeout', { cause: last });
  return new GatewayError('upstream_error', { cause: last, ...(retryAfterMs !== undefined && { retryAfterMs }) });
}

const BROKEN_OFF: Text = {
  fa: 'ارائه‌دهندهٔ مدل پاسخ را نیمه‌کاره رها کرد. دوباره تلاش کنید.',
  en: 'The model provider broke off in the middle of its answer. Retry.',
};

/** The error for an answer that broke after it had begun; no other route was tried. */
export function errorInStream(failure: UpstreamFailure | undefined): GatewayError {
  const code = failure?.kind === 'timeout' ? 'upstream_timeout' : 'upstream_error';
  return new GatewayError(code, { instead: BROKEN_OFF, cause: failure ?? 'a fault of our own' });
}

/** Coding agents act on the English wording "prompt is too long: N tokens > M maximum", so it is kept verbatim. */
export function promptTooLong(
  { tokens, maximum }: { tokens?: number; maximum?: number },
  cause?: unknown,
): GatewayError {
  const numbers = tokens !== undefined && maximum !== undefined ? `: ${tokens} tokens > ${maximum} maximum` : '';
  return new GatewayError('invalid_request', {
    param: 'messages',
    verbatim: `prompt is too long${numbers}`,
    detail: { reason: 'context_length_exceeded' },
    cause,
  });
}
