/** Our own errors in the shape of this protocol. SDKs read `type`, and the stable code from `details.error_code`. */

import { ERRORS } from '@dargah/core/error-registry.ts';
import type { GatewayError } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { ErrorView } from '../../protocol.ts';
import { writeFrame } from '../../sse.ts';

export function encodeError(error: GatewayError, { requestId, language, remedyUrl }: ErrorView): JsonObject {
  const { param, detail, retryAfterMs, vendorDetails } = error.options;
  return {
    type: 'error',
    error: {
      ...detail,
      type: ERRORS[error.code].messagesType,
      message: error.text(language),
      code: error.code,
      ...(param !== undefined && { param }),
      ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
      details: { error_code: error.code, ...vendorDetails, ...(remedyUrl !== undefined && { remedy_url: remedyUrl }) },
    },
    request_id: requestId,
  };
}

/** In a stream only `event: error` is understood by all clients; anything else is silently ignored by some. */
export function errorFrame(error: GatewayError, view: ErrorView): string {
  return writeFrame(JSON.stringify(encodeError(error, view)), 'error');
}
