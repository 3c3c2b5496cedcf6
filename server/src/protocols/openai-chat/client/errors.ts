/** Our own errors in the shape of the chat protocol. */

import { ERRORS } from '@dargah/core/error-registry.ts';
import type { GatewayError } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { ErrorView } from '../../protocol.ts';
import { writeFrame } from '../../sse.ts';

export function encodeError(
  error: GatewayError,
  { language, remedyUrl }: Pick<ErrorView, 'language' | 'remedyUrl'>,
): JsonObject {
  const { param, detail, retryAfterMs } = error.options;
  return {
    error: {
      ...detail,
      message: error.text(language),
      type: ERRORS[error.code].type,
      code: error.code,
      param: param ?? null,
      ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
      ...(remedyUrl !== undefined && { remedy_url: remedyUrl }),
    },
  };
}

/**
 * A failure inside a stream is bare data and no [DONE]. Clients take a clean end for a whole answer, and a chunk with both
 * choices and error for an answer; this form is an error to all of them.
 */
export function errorFrame(error: GatewayError, view: Pick<ErrorView, 'language'>): string {
  return writeFrame(JSON.stringify(encodeError(error, view)));
}
